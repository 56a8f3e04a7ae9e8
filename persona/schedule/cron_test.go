package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

// fires returns the first n times of a spec after a local time, as local times with their offset.
func fires(t *testing.T, spec, from string, loc *time.Location, n int) []string {
	t.Helper()
	p, err := schedule.ParseTimer(spec)
	require.NoError(t, err)
	at, err := time.ParseInLocation("2006-01-02 15:04:05", from, loc)
	require.NoError(t, err)
	var list []string
	for range n {
		next, ok := p.Next(at, loc)
		if !ok {
			return append(list, "never")
		}
		require.True(t, next.After(at))
		list, at = append(list, next.Format("2006-01-02 15:04 -0700")), next
	}
	return list
}

func TestParseTimer_CronTimes(t *testing.T) {
	for _, c := range []struct{ name, zone, line, from, want string }{
		{"daily", "Asia/Shanghai", "0 8 * * *", "2026-04-10 08:00:00", "2026-04-11 08:00 +0800, 2026-04-12 08:00 +0800"},
		{"seconds before", "UTC", "0 8 * * *", "2026-04-10 07:59:59", "2026-04-10 08:00 +0000, 2026-04-11 08:00 +0000"},
		{"7 is Sunday", "UTC", "0 9 * * 7", "2026-01-01 00:00:00", "2026-01-04 09:00 +0000, 2026-01-11 09:00 +0000"},
		{"to Sunday", "UTC", "0 9 * * 6-7", "2026-01-01 00:00:00", "2026-01-03 09:00 +0000, 2026-01-04 09:00 +0000, 2026-01-10 09:00 +0000"},
		{"to Sunday by name", "UTC", "0 9 * * FRI-sun/2", "2026-01-01 00:00:00", "2026-01-02 09:00 +0000, 2026-01-04 09:00 +0000, 2026-01-09 09:00 +0000"},
		{"7 in a list", "UTC", "0 9 * * 7,MON", "2026-01-01 00:00:00", "2026-01-04 09:00 +0000, 2026-01-05 09:00 +0000"},
		{"names", "UTC", "0 0 1 JAN,jul *", "2026-01-01 00:00:00", "2026-07-01 00:00 +0000, 2027-01-01 00:00 +0000"},
		{"@daily", "UTC", "@daily", "2026-01-01 00:00:00", "2026-01-02 00:00 +0000"},
		{"@weekly", "UTC", "@weekly", "2026-01-01 00:00:00", "2026-01-04 00:00 +0000"},
		{"@monthly", "UTC", "@monthly", "2026-01-01 00:00:00", "2026-02-01 00:00 +0000"},
		{"@yearly", "UTC", "@yearly", "2026-01-01 00:00:00", "2027-01-01 00:00 +0000"},
		{"@hourly", "UTC", "@hourly", "2026-01-01 00:00:00", "2026-01-01 01:00 +0000"},

		{"either day", "UTC", "0 0 13 * FRI", "2026-02-01 00:00:00", "2026-02-06 00:00 +0000, 2026-02-13 00:00 +0000, 2026-02-20 00:00 +0000"},
		{"open day of month", "UTC", "0 0 * * FRI", "2026-02-01 00:00:00", "2026-02-06 00:00 +0000, 2026-02-13 00:00 +0000"},
		{"open weekday", "UTC", "0 0 13 * *", "2026-02-01 00:00:00", "2026-02-13 00:00 +0000, 2026-03-13 00:00 +0000"},
		{"a star with a step is open", "UTC", "0 0 */2 * MON", "2026-02-01 00:00:00", "2026-02-09 00:00 +0000, 2026-02-23 00:00 +0000, 2026-03-09 00:00 +0000"},
		{"29 Feb", "UTC", "0 0 29 2 *", "2096-03-01 00:00:00", "2104-02-29 00:00 +0000, 2108-02-29 00:00 +0000"},
		{"29 Feb that is a Sunday", "UTC", "0 0 29 2 */7", "2088-03-01 00:00:00", "2128-02-29 00:00 +0000"},
		{"over the last day of leap years, by a rule for all years", "Europe/Berlin", "0 0 29 2 */7", "2036-01-01 00:00:00", "2060-02-29 00:00 +0100, 2088-02-29 00:00 +0100"},
		{"30 Feb or a Monday in it", "UTC", "0 0 30 2 1", "2026-01-01 00:00:00", "2026-02-02 00:00 +0000"},

		{"skipped", "Europe/Berlin", "30 2 * * *", "2026-03-28 12:00:00", "2026-03-29 03:00 +0200, 2026-03-30 02:30 +0200"},
		{"skipped several", "Europe/Berlin", "*/20 2 * * *", "2026-03-28 12:00:00", "2026-03-29 03:00 +0200, 2026-03-30 02:00 +0200"},
		{"skipped and met", "Europe/Berlin", "30 2,3 * * *", "2026-03-28 12:00:00", "2026-03-29 03:00 +0200, 2026-03-29 03:30 +0200"},
		{"skipped into one that fires", "Europe/Berlin", "0 2,3 * * *", "2026-03-28 12:00:00", "2026-03-29 03:00 +0200, 2026-03-30 02:00 +0200"},
		{"twice", "Europe/Berlin", "30 2 * * *", "2026-10-24 12:00:00", "2026-10-25 02:30 +0200, 2026-10-26 02:30 +0100"},
		{"hourly over a skip", "Europe/Berlin", "30 * * * *", "2026-03-29 01:00:00", "2026-03-29 01:30 +0100, 2026-03-29 03:30 +0200"},
		{"hourly over a repetition", "Europe/Berlin", "30 * * * *", "2026-10-25 01:00:00", "2026-10-25 01:30 +0200, 2026-10-25 02:30 +0200, 2026-10-25 02:30 +0100, 2026-10-25 03:30 +0100"},
		{"half an hour skipped", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03 12:00:00", "2026-10-04 02:30 +1100, 2026-10-05 02:15 +1100"},
		{"half an hour twice", "Australia/Lord_Howe", "45 1 * * *", "2026-04-04 12:00:00", "2026-04-05 01:45 +1100, 2026-04-06 01:45 +1030"},
		{"midnight skipped", "America/Sao_Paulo", "0 0 * * *", "2018-11-03 12:00:00", "2018-11-04 01:00 -0200, 2018-11-05 00:00 -0200"},
		{"a day skipped", "Pacific/Apia", "0 8 * * *", "2011-12-29 12:00:00", "2011-12-31 00:00 +1400, 2011-12-31 08:00 +1400"},
		{"a day skipped, once a year", "Pacific/Apia", "0 8 30 12 *", "2011-12-29 12:00:00", "2011-12-31 00:00 +1400, 2012-12-30 08:00 +1400"},
		{"a day twice", "Pacific/Kwajalein", "0 8 * * *", "1969-09-29 12:00:00", "1969-09-30 08:00 +1100, 1969-10-01 08:00 -1200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Split(c.want, ", ")
			assert.Equal(t, want, fires(t, "cron:"+c.line, c.from, zone(t, c.zone), len(want)))
		})
	}
}

