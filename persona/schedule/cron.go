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

// A cronSpec is a parsed cron line. Each field is a bit set: bit 0 of minute is minute 0.
type cronSpec struct {
	minute, hour, dom, month, dow uint64
	anyDay                        bool // a day must match dom or dow; false means that it must match both
}

const allHours = 1<<24 - 1

// The reasons why [ParseTimer] rejects a cron line. A host may show them to the model that wrote the line.
var (
	errCronSeconds = errors.New("want five cron fields (minute hour day month weekday); seconds are not supported")
	errCronEvery   = errors.New("@every is not supported; use a cron line or a delay like 90min")
	errCronZone    = errors.New("time zones are not supported in a cron line; it uses the bot's time zone")
	errCronNever   = errors.New("the cron line never fires, because no year has such a day")
)

// parseCron parses a cron line with five fields, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and
// @hourly. robfig/cron parses the fields. parseCron adds checks and rules that robfig/cron lacks. It accepts 7 for
// Sunday. It rejects days that never occur, empty lists, and steps larger than their field. It follows Vixie cron in
// the combination of the two day fields.
func parseCron(line string) (*cronSpec, error) {
	line = strings.TrimSpace(line)
	fields := strings.Fields(line)
	switch {
	case strings.Contains(line, "="): // robfig/cron would load the named time zone, or panic
		return nil, errCronZone
	case strings.HasPrefix(line, "@every"):
		return nil, errCronEvery
	case strings.HasPrefix(line, "@"):
		return cronOf(line, false)
	case len(fields) > 5:
		return nil, errCronSeconds
	case len(fields) < 5:
		return nil, fmt.Errorf("want five cron fields (minute hour day month weekday), got %d", len(fields))
	}
	for i, f := range fields {
		if err := checkCronField(f, cronSizes[i]); err != nil {
			return nil, err
		}
	}
	// Vixie cron: a field that begins with a star, such as */2, is unrestricted. If both day fields are restricted, one
	// match is enough.
	either := !unrestricted(fields[2]) && !unrestricted(fields[4])
	fields[4] = expandSunday(fields[4])
	return cronOf(strings.Join(fields, " "), either)
}

var cronSizes = [...]int{60, 24, 31, 12, 7} // minutes, hours, days, months, weekdays

func unrestricted(field string) bool { return field[0] == '*' || field[0] == '?' }

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
	s := &cronSpec{minute: p.Minute &^ star, hour: p.Hour &^ star, dom: p.Dom &^ star, month: p.Month &^ star, dow: p.Dow &^ star, anyDay: either}
	if _, ok := s.nextMatch(0); !ok {
		return nil, errCronNever
	}
	return s, nil
}

// checkCronField rejects fields that robfig/cron would misread.
func checkCronField(field string, size int) error {
	for _, item := range strings.Split(field, ",") {
		span, step, stepped := strings.Cut(item, "/")
		low, high, ranged := strings.Cut(span, "-")
		bad := low == "" || ranged && (high == "" || unrestricted(low) || unrestricted(high))
		if stepped {
			n, err := strconv.Atoi(step)
			bad = bad || err != nil || n < 1 || n > size
		}
		if bad || strings.ContainsFunc(item, func(r rune) bool { return !strings.ContainsRune("0123456789*?-/", r) && !isLetter(r) }) {
			return fmt.Errorf("invalid cron field %q", field)
		}
	}
	return nil
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }

// expandSunday rewrites a weekday field with 7, or with a range that ends on SUN, for robfig/cron.
func expandSunday(field string) string {
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
		n, _ := strconv.Atoi(step) // invalid steps were rejected before; 0 without a step
		var days []string
		for d := from; d <= 7; d += max(n, 1) {
			days = append(days, strconv.Itoa(d%7))
		}
		items[i] = strings.Join(days, ",")
	}
	return strings.Join(items, ",")
}

// weekday parses 0 to 7 or SUN to SAT.
func weekday(s string) (int, bool) {
	for d := range 7 {
		if strings.EqualFold(s, time.Weekday(d).String()[:3]) {
			return d, true
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && 0 <= n && n <= 7
}

// nextMatch returns the first matching minute at or after civil. Both are local times in seconds, encoded as if they were
// UTC. The calendar repeats after 400 years. Therefore the search stops there.
func (s *cronSpec) nextMatch(civil int64) (int64, bool) {
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
	if dom == s.anyDay {
		return dom
	}
	return s.dow>>time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday()&1 != 0
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
