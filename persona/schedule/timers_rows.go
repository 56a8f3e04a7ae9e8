package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// read parses a row.
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
		return nil, false, errors.New("the timer never fires")
	}
	loc := t.options.Location
	v.Created, v.Next, v.Firing = local(v.Created, loc), local(v.Next, loc), local(v.Firing, loc)
	if v.Zone != loc.String() && !v.Next.IsZero() && v.spec.Repeats() {
		v.Zone = loc.String() // the time zone of the bot changed
		v.Next, _ = v.spec.Next(v.Moved, loc)
	}
	v.started = known != nil && known.started && known.Fired == v.Fired
	v.due = v.Next
	if !v.Firing.IsZero() && !v.started {
		v.due = v.Firing
	}
	if known != nil && known.replaced && known.Fired == v.Fired {
		v.due, v.replaced = known.due, true
	}
	return v, false, nil
}

// local returns t in loc. The zero time stays zero.
func local(t time.Time, loc *time.Location) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).In(loc)
}

// adaptToClock sets a replacement time for timers with a next time from a clock that was far ahead. It removes the replacement
// when that clock is reached. It changes no row, because now may be the wrong clock.
func (t *Timers) adaptToClock(c *tableChange[*timer], now time.Time) {
	limit := now.Add(maxClockSkew)
	for _, old := range c.all {
		far := old.Moved.After(limit)
		switch {
		case old.replaced && !far:
			c.memoryOnly[old.ID] = old.withDue(old.Next, false)
		case old.replaced || !far || old.Next.IsZero() || !old.due.Equal(old.Next):
		case old.spec.kind == specDelay:
			c.memoryOnly[old.ID] = old.withDue(now.Add(old.Next.Sub(old.Moved)), true)
		case old.spec.kind == specCron:
			at, _ := old.spec.Next(now, t.options.Location)
			c.memoryOnly[old.ID] = old.withDue(at, true)
		}
	}
}

// withDue returns the timer with another due time.
func (t *timer) withDue(at time.Time, lent bool) *timer {
	next := *t
	next.due, next.replaced = at, lent
	return &next
}

// EraseChat removes all timers that were created in a chat.
func (t *Timers) EraseChat(ctx context.Context, chat persona.Chat) error {
	return t.table.remove(ctx, func(v *timer) bool { return v.Origin.Mode == persona.Persona && v.Origin.Chat == chat })
}

// ErasePerson removes all timers of a person. See [Tasks.ErasePerson].
func (t *Timers) ErasePerson(ctx context.Context, who persona.Account) error {
	return t.table.remove(ctx, func(v *timer) bool { return v.Origin.belongsTo(who) })
}
