package engine

import (
	"context"
	"time"
)

// A Due is documented in package social.
type Due struct {
	Busy string
	At   time.Time
}

// DueAt returns the Due of work that is stored and begins at t. The zero Due follows if there is none.
func DueAt(t time.Time, ok bool) (d Due) {
	if ok {
		d.At = t
	}
	return d
}

// BusyUntil returns the Due of something that only memory knows until t. The zero Due follows if there is none.
func BusyUntil(what string, t time.Time, ok bool) (d Due) {
	if ok {
		d.Busy, d.At = what, t
	}
	return d
}

// add joins another Due: the first reason to run on, and the earliest time.
func (d *Due) add(o Due) {
	if d.Busy == "" {
		d.Busy = o.Busy
	}
	if d.At.IsZero() || !o.At.IsZero() && o.At.Before(d.At) {
		d.At = o.At
	}
}

// NextDue is documented in package social.
func NextDue(ctx context.Context, e *Engine, now time.Time) (d Due, err error) {
	select {
	case <-e.life.ready: // also after the end of Run
	default:
		if err := e.AwaitStart(ctx); err != nil {
			return d, err
		}
	}
	switch {
	case e.Buffer.Busy():
		d.Busy = "messages wait or are handled"
	case e.Counters.doing.Load() > 0:
		d.Busy = "a turn runs"
	case len(e.unconfirmed.chats()) > 0:
		d.Busy = "it is unclear whether a message was sent"
	case e.Jobs.Unfinished() > 0:
		d.Busy = "a job waits"
	case e.gaps.pending() || fillsGap(e, now):
		d.Busy = "the history is read"
	}
	next, ok := e.Attention.Next()
	if IsAsleep(e.Attention, now) {
		d.add(DueAt(next, ok))
	} else {
		d.add(BusyUntil("attention waits", next, ok))
	}
	for _, p := range e.parts {
		if p.Due == nil {
			continue
		}
		one, err := p.Due(ctx, now)
		if err != nil {
			return d, err
		}
		d.add(one)
	}
	return d, nil
}

// maxFill is the time after a connection in which a gap is filled. One that is open longer cannot be read.
const maxFill = 10 * time.Minute

// fillsGap reports whether messages of before the connection may be missing in a chat, and may still be read.
func fillsGap(e *Engine, now time.Time) bool {
	for _, c := range e.Chats() {
		if e.Link.connectedWithin(c.ID.Platform, now, maxFill) && c.hasGap() {
			return true
		}
	}
	return false
}

func (c *Chat) hasGap() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.known.Gap() != 0
}

// connectedWithin reports whether a platform was connected in the last d.
func (c *connection) connectedWithin(platform string, now time.Time, d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	since, ok := c.since[platform]
	return ok && c.online[platform] && now.Sub(since) < d
}
