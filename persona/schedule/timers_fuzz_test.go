package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// Any spec is rejected, or fires at increasing times that are at least a minute apart. Each time is the first after any
// earlier moment.
func FuzzParseTimer(f *testing.F) {
	for _, s := range []string{
		"5min", "366d", "once:2026-03-29 02:30", "once:9999-12-31 23:59", "once:0000-01-01 00:00", "cron:0 8 * * *", "cron:*/7 1-5,22 */2 feb-APR 5-7/2", "cron:@weekly",
		"cron:59 23 31 12 7", "cron:0 0 29 2 */7", "cron:? ? ? ? ?", "cron:0 0 30 2 *", "cron:TZ= 1 2 3 4 5", "cron:@every 1s", "cron:1,,2 * * * *", "cron:1/9223372036854775807 * * * *",
	} {
		f.Add(s, int64(1774742399))
	}
	var zones []*time.Location
	for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC"} {
		zones = append(zones, zone(f, name))
	}
	f.Fuzz(func(t *testing.T, spec string, unix int64) {
		p, err := schedule.ParseTimer(spec)
		if err != nil {
			if !errors.Is(err, schedule.ErrTimerSpec) {
				t.Fatal(err)
			}
			return
		}
		again, err := schedule.ParseTimer(p.String())
		if err != nil || again.String() != p.String() || again.Repeats() != p.Repeats() {
			t.Fatalf("%q does not read back: %v", p, err)
		}
		now := time.Unix(unix%(1<<33), 0) // 1697 to 2242
		for _, loc := range zones {
			next, ok := p.Next(now, loc)
			if !ok {
				if p.Repeats() {
					t.Fatalf("%q never fires after %s", p, now)
				}
				continue
			}
			if !next.After(now) {
				t.Fatalf("%q fires at %s, before %s", p, next, now)
			}
			if strings.HasPrefix(p.String(), "once:") || p.Repeats() {
				if same, ok := p.Next(next.Add(-time.Second), loc); !ok || !same.Equal(next) {
					t.Fatalf("%q fires at %s after %s, but at %s after the second before", p, next, now, same)
				}
			}
			if second, ok := p.Next(next, loc); p.Repeats() && next.Year() > 1970 && (!ok || second.Sub(next) < time.Minute) {
				t.Fatalf("%q fires at %s and %s", p, next, second)
			}
		}
	})
}
