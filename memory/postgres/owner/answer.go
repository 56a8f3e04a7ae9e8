package owner

import "time"

// Answer takes the result of an action, and returns what shall be done now, as Due does.
func (c *Core) Answer(now time.Time, a Action, r Result) []Action {
	c.advance(now)
	b := c.beings[a.Being]
	switch a.Kind {
	case Join:
		c.answerJoin(a, r)
	case Leave:
		c.leaving, c.left, c.joined = false, true, time.Time{} // if it failed, the membership ends by itself
	case Claim:
		b.asked = ""
		b.next = c.now.Add(c.soon(r, c.t.Retry))
		if b.freed {
			b.next, b.freed = c.now, false
		}
		b.held = r.Fenced
		if r.Epoch == 0 {
			break
		}
		b.epoch, b.until, b.next, b.fenced = r.Epoch, c.safe(a), a.sent.Add(c.t.Renew), false
		if b.until.After(c.now) && c.mayClaim(b) { // otherwise it is released
			b.acting, b.stopped, b.ready, b.started = true, false, false, c.now
			b.leave, b.pull = time.Time{}, time.Time{}
			return append([]Action{{Start, a.Being, b.epoch, c.now}}, c.Due(now)...)
		}
	case Renew:
		b.asked = ""
		b.next = c.now.Add(c.t.Retry)
		switch {
		case r.Fenced:
			b.fenced = true
		case !r.Failed:
			b.until, b.next = c.safe(a), a.sent.Add(c.t.Renew)
		}
	case Release: // if it failed, the lease ends by itself
		b.asked, b.epoch, b.until = "", 0, time.Time{}
	case Start:
		b.acting = false
		if r.Failed {
			b.next = c.now.Add(c.t.Renew)
		} else {
			b.next = c.now.Add(c.t.Retry)
		}
	}
	return c.Due(now)
}

// safe returns until when the lease of a request is valid for sure: the database extended it after the request was sent.
func (c *Core) safe(a Action) time.Time { return a.sent.Add(c.t.Valid - c.t.Margin) }

// soon returns when to ask again: just after something of another process ends, and after d at the latest.
func (c *Core) soon(r Result, d time.Duration) time.Duration {
	if r.Left > 0 {
		return min(d, r.Left+c.t.Valid/500)
	}
	return d
}

func (c *Core) answerJoin(a Action, r Result) {
	again := c.again
	c.joining, c.again = false, false
	c.join = c.now.Add(c.t.Retry)
	if r.Failed || r.Fenced {
		return
	}
	c.joined, c.join = c.safe(a), a.sent.Add(c.t.Renew)
	if soon := c.now.Add(c.soon(r, c.t.Renew)); soon.Before(c.join) {
		c.join = soon
	}
	if again {
		c.join = c.now
	}
	c.members = r.Members
	for name, b := range c.beings {
		b.mine = Prefer(name, c.members) == c.id
	}
}
