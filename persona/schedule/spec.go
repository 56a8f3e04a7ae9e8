package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A TimerSpec says when a timer fires. [ParseTimer] makes one; the zero TimerSpec never fires.
type TimerSpec struct {
	text  string
	kind  specKind
	delay time.Duration
	once  int64 // in seconds, as if the local clock were UTC's
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
	errSpecForm = errors.New(`a timer is written like 30s, 5min, 2h, 1d, "once:2026-04-10 09:00" or "cron:0 8 * * *"`)
	errSpecFar  = errors.New("a delay is at least 1s and at most 366d")

	timerUnits = [...]struct {
		name string
		unit time.Duration
	}{{"min", time.Minute}, {"s", time.Second}, {"h", time.Hour}, {"d", 24 * time.Hour}}
)

// ErrTimerSpec is what [ParseTimer] gives, with a reason for the model that wrote the text.
var ErrTimerSpec = errors.New("persona: this is no time for a timer")

// ParseTimer reads what a timer is set by:
//
//   - a delay: 30s, 5min, 2h, 1d. A day is 24 hours;
//   - "once:2026-04-10 09:00", a time of the local clock, with seconds if you like;
//   - "cron:0 8 * * *", a cron line: minute, hour, day of month, month, day of week. Lists, ranges, steps, names like
//     MON and JAN, 7 for Sunday, and @yearly, @monthly, @weekly, @daily, @hourly may be used. As in Vixie cron, a day
//     must fit both day fields when one of them begins with a star, else one of the two. A line that never fires, or
//     names seconds, @every or a time zone, is an error.
//
// Times of day are those of the wall clock. One that the clock skips fires when the skip is over; one that comes twice
// fires the first time. A cron line for every hour means the hours as they pass: it fires in both passes of an hour
// that comes twice, and not for one that is skipped.
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

// String gives the spec as it was written, without spaces around it.
func (p TimerSpec) String() string { return p.text }

// Repeats reports whether it fires more than once: whether it is a cron line.
func (p TimerSpec) Repeats() bool { return p.kind == specCron }

// Next gives the first time after t that the spec fires, by the clock of loc; nil means [time.Local]. It is false for
// what is over. A delay counts from t.
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