func TestParseTimer_InvalidCron(t *testing.T) {
	for _, line := range []string{
		"", "*", "* * * *", "0 8 * * * *", "*/5 * * * * *", "@every 1s", "@every 1h", "@every", "@reboot", "@", "@Daily",
		"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 */2", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *", "0 0 * * 8",
		"0 0 * * 5-8", "0 0 * * 5-2", "*/0 * * * *", "*/90 * * * *", "0 0 * * 7/2", ", * * * *", "1,,2 * * * *", "1, * * * *", "*-5 * * * *", "** * * * *",
		"-1 * * * *", "+1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "1- * * * *", "1/ * * * *", "0 0 * * foo", "０ 8 * * *", "0 8 * * * # at eight",
		"TZ=UTC 0 8 * * *", "TZ=", "TZ=0", "CRON_TZ=../../etc/passwd 0 8 * * *", "L * * * *", "0 0 1W * *", "0 0 * * 1#2", "9999999999999999999 * * * *",
	} {
		_, err := schedule.ParseTimer("cron:" + line)
		assert.ErrorIs(t, err, schedule.ErrTimerSpec, "%q", line)
	}
}

// A cronField is a field in text form and the set of its values.
type cronField struct {
	text string
	set  map[int]bool
	open bool
}

func randomField(r *rand.Rand, low, high int, names []string, starred int) cronField {
	f := cronField{set: map[int]bool{}}
	value := func(n int) string {
		if names != nil && r.IntN(3) == 0 {
			return names[n-low]
		}
		return fmt.Sprint(n)
	}
	if r.IntN(10) < starred {
		step := 1
		f.text, f.open = "*", true
		if r.IntN(3) == 0 {
			step = 1 + r.IntN(min(high-low, 9))
			f.text = fmt.Sprintf("*/%d", step)
		}
		for i := low; i <= high; i += step {
			f.set[i] = true
		}
		return f
	}
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			f.text += ","
		}
		a := low + r.IntN(high-low+1)
		b := a + r.IntN(high-a+1)
		switch r.IntN(3) {
		case 0:
			f.text, b = f.text+value(a), a
		case 1:
			f.text += value(a) + "-" + value(b)
		default:
			step := 1 + r.IntN(5)
			f.text += fmt.Sprintf("%s-%s/%d", value(a), value(b), step)
			for ; a < b; a += step {
				f.set[a] = true
			}
			if a > b {
				continue
			}
		}
		for ; a <= b; a++ {
			f.set[a] = true
		}
	}
	return f
}

