package buffer

import (
	"math"
	"time"
)

// Inside, an instant is a number of nanoseconds since the first time that the buffer was told: a
// third of the size of a time.Time, and compared in one instruction. It reaches 292 years either way.
const (
	never   = math.MaxInt64 // later than everything
	horizon = never - 1     // the latest deadline
	latest  = never - 2     // the latest now, so that a deadline on the horizon never comes
)

// A clock turns the caller's times into instants and back, and never goes back itself.
type clock struct {
	epoch time.Time // the first time told, without monotonic part
	sec   int64     // epoch in seconds since 1970
	began bool
	now   int64
}

// tick takes the caller's now. A step back counts as the latest time seen.
func (c *clock) tick(now time.Time) int64 {
	if !c.began {
		c.epoch, c.sec, c.began = now.Round(0), now.Unix(), true
	}
	c.now = max(c.now, c.instant(now))
	return c.now
}

// instant is t as it is, also when it lies before the latest time seen. It costs a third of what
// t.Sub(epoch) does, which has to think of the monotonic part.
func (c *clock) instant(t time.Time) int64 {
	const second, reach = int64(time.Second), latest/int64(time.Second) - 1
	sec := t.Unix() - c.sec
	if sec > reach {
		return latest
	}
	return max(sec, -reach)*second + int64(t.Nanosecond()-c.epoch.Nanosecond())
}

func (c *clock) time(at int64) time.Time { return c.epoch.Add(time.Duration(at)) }

// later is at+d for d ≥ 0, at most horizon.
func later(at, d int64) int64 {
	if d > horizon-max(at, 0) {
		return horizon
	}
	return at + d
}
