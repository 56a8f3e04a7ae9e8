package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"iter"
	"strings"
	"time"
	"unicode/utf8"
)

// Timers wake the being at a time, or again and again. [Timers.Set] makes one, [Timers.Due] gives those whose time has
// come, [Timers.Next] says when that is.
//
// A timer is a row "timer/<id>" of a [State], and every change is durable before it shows. It moves on to its next time
// before it fires, in one write with a note that it fires; [Timers.Done] takes the note away. So nothing is lost when
// the program dies in between: what was not done is given again after the start, under the same [Firing.ID], by which
// [Errands] runs it once. One that the program died of three times is given up.
//
// A time that was missed, however often a cron line would have fired meanwhile, fires once and says so.
//
// All methods may be called concurrently. One Timers at a time may use a State. When writing fails it is not known
// whether it was written: the next call reads the rows anew and goes by them.
//
// A clock that jumps ahead makes timers late; one that goes back makes none fire again. What was set, or moved on, by a
// clock that was ahead by more than an hour goes by the time of now until that clock is reached.
type Timers struct {
	shelf  shelf[*timer]
	limits TimerOptions
}

// TimerOptions are how many timers there may be and how they are read. The zero value is ready for use.
type TimerOptions struct {
	Location      *time.Location // whose clock once and cron go by; nil means [time.Local]
	MaxPerSession int            // timers that one session may have; 0 means 20
	MaxTotal      int            // timers that all persona sessions may have together, the agent's as many again; 0 means 1000
	MaxPayload    int            // characters of a payload; 0 means 1000
}

// A Timer is a time to wake, and with what.
type Timer struct {
	ID      string    `json:"-"`
	Spec    string    `json:"spec"`              // as [ParseTimer] reads it
	Payload string    `json:"payload,omitempty"` // what to think of then; data, like every text of a model
	Origin  Origin    `json:"maker,omitzero"`    // who made it, and with whose rights it runs
	Allowed Grant     `json:"allowed,omitzero"`  // what it may use beyond them
	Created time.Time `json:"created"`
	Next    time.Time `json:"next,omitzero"`  // zero for one that fires no more
	Fired   int       `json:"fired,omitzero"` // how often it has
}

// A Firing is a timer whose time has come.
type Firing struct {
	ID    string    // of this firing, unique for ever: make an errand of it. For [Timers.Done]
	Timer Timer     // as it was set; Next is when it fires again
	At    time.Time // when it should have fired
	Late  bool      // a minute or more ago, or the program died while it ran
}

// What can be wrong with a timer or a task.
var (
	ErrPast     = errors.New("persona: this time is over")
	ErrTooMany  = errors.New("persona: there are too many already")
	ErrTooLong  = errors.New("persona: this text is too long")
	ErrNotFound = errors.New("persona: there is none of this id") // or none that may be seen
	ErrNotUTF8  = errors.New("persona: this text is not UTF-8")
)

const (
	lateAfter = time.Minute
	ahead     = time.Hour // by more than this, the clock was wrong
	maxStarts = 3         // how often one thing is given out that the program dies of
)

// A timer is a row, and what is known of it only now.
type timer struct {
	timerRow
	spec TimerSpec
	at   time.Time // when it is due: its note's time, or Next, or what stands in for it; zero means never
	live bool      // what its note tells of was given out in this life of the program
	lent bool      // at stands in for a Next that a clock made that was ahead
}

type timerRow struct {
	Timer
	Moved  time.Time `json:"moved"`           // when Next was found
	Zone   string    `json:"zone"`            // by whose clock
	Firing time.Time `json:"firing,omitzero"` // the note: when what was given out, and is not done, should have fired
	Starts int       `json:"starts,omitzero"` // how often that was given out
}

func (t *timer) key() string { return t.ID }
func (t *timer) row() any    { return t.timerRow }