// A naiveCron is a reference implementation: sets that are checked for each minute.
type naiveCron struct{ minute, hour, dom, month, dow cronField }

func (n *naiveCron) line() string {
	return strings.Join([]string{n.minute.text, n.hour.text, n.dom.text, n.month.text, n.dow.text}, " ")
}

// names reports whether the line matches a local time.
func (n *naiveCron) names(civil time.Time) bool {
	dom, dow := n.dom.set[civil.Day()], n.dow.set[int(civil.Weekday())] || n.dow.set[7] && civil.Weekday() == time.Sunday
	days := dom || dow
	if n.dom.open || n.dow.open {
		days = dom && dow
	}
	return days && n.month.set[int(civil.Month())] && n.hour.set[civil.Hour()] && n.minute.set[civil.Minute()]
}

// walk returns the times in (from, to] at which the line fires. It checks the local clock every minute and remembers
// the times shown.
func (n *naiveCron) walk(from, to time.Time, loc *time.Location) (list []string) {
	civil := func(t time.Time) time.Time {
		t = t.In(loc)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	start := from.Add(-50 * time.Hour).Truncate(time.Minute)
	shown, last := civil(start), civil(start)
	for at := start.Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
		now := civil(at)
		fire := n.names(now)
		if len(n.hour.set) < 24 { // a fixed time of day
			fire = fire && now.After(shown)
			for c := last.Add(time.Minute); c.Before(now); c = c.Add(time.Minute) {
				fire = fire || c.After(shown) && n.names(c)
			}
		}
		if last = now; now.After(shown) {
			shown = now
		}
		if fire && at.After(from) {
			list = append(list, at.In(loc).Format(time.RFC3339))
		}
	}
	return list
}

// turns are days with and without a change of the offset.
var turns = map[string][]string{
	"Europe/Berlin":       {"2026-03-29", "2026-10-25", "1980-04-06", "2026-12-31"},
	"America/New_York":    {"2026-03-08", "2026-11-01", "1974-01-06", "2028-02-29"},
	"Australia/Lord_Howe": {"2026-04-05", "2026-10-04", "1981-03-01"},
	"Asia/Kathmandu":      {"1986-01-01", "2026-07-01"},
	"America/Sao_Paulo":   {"2018-11-04", "2018-02-18", "2008-10-19"},
	"Pacific/Apia":        {"2011-12-30", "2012-04-01", "2012-09-30"},
	"Asia/Shanghai":       {"1986-05-04", "1986-09-14", "2026-02-28"},
	"UTC":                 {"2024-02-29", "2100-02-28"},
}

var turnZones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Apia", "Asia/Shanghai", "UTC"}

func randomCron(r *rand.Rand) *naiveCron {
	months := []string{"JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	days := []string{"SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT", "7"}
	return &naiveCron{
		minute: randomField(r, 0, 59, nil, 2), hour: randomField(r, 0, 23, nil, 4), dom: randomField(r, 1, 31, nil, 7),
		month: randomField(r, 1, 12, months, 8), dow: randomField(r, 0, 7, days, 6),
	}
}

// A cron line fires exactly at the times that a naive check of every minute finds.
func TestTimerSpec_CronMatchesNaiveModel(t *testing.T) {
	lines := 25
	if testing.Short() {
		lines = 5
	}
	r := rand.New(rand.NewPCG(7, 7))
	fired := 0
	for _, name := range turnZones {
		loc := zone(t, name)
		for _, day := range turns[name] {
			turn, err := time.ParseInLocation(time.DateOnly, day, loc)
			require.NoError(t, err)
			for range lines {
				n := randomCron(r)
				p, err := schedule.ParseTimer("cron:" + n.line())
				if err != nil {
					require.ErrorContains(t, err, "never fires", "%s", n.line())
					continue
				}
				from := turn.Add(-time.Duration(r.IntN(30*3600)) * time.Second)
				to := from.Add(54 * time.Hour)
				var got []string
				for at, ok := p.Next(from, loc); ok && !at.After(to); at, ok = p.Next(at, loc) {
					got = append(got, at.Format(time.RFC3339))
				}
				require.Equal(t, n.walk(from, to, loc), got, "%s in %s after %s", n.line(), name, from)
				fired += len(got)
			}
		}
	}
	assert.Greater(t, fired, 30*lines, "too few firings for a useful comparison")
}
