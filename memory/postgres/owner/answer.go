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
		b.held = r.Fenced
		freed := b.freed
		if b.freed = false; freed {
			b.next = c.now
		}
		if r.Sleeps && !freed {
			c.rest(a.Being, r.Left)
		}
		if r.Epoch == 0 {
			break
		}
		b.epoch, b.until, b.next, b.fenced = r.Epoch, c.safe(a), a.sent.Add(c.t.Renew), false
		if b.until.After(c.now) && c.mayClaim(b) { // otherwise it is released
			b.acting, b.stopped, b.ready, b.started = true, false, false, c.now
			b.leave, b.pull = time.Time{}, time.Time{}
			b.sleeps = false
			return append([]Action{{Kind: Start, Being: a.Being, Epoch: b.epoch, sent: c.now}}, c.Due(now)...)
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
	case Sleep: // if it failed, the being may be awake, and the lease ends by itself
		freed := b.freed
		b.asked, b.epoch, b.until, b.sleeps, b.freed = "", 0, time.Time{}, false, false
		b.next = c.now.Add(c.t.Retry)
		switch {
		case freed:
			b.next = c.now
		case r.Sleeps:
			c.rest(a.Being, r.Left)
		}
		if soonest := b.started.Add(c.t.Retry); b.next.Before(soonest) { // a bot that sleeps although something waits for it
			b.next = soonest
		}
	case Start:
		b.acting = false
		b.sleeps, b.wake = r.Sleeps, c.now.Add(r.Left)
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
	c.choose(r.Asleep)
}
