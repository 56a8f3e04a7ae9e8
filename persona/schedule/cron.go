package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// A cronSpec is a cron line: bits of what it fires at, minute 0 at bit 0 and so on.
type cronSpec struct {
	minute, hour, dom, month, dow uint64
	either                        bool // one of the two days is enough; else both must fit
}

const allHours = 1<<24 - 1

// What [ParseTimer] says of a cron line that cannot be a timer. The words are for the model that wrote it.
var (
	errCronSeconds = errors.New("a cron line has five fields (minute hour day month weekday): there are no seconds, once a minute is the most")
	errCronEvery   = errors.New("@every is not supported: use a cron line, or a delay like 90min")
	errCronZone    = errors.New("a cron line names no time zone: it goes by the being's own")
	errCronNever   = errors.New("this cron line never fires: no year has such a day")
)

// parseCron reads a cron line of five fields, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and
// @hourly. robfig/cron reads the fields; what it lets pass or does not know is seen to here: Sunday as 7, days that
// never come, empty lists, steps larger than their field, and which of the two days counts.
func parseCron(line string) (*cronSpec, error) {
	line = strings.TrimSpace(line)
	fields := strings.Fields(line)
	switch {
	case strings.Contains(line, "="): // robfig/cron would load a zone by a name that a model made up, or panic
		return nil, errCronZone
	case strings.HasPrefix(line, "@every"):
		return nil, errCronEvery
	case strings.HasPrefix(line, "@"):
		return cronOf(line, false)
	case len(fields) > 5:
		return nil, errCronSeconds
	case len(fields) < 5:
		return nil, fmt.Errorf("a cron line has five fields (minute hour day month weekday), this has %d", len(fields))
	}
	for i, f := range fields {
		if err := checkCronField(f, cronSizes[i]); err != nil {
			return nil, err
		}
	}
	// Vixie's rule: a field is open when it begins with a star, also one like */2. When neither is, either day will do.
	either := !open(fields[2]) && !open(fields[4])
	fields[4] = sundays(fields[4])
	return cronOf(strings.Join(fields, " "), either)
}

var cronSizes = [...]int{60, 24, 31, 12, 7} // minutes, hours, days, months, weekdays

func open(field string) bool { return field[0] == '*' || field[0] == '?' }

func cronOf(line string, either bool) (*cronSpec, error) {
	parsed, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor).Parse(line)
	if err != nil {
		return nil, err
	}
	p, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, errCronEvery
	}
	const star = 1 << 63
	s := &cronSpec{minute: p.Minute &^ star, hour: p.Hour &^ star, dom: p.Dom &^ star, month: p.Month &^ star, dow: p.Dow &^ star, either: either}
	if _, ok := s.match(0); !ok {
		return nil, errCronNever
	}
	return s, nil
}

// checkCronField refuses what robfig/cron reads as something else than it says.
func checkCronField(field string, size int) error {
	for _, item := range strings.Split(field, ",") {
		span, step, stepped := strings.Cut(item, "/")
		low, high, ranged := strings.Cut(span, "-")
		bad := low == "" || ranged && (high == "" || open(low) || open(high))
		if stepped {
			n, err := strconv.Atoi(step)
			bad = bad || err != nil || n < 1 || n > size
		}
		if bad || strings.ContainsFunc(item, func(r rune) bool { return !strings.ContainsRune("0123456789*?-/", r) && !letter(r) }) {
			return fmt.Errorf("cron field %q cannot be read", field)
		}
	}
	return nil
}

func letter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }

// sundays writes a weekday field with 7 in it, or with a range that ends on SUN, as robfig/cron can read it.
func sundays(field string) string {
	items := strings.Split(field, ",")
	for i, item := range items {
		span, step, _ := strings.Cut(item, "/")
		low, high, ranged := strings.Cut(span, "-")
		from, ok := weekday(low)
		switch {
		case item == "7":
			items[i] = "0"
			continue
		case !ok || !ranged || high != "7" && (!strings.EqualFold(high, "sun") || from == 0):
			continue
		}
		n, _ := strconv.Atoi(step) // a step that cannot be read was refused before; none is 0
		var days []string
		for d := from; d <= 7; d += max(n, 1) {
			days = append(days, strconv.Itoa(d%7))
		}
		items[i] = strings.Join(days, ",")
	}
	return strings.Join(items, ",")
}

// weekday reads 0 to 7 or SUN to SAT.
func weekday(s string) (int, bool) {
	for d := range 7 {
		if strings.EqualFold(s, time.Weekday(d).String()[:3]) {
			return d, true
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && 0 <= n && n <= 7
}

// match gives the first minute at or after civil that the line names, both in seconds as if the local clock were
// UTC's. The calendar comes again after 400 years: what is not found in these never is.
func (s *cronSpec) match(civil int64) (int64, bool) {
	t := time.Unix(civil, 0).UTC()
	year, month, day := t.Date()
	hour, minute, _ := t.Clock()
	for last := year + 400; year <= last; {
		if s.month>>month&1 == 0 || day > daysIn(year, month) {
			if month++; month > time.December {
				year, month = year+1, time.January
			}
			day, hour, minute = 1, 0, 0
			continue
		}
		hours := s.hour >> hour
		if hours == 0 || !s.day(year, month, day) {
			day, hour, minute = day+1, 0, 0
			continue
		}
		if n := bits.TrailingZeros64(hours); n > 0 {
			hour, minute = hour+n, 0
		}
		minutes := s.minute >> minute
		if minutes == 0 {
			hour, minute = hour+1, 0
			continue
		}
		minute += bits.TrailingZeros64(minutes)
		return time.Date(year, month, day, hour, minute, 0, 0, time.UTC).Unix(), true
	}
	return 0, false
}

func (s *cronSpec) day(year int, month time.Month, day int) bool {
	dom := s.dom>>day&1 != 0
	if dom == s.either {
		return dom
	}
	return s.dow>>time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday()&1 != 0
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
