package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
)

// Timers wake the bot once or repeatedly. [Timers.Set] creates a timer, [Timers.Due] yields the timers that are due,
// and [Timers.Next] returns the next time.
//
// A timer is a row "timer/<id>" of the [persona.State]. Every change is durable before it takes effect. Before a timer
// fires, one write moves it to its next time and marks it as firing. [Timers.Done] removes the mark. If the program
// crashes in between, Due yields the firing again after the restart, with the same [Firing.ID]. Use this ID for a job
// of persona/jobs, and it runs only once. Due gives up a firing after three crashes.
//
// A missed time fires once, with [Firing.Late] set. It fires once even if a cron line would have fired several times.
//
// All methods may be called concurrently. Use only one Timers for each State at a time. After a failed write the
// outcome of the write is unknown. The next call then reads all rows again.
//
// If the clock jumps ahead, timers are late. If it goes back, no timer fires twice. If the clock was ahead by more than
// an hour when a timer was set or moved, the timer uses a time computed from now until the clock reaches the old time.
type Timers struct {
	table   table[*timer]
	options TimerOptions
}

// TimerOptions limit the number and size of timers. The zero value is ready for use.
type TimerOptions struct {
	Location      *time.Location // time zone of once and cron; nil means [time.Local]
	MaxPerSession int            // timers of one session; 0 means 20
	MaxTotal      int            // timers of all persona sessions, and separately of the agent; 0 means 1000
	MaxPayload    int            // characters of a payload; 0 means 1000
}

// A Timer wakes the bot with a payload.
type Timer struct {
	ID      string    `json:"-"`
	Spec    string    `json:"spec"`              // see [ParseTimer]
	Payload string    `json:"payload,omitempty"` // reminder for the model; untrusted, like every text of a model
	Origin  Origin    `json:"maker,omitzero"`    // the turn that created it; it runs with these rights
	Allowed Grant     `json:"allowed,omitzero"`  // additional tools
	Created time.Time `json:"created"`
	Next    time.Time `json:"next,omitzero"`  // zero if it does not fire again
	Fired   int       `json:"fired,omitzero"` // number of firings
}

// A Firing is one firing of a timer.
type Firing struct {
	ID    string    // unique and permanent; use it as a job id and for [Timers.Done]
	Timer Timer     // the timer; Next is its next firing
	At    time.Time // planned time
	Late  bool      // at least a minute late, or the program crashed while it ran
}

// The errors of [Timers] and [Tasks].
var (
	ErrPast     = errors.New("schedule: time is in the past")
	ErrTooMany  = errors.New("schedule: too many timers or tasks")
	ErrTooLong  = errors.New("schedule: text is too long")
	ErrNotFound = errors.New("schedule: unknown id") // the id is unknown, or not visible to the caller
	ErrNotUTF8  = errors.New("schedule: text is not valid UTF-8")
)

const (
	lateAfter    = time.Minute
	maxClockSkew = time.Hour // a larger difference means that the clock was wrong
	maxStarts    = 3         // tries of one wake if the program crashes each time
)

// A timer is a row and its state in memory.
type timer struct {
	timerRow
	spec     TimerSpec
	due      time.Time // due time: Firing, Next or a replacement for Next; zero means never
	started  bool      // the firing was yielded since the program started
	replaced bool      // at replaces a Next that a wrong clock computed
}

type timerRow struct {
	Timer
	Moved  time.Time `json:"moved"`           // time when Next was computed
	Zone   string    `json:"zone"`            // time zone of that computation
	Firing time.Time `json:"firing,omitzero"` // planned time of a firing that is not done
	Starts int       `json:"starts,omitzero"` // how often this firing was yielded
}

func (t *timer) key() string { return t.ID }
func (t *timer) row() any    { return t.timerRow }

