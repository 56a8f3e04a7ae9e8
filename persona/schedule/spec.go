package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A TimerSpec is the parsed time of a timer. Use [ParseTimer] to create one. The zero TimerSpec never fires.
type TimerSpec struct {
	text  string
	kind  specKind
	delay time.Duration
	once  int64 // local time in seconds, encoded as if it were UTC
	cron  *cronSpec
}

type specKind uint8

const (
	specNever specKind = iota
	specDelay
	specOnce
	specCron
)

const (
	maxSpec  = 120 // bytes of a spec
	maxDelay = 366 * 24 * time.Hour
)

var (
	errSpecForm = errors.New(`want a form like 30s, 5min, 2h, 1d, "once:2026-04-10 09:00" or "cron:0 8 * * *"`)
	errSpecFar  = errors.New("want a delay from 1s to 366d")

	timerUnits = [...]struct {
		name string
		unit time.Duration
	}{{"min", time.Minute}, {"s", time.Second}, {"h", time.Hour}, {"d", 24 * time.Hour}}
)

// ErrTimerSpec is matched by the errors of [ParseTimer]. The error text contains a reason for the model that wrote the
// spec.
var ErrTimerSpec = errors.New("schedule: invalid timer spec")

// ParseTimer parses the time of a timer:
//
//   - A delay: 30s, 5min, 2h, 1d. A day is 24 hours.
//   - A local time: "once:2026-04-10 09:00". Seconds are optional.
//   - A cron line: "cron:0 8 * * *" with the fields minute, hour, day of month, month and day of week.
//
// A cron line may have lists, ranges, steps and names like MON and JAN. 7 is Sunday. @yearly, @monthly, @weekly, @daily
// and @hourly are supported. As in Vixie cron, a day must match both day fields if one of them begins with a star.
// Otherwise one match is enough. ParseTimer rejects lines that never fire, lines with seconds, @every and time zones.
//
// Times of day are local times. A skipped time fires at the end of the gap. A repeated time fires the first time. A
// cron line for every hour fires in real hours. It fires in both passes of a repeated hour, and never in a skipped one.
func ParseTimer(spec string) (TimerSpec, error) {
	p := TimerSpec{text: strings.TrimSpace(spec)}
	if len(p.text) > maxSpec {
		return TimerSpec{}, fmt.Errorf("%w: %w", ErrTimerSpec, errSpecForm)
	}
	var err error
	if line, ok := strings.CutPrefix(p.text, "cron:"); ok {
		p.kind = specCron
		p.cron, err = parseCron(line)
	} else if when, ok := strings.CutPrefix(p.text, "once:"); ok {
		p.kind = specOnce
		p.once, err = parseOnce(strings.TrimSpace(when))
	} else {
		p.kind = specDelay
		p.delay, err = parseDelay(p.text)
	}
	if err != nil {
		return TimerSpec{}, fmt.Errorf("%w: %q: %w", ErrTimerSpec, p.text, err)
	}
	return p, nil
}

func parseOnce(s string) (int64, error) {
	for _, layout := range []string{"2006-01-02 15:04", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil && t.Nanosecond() == 0 {
			return t.Unix(), nil
		}
	}
	return 0, errSpecForm
}

func parseDelay(s string) (time.Duration, error) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	for _, u := range timerUnits {
		if digits == 0 || s[digits:] != u.name {
			continue
		}
		n, err := strconv.ParseInt(s[:digits], 10, 64)
		if err != nil || n < 1 || n > int64(maxDelay/u.unit) {
			return 0, errSpecFar
		}
		return time.Duration(n) * u.unit, nil
	}
	return 0, errSpecForm
}

// String returns the spec without outer spaces.
func (p TimerSpec) String() string { return p.text }

// Repeats reports whether the spec fires more than once. Only cron lines do.
func (p TimerSpec) Repeats() bool { return p.kind == specCron }

// Next returns the first time after t at which the spec fires in loc. A nil loc means [time.Local]. ok is false if the
// time has passed. A delay counts from t.
func (p TimerSpec) Next(t time.Time, loc *time.Location) (time.Time, bool) {
	loc = cmp.Or(loc, time.Local)
	switch p.kind {
	case specDelay:
		return t.Round(0).Add(p.delay).In(loc), true
	case specOnce:
		return firstAfter(t, p.once, loc)
	case specCron:
		return p.cron.next(t, loc)
	}
	return time.Time{}, false
}
