package heartflow

import (
	"container/heap"
	"time"
)

// A Change is a chat, or the whole account, that is perceived in another way than when [Attention.Due] last told.
type Change[K comparable] struct {
	Chat K
	All  bool // the account went Offline, or came back: every chat is now Offline (Observing); Chat is zero
	From State
	To   State
	At   time.Time // when it became so
}

// Next returns when [Attention.Due] has something to tell, which may be in the past; false: not before something is
// observed, said, or done.
func (a *Attention[K]) Next() (time.Time, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := forever
	if len(a.live) > 0 {
		next = a.live[0].due
	}
	if a.asleep {
		next = min(next, a.wakeAt)
	}
	if len(a.changed) > 0 || a.asleep != a.toldAsleep {
		next = a.now
	}
	return next.time(a.loc), next != forever
}

// Due lets happen what is due at now, and returns what has changed since the last Due, the account first, then chats in
// the order of their first change. A chat that changed and changed back is not among them. Nobody has to call it: every
// method first lets happen what is due.
func (a *Attention[K]) Due(now time.Time) []Change[K] {
	var out outbox
	a.enter(now, &out)
	defer a.leave(&out)
	var list []Change[K]
	if a.asleep != a.toldAsleep {
		ch := Change[K]{All: true, From: Observing, To: Offline, At: a.sleptAt.time(a.loc)}
		if a.toldAsleep {
			ch.From, ch.To = Offline, Observing
		}
		list = append(list, ch)
		a.toldAsleep = a.asleep
		for _, c := range a.changed {
			c.told = Observing // all others are Observing already
		}
	}
	for _, c := range a.changed {
		if c.state != c.told {
			list = append(list, Change[K]{Chat: c.key, From: c.told, To: c.state, At: c.since.time(a.loc)})
			c.told = c.state
		}
		c.marked = false
	}
	clear(a.changed)
	a.changed = a.changed[:0]
	return list
}

// settle lets happen what is due, in the order of time.
func (a *Attention[K]) settle(out *outbox) {
	if a.asleep && a.wakeAt <= a.now {
		a.wake(a.wakeAt, out)
	}
	for len(a.live) > 0 && a.live[0].due <= a.now {
		c := a.live[0]
		why := []Code{WhyActiveOver}
		if c.state == Summoned {
			why[0] = WhyLapsed
		}
		a.reconsider(c, c.due, why, out)
	}
}

// reconsider brings the state of c up to date, and with it when that ends.
func (a *Attention[K]) reconsider(c *chat[K], at tick, why []Code, out *outbox) {
	if s := c.stateAt(at); s != c.state {
		c.state, c.since = s, at
		if s == Observing {
			c.topic = nil
		}
		a.mark(c)
		a.record(c, &Trace{At: at.time(a.loc), Kind: KindState, State: a.stateOf(c, at), Why: why, Next: a.next(c, at, "")}, out)
	}
	a.live.set(c, c.deadline(at))
}

// mark puts c among those that Due tells of.
func (a *Attention[K]) mark(c *chat[K]) {
	if !c.marked {
		c.marked = true
		a.changed = append(a.changed, c)
	}
}

// deadline is when the state that c has at t ends by itself; 0: not.
func (c *chat[K]) deadline(t tick) tick {
	switch c.stateAt(t) {
	case Summoned:
		return c.summoned
	case Active:
		return c.active
	}
	return 0
}

// A live list is a heap of the chats that have a deadline, the earliest on top.
type live[K comparable] []*chat[K]

// set gives c that deadline; 0 takes it out.
func (l *live[K]) set(c *chat[K], due tick) {
	switch {
	case due == 0:
		l.remove(c)
	case c.slot < 0:
		c.due = due
		heap.Push(l, c)
	case c.due != due:
		c.due = due
		heap.Fix(l, c.slot)
	}
}

func (l *live[K]) remove(c *chat[K]) {
	if c.slot >= 0 {
		heap.Remove(l, c.slot)
	}
}

func (l live[K]) Len() int { return len(l) }
func (l live[K]) Less(i, j int) bool {
	if l[i].due != l[j].due {
		return l[i].due < l[j].due
	}
	return l[i].n < l[j].n
}
func (l live[K]) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].slot, l[j].slot = i, j
}

// Push implements [heap.Interface].
func (l *live[K]) Push(x any) {
	c := x.(*chat[K])
	c.slot = len(*l)
	*l = append(*l, c)
}

// Pop implements [heap.Interface].
func (l *live[K]) Pop() any {
	last := len(*l) - 1
	c := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	c.slot = -1
	return c
}
