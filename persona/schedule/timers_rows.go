package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"github.com/hearth-bot/hearth/persona"
	"time"
)

// read makes a timer of its row.
func (t *Timers) read(id string, row []byte, known *timer) (*timer, bool, error) {
	v := new(timer)
	if err := json.Unmarshal(row, &v.timerRow); err != nil {
		return nil, false, err
	}
	v.ID = id
	var err error
	if v.spec, err = ParseTimer(v.Spec); err != nil {
		return nil, false, err
	}
	if v.Next.IsZero() && v.Firing.IsZero() {
		return nil, false, errors.New("a timer that never fires")
	}
	loc := t.limits.Location
	v.Created, v.Next, v.Firing = local(v.Created, loc), local(v.Next, loc), local(v.Firing, loc)
	if v.Zone != loc.String() && !v.Next.IsZero() && v.spec.Repeats() {
		v.Zone = loc.String() // the being has moved
		v.Next, _ = v.spec.Next(v.Moved, loc)
	}
	v.live = known != nil && known.live && known.Fired == v.Fired
	v.at = v.Next
	if !v.Firing.IsZero() && !v.live {
		v.at = v.Firing
	}
	if known != nil && known.lent && known.Fired == v.Fired {
		v.at, v.lent = known.at, true
	}
	return v, false, nil
}

// local gives t by the clock of loc; the zero time stays as it is.
func local(t time.Time, loc *time.Location) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).In(loc)
}

// lend gives timers whose next time was found by a clock that was far ahead of now one that stands in for it, and takes
// it back when that clock has been reached. It changes no row, for it may be now that is wrong.
func (t *Timers) lend(c *shelving[*timer], now time.Time) {
	limit := now.Add(ahead)
	for _, old := range c.all {
		far := old.Moved.After(limit)
		switch {
		case old.lent && !far:
			c.quiet[old.ID] = old.due(old.Next, false)
		case old.lent || !far || old.Next.IsZero() || !old.at.Equal(old.Next):
		case old.spec.kind == specDelay:
			c.quiet[old.ID] = old.due(now.Add(old.Next.Sub(old.Moved)), true)
		case old.spec.kind == specCron:
			at, _ := old.spec.Next(now, t.limits.Location)
			c.quiet[old.ID] = old.due(at, true)
		}
	}
}

// due gives the timer with another time to be due at.
func (t *timer) due(at time.Time, lent bool) *timer {
	next := *t
	next.at, next.lent = at, lent
	return &next
}

// EraseChat removes the timers that were made in a chat.
func (t *Timers) EraseChat(ctx context.Context, chat persona.Chat) error {
	return t.shelf.forget(ctx, func(v *timer) bool { return v.Origin.Mode == persona.Persona && v.Origin.Chat == chat })
}

// ErasePerson removes the timers that were made on somebody's behalf, likewise [Tasks.ErasePerson].
func (t *Timers) ErasePerson(ctx context.Context, who persona.Account) error {
	return t.shelf.forget(ctx, func(v *timer) bool { return v.Origin.isOf(who) })
}