// compare puts what is due first in front, and what never is at the end.
func (t *timer) compare(u *timer) int {
	if t.at.IsZero() != u.at.IsZero() {
		if t.at.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(t.at.Compare(u.at), cmp.Compare(len(t.ID), len(u.ID)), cmp.Compare(t.ID, u.ID))
}

// NewTimers keeps timers in s. It reads nothing yet; call [Timers.Restore] before anything else.
func NewTimers(s persona.State, o TimerOptions) *Timers {
	o.Location = cmp.Or(o.Location, time.Local)
	o.MaxPerSession, o.MaxTotal, o.MaxPayload = cmp.Or(o.MaxPerSession, 20), cmp.Or(o.MaxTotal, 1000), cmp.Or(o.MaxPayload, 1000)
	t := &Timers{limits: o}
	t.shelf = shelf[*timer]{state: s, prefix: "timer/", letter: "t", read: t.read, writer: make(chan struct{}, 1)}
	return t
}

// Restore reads the rows, and tells of those that cannot be read.
func (t *Timers) Restore(ctx context.Context) ([]*RowError, error) {
	return t.shelf.resume(ctx)
}

// Set makes a timer for the turn that asks for it. It gives [ErrPast] for a time that is over, [ErrTooMany] when the
// session, or all together, have as many as they may, [ErrTooLong] for a payload that is, and [ErrTimerSpec]. A human was shown
// spec and payload, and allowed the tools.
func (t *Timers) Set(ctx context.Context, now time.Time, m Origin, spec, payload string, tools ...string) (Timer, error) {
	now = local(now, t.limits.Location)
	parsed, err := ParseTimer(spec)
	if err != nil {
		return Timer{}, err
	}
	if err := cmp.Or(m.check(), checkText(payload, t.limits.MaxPayload)); err != nil {
		return Timer{}, err
	}
	next, ok := parsed.Next(now, t.limits.Location)
	if !ok {
		return Timer{}, fmt.Errorf("%w: %s", ErrPast, parsed)
	}
	var made Timer
	err = t.shelf.change(ctx, func(c *shelving[*timer]) error {
		if err := t.room(c.all, m); err != nil {
			return err
		}
		made = Timer{ID: c.newID(), Spec: parsed.String(), Payload: payload, Origin: m, Allowed: grant(tools, parsed.String(), payload), Created: now, Next: next}
		c.set(&timer{timerRow: timerRow{Timer: made, Moved: now, Zone: t.limits.Location.String()}, spec: parsed, at: next})
		return nil
	})
	if err != nil {
		return Timer{}, err
	}
	return made, nil
}

func (t *Timers) room(all []*timer, m Origin) error {
	here, mode := 0, 0
	for _, other := range all {
		if other.Origin.place() == m.place() {
			here++
		}
		if other.Origin.Mode == m.Mode {
			mode++
		}
	}
	switch {
	case here >= t.limits.MaxPerSession:
		return fmt.Errorf("%w: %d timers in this session", ErrTooMany, here)
	case mode >= t.limits.MaxTotal:
		return fmt.Errorf("%w: %d timers", ErrTooMany, mode)
	}
	return nil
}

// Cancel removes a timer, also one that is firing. It gives [ErrNotFound] where there is none that m's turn may see.
func (t *Timers) Cancel(ctx context.Context, m Origin, id string) error {
	return t.shelf.change(ctx, func(c *shelving[*timer]) error {
		old, ok := c.find(id)
		if !ok || !m.sees(old.Origin) {
			return ErrNotFound
		}
		c.remove(id)
		return nil
	})
}

// List gives the timers that m's turn may see and that will fire, the next one first: the agent's turn sees all, a
// persona's those made in its chat. It knows nothing before [Timers.Restore].
func (t *Timers) List(m Origin) []Timer {
	var list []Timer
	for _, v := range t.shelf.view() {
		if !v.at.IsZero() && m.sees(v.Origin) {
			list = append(list, v.Timer)
		}
	}
	return list
}

// Next says when a timer is due, if one ever is. Call [Timers.Due] then, and after every step of the clock: often
// enough to notice one. It knows nothing before [Timers.Restore].
func (t *Timers) Next() (time.Time, bool) {
	all := t.shelf.view()
	if len(all) == 0 || all[0].at.IsZero() {
		return time.Time{}, false
	}
	return all[0].at, true
}

// Due yields what is due at now, the longest due first, each timer at most once. Each is moved on durably before it is
// yielded: start an errand of it, and call [Timers.Done]. An error ends the loop. Breaking out of it leaves the rest
// for the next time; the other methods may be called inside it.
func (t *Timers) Due(ctx context.Context, now time.Time) iter.Seq2[Firing, error] {
	now = now.Round(0)
	return func(yield func(Firing, error) bool) {
		if err := t.shelf.change(ctx, func(c *shelving[*timer]) error { t.lend(c, now); return nil }); err != nil {
			yield(Firing{}, err)
			return
		}
		for {
			var f *Firing
			err := t.shelf.change(ctx, func(c *shelving[*timer]) error {
				if len(c.all) > 0 && !c.all[0].at.IsZero() && !c.all[0].at.After(now) {
					f = t.fire(c, c.all[0], now) // its next time is after now
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

// fire moves a timer on and gives what is to be done.
func (t *Timers) fire(c *shelving[*timer], old *timer, now time.Time) *Firing {
	next := *old
	next.live, next.lent = true, false
	f := &Firing{At: old.at}
	again := !old.Firing.IsZero() && !old.live
	if again && (old.Next.IsZero() || old.Next.After(now)) {
		next.Starts++ // the program died before this was done
	} else {
		next.Next, next.Moved, next.Firing, next.Starts = time.Time{}, now, old.at, 1
		next.Fired++
		if next.spec.Repeats() {
			next.Next, _ = next.spec.Next(now, t.limits.Location)
		}
	}
	next.at = next.Next
	if next.Starts >= maxStarts {
		next.Firing, next.Starts = time.Time{}, 0 // the last try: it is not given again
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

// Done says that what fired is dealt with, or is an errand now and will be. It is not given again, and a timer that
// fires no more is gone. One that is not known is left as it is.
func (t *Timers) Done(ctx context.Context, fired string) error {
	id, n, _ := strings.Cut(strings.TrimPrefix(fired, "timer/"), "/")
	return t.shelf.change(ctx, func(c *shelving[*timer]) error {
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
		if !next.lent {
			next.at = next.Next
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
		return fmt.Errorf("%w: %d characters at most", ErrTooLong, most)
	}
	return nil
}