// compare sorts by due time. Timers that never fire are last.
func (t *timer) compare(u *timer) int {
	if t.due.IsZero() != u.due.IsZero() {
		if t.due.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(t.due.Compare(u.due), cmp.Compare(len(t.ID), len(u.ID)), cmp.Compare(t.ID, u.ID))
}

// NewTimers returns timers that are stored in s. It reads nothing. Call [Timers.Restore] before any other method.
func NewTimers(s persona.State, o TimerOptions) *Timers {
	o.Location = cmp.Or(o.Location, time.Local)
	o.MaxPerSession, o.MaxTotal, o.MaxPayload = cmp.Or(o.MaxPerSession, 20), cmp.Or(o.MaxTotal, 1000), cmp.Or(o.MaxPayload, 1000)
	t := &Timers{options: o}
	t.table = table[*timer]{state: s, prefix: "timer/", idPrefix: "t", read: t.read, writer: make(chan struct{}, 1)}
	return t
}

// Restore reads the rows. It returns the rows that cannot be parsed.
func (t *Timers) Restore(ctx context.Context) ([]*RowError, error) {
	return t.table.restore(ctx)
}

// Set creates a timer with the rights of m. A human has approved tools for this spec and payload. Set returns
// [ErrTimerSpec] for an invalid spec and [ErrPast] for a time in the past. It returns [ErrTooMany] or [ErrTooLong] if a
// limit is exceeded.
func (t *Timers) Set(ctx context.Context, now time.Time, m Origin, spec, payload string, tools ...string) (Timer, error) {
	now = local(now, t.options.Location)
	parsed, err := ParseTimer(spec)
	if err != nil {
		return Timer{}, err
	}
	if err := cmp.Or(m.check(), checkText(payload, t.options.MaxPayload)); err != nil {
		return Timer{}, err
	}
	next, ok := parsed.Next(now, t.options.Location)
	if !ok {
		return Timer{}, fmt.Errorf("%w: %s", ErrPast, parsed)
	}
	var made Timer
	err = t.table.change(ctx, func(c *tableChange[*timer]) error {
		if err := t.checkLimits(c.all, m); err != nil {
			return err
		}
		made = Timer{ID: c.newID(), Spec: parsed.String(), Payload: payload, Origin: m, Allowed: newGrant(tools, parsed.String(), payload), Created: now, Next: next}
		c.set(&timer{timerRow: timerRow{Timer: made, Moved: now, Zone: t.options.Location.String()}, spec: parsed, due: next})
		return nil
	})
	if err != nil {
		return Timer{}, err
	}
	return made, nil
}

func (t *Timers) checkLimits(all []*timer, m Origin) error {
	here, mode := 0, 0
	for _, other := range all {
		if other.Origin.sessionKey() == m.sessionKey() {
			here++
		}
		if other.Origin.Mode == m.Mode {
			mode++
		}
	}
	switch {
	case here >= t.options.MaxPerSession:
		return fmt.Errorf("%w: %d timers in this session", ErrTooMany, here)
	case mode >= t.options.MaxTotal:
		return fmt.Errorf("%w: %d timers", ErrTooMany, mode)
	}
	return nil
}

// Cancel removes a timer, even while it fires. It returns [ErrNotFound] if a turn with origin m cannot see the timer.
func (t *Timers) Cancel(ctx context.Context, m Origin, id string) error {
	return t.table.change(ctx, func(c *tableChange[*timer]) error {
		old, ok := c.find(id)
		if !ok || !m.canSee(old.Origin) {
			return ErrNotFound
		}
		c.remove(id)
		return nil
	})
}

// List returns the timers that will fire and that a turn with origin m can see, in order of time. The agent sees all
// timers, and a persona turn those of its chat. List returns nothing before [Timers.Restore].
func (t *Timers) List(m Origin) []Timer {
	var list []Timer
	for _, v := range t.table.view() {
		if !v.due.IsZero() && m.canSee(v.Origin) {
			list = append(list, v.Timer)
		}
	}
	return list
}

// Next returns the time of the next firing. Call [Timers.Due] at that time. Call it also after each change of the
// system clock, or often enough to notice one. Next knows nothing before [Timers.Restore].
func (t *Timers) Next() (time.Time, bool) {
	all := t.table.view()
	if len(all) == 0 || all[0].due.IsZero() {
		return time.Time{}, false
	}
	return all[0].due, true
}

// Due yields the timers that are due at now, in order of time. It yields each timer at most once. A timer is moved to
// its next time durably before it is yielded. Start a job for it and call [Timers.Done]. An error ends the loop. If you
// break out of the loop, the rest is yielded next time. You may call the other methods inside the loop.
func (t *Timers) Due(ctx context.Context, now time.Time) iter.Seq2[Firing, error] {
	now = now.Round(0)
	return func(yield func(Firing, error) bool) {
		if err := t.table.change(ctx, func(c *tableChange[*timer]) error { t.adaptToClock(c, now); return nil }); err != nil {
			yield(Firing{}, err)
			return
		}
		for {
			var f *Firing
			err := t.table.change(ctx, func(c *tableChange[*timer]) error {
				if len(c.all) > 0 && !c.all[0].due.IsZero() && !c.all[0].due.After(now) {
					f = t.fire(c, c.all[0], now) // the next time is after now
				}
				return nil
			})
			if err != nil {
				yield(Firing{}, err)
				return
			}
			if f == nil || !yield(*f, nil) {
				return
			}
		}
	}
}

// fire moves a timer to its next time and returns the firing.
func (t *Timers) fire(c *tableChange[*timer], old *timer, now time.Time) *Firing {
	next := *old
	next.started, next.replaced = true, false
	f := &Firing{At: old.due}
	again := !old.Firing.IsZero() && !old.started
	if again && (old.Next.IsZero() || old.Next.After(now)) {
		next.Starts++ // the program crashed before Done
	} else {
		next.Next, next.Moved, next.Firing, next.Starts = time.Time{}, now, old.due, 1
		next.Fired++
		if next.spec.Repeats() {
			next.Next, _ = next.spec.Next(now, t.options.Location)
		}
	}
	next.due = next.Next
	if next.Starts >= maxStarts {
		next.Firing, next.Starts = time.Time{}, 0 // the last try: it is not yielded again
	}
	if next.Firing.IsZero() && next.Next.IsZero() {
		c.remove(next.ID)
	} else {
		c.set(&next)
	}
	f.Late = again || now.Sub(f.At) >= lateAfter
	f.Timer = next.Timer
	f.ID = fmt.Sprintf("timer/%s/%d", next.ID, next.Fired)
	return f
}

// Done ends a firing. Call it after the work is done, or after a durable job exists for it. The firing is not yielded
// again. A timer that does not repeat is removed. Done ignores unknown ids.
func (t *Timers) Done(ctx context.Context, fired string) error {
	id, n, _ := strings.Cut(strings.TrimPrefix(fired, "timer/"), "/")
	return t.table.change(ctx, func(c *tableChange[*timer]) error {
		old, ok := c.find(id)
		if !ok || old.Firing.IsZero() || fmt.Sprint(old.Fired) != n {
			return nil
		}
		if old.Next.IsZero() {
			c.remove(id)
			return nil
		}
		next := *old
		next.Firing, next.Starts = time.Time{}, 0
		if !next.replaced {
			next.due = next.Next
		}
		c.set(&next)
		return nil
	})
}

func checkText(s string, most int) error {
	switch {
	case !utf8.ValidString(s):
		return ErrNotUTF8
	case utf8.RuneCountInString(s) > most:
		return fmt.Errorf("%w: at most %d characters", ErrTooLong, most)
	}
	return nil
}
