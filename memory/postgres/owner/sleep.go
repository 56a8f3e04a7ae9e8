package owner

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A sleepError is returned by SleepUntil.
type sleepError struct{ until time.Time }

// Error says when the bot shall be woken.
func (e sleepError) Error() string {
	if e.until.IsZero() {
		return "owner: the bot sleeps until it is woken"
	}
	return fmt.Sprintf("owner: the bot sleeps until %v", e.until.Format(time.RFC3339))
}

// SleepUntil returns the error by which Options.Act tells [Run] that its bot has nothing to do until t; the zero time: until an event
// comes. Then no process has a goroutine or a lease for the bot. The process that prefers it calls Act again at t, or before, when the
// relay of memory/postgres stores an event of its account or the account connects. An event that was stored before, and is not
// handled, prevents the sleep.
func SleepUntil(t time.Time) error { return sleepError{t} }

// duration returns how long the bot sleeps.
func (e sleepError) duration() time.Duration {
	if e.until.IsZero() {
		return 1<<63 - 1
	}
	return max(0, time.Until(e.until))
}

// restOf returns how long a being sleeps, if the action is Sleep.
func (b *being) restOf(k Kind, now time.Time) time.Duration {
	if k != Sleep {
		return 0
	}
	return max(0, b.wake.Sub(now))
}

// rest notes that a being sleeps for another while. Unless it wakes soon, it is forgotten until it is woken.
func (c *Core) rest(name string, left time.Duration) {
	if left > c.t.Renew+c.t.Retry { // a Join lists it before
		c.remove(name)
		return
	}
	b := c.beings[name]
	b.next, b.held = c.now.Add(left), false
	if left > 0 {
		b.next = b.next.Add(c.t.Valid / 500) // the clocks of the database and of this process differ in their pace
	}
}

// choose notes which beings this process should have, and forgets those that sleep or that others should have.
func (c *Core) choose(asleep map[string]time.Duration) {
	chosen := make([]*being, 0, len(c.order))
	for _, name := range c.names {
		b := c.beings[name]
		left, sleeps := asleep[name]
		sleeps = sleeps && left > c.t.Renew+c.t.Retry
		if b == nil && sleeps {
			continue
		}
		mine := Prefer(name, c.members) == c.id
		switch {
		case b == nil && mine:
			b = &being{name: name, next: c.now.Add(left)}
			c.beings[name] = b
		case b == nil:
			continue
		case !b.busy() && (!mine || sleeps && !b.hinted):
			delete(c.beings, name)
			continue
		}
		b.mine, b.hinted = mine, false
		chosen = append(chosen, b)
	}
	c.order = chosen
}

// busy reports whether this process has the lease of the being, acts for it or asks for it.
func (b *being) busy() bool { return b.acting || b.epoch != 0 || b.asked != "" }

func (c *Core) knows(name string) bool {
	_, known := slices.BinarySearch(c.names, name)
	return known
}

// add returns a being that this process should have.
func (c *Core) add(name string) *being {
	b := &being{name: name, mine: true, next: c.now}
	c.beings[name] = b
	at, _ := slices.BinarySearchFunc(c.order, name, compareName)
	c.order = slices.Insert(c.order, at, b)
	return b
}

func (c *Core) remove(name string) {
	delete(c.beings, name)
	if at, found := slices.BinarySearchFunc(c.order, name, compareName); found {
		c.order = slices.Delete(c.order, at, at+1)
	}
}

func compareName(b *being, name string) int { return cmp.Compare(b.name, name) }
