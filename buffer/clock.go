package buffer

import (
	"math"
	"time"
)

// Internally an instant is a number of nanoseconds since the first time that the buffer received. It has a third of
// the size of a time.Time and is compared in one instruction. The range is 292 years in both directions.
const (
	never   = math.MaxInt64 // later than every deadline
	horizon = never - 1     // the latest deadline
	latest  = never - 2     // the latest current time, so that a deadline at the horizon never passes
)

// A clock converts between the caller's times and instants. It never goes back.
type clock struct {
	epoch time.Time // the first time received, without its monotonic part
	sec   int64     // epoch in Unix seconds
	began bool
	now   int64
}

// tick advances the clock to now. A time before the latest one counts as the latest one.
func (c *clock) tick(now time.Time) int64 {
	if !c.began {
		c.epoch, c.sec, c.began = now.Round(0), now.Unix(), true
	}
	c.now = max(c.now, c.instant(now))
	return c.now
}

// instant converts t, even if it is before the latest time. It takes a third of the time of t.Sub(epoch), because it
// ignores the monotonic part.
func (c *clock) instant(t time.Time) int64 {
	const second, reach = int64(time.Second), latest/int64(time.Second) - 1
	sec := t.Unix() - c.sec
	if sec > reach {
		return latest
	}
	return max(sec, -reach)*second + int64(t.Nanosecond()-c.epoch.Nanosecond())
}

func (c *clock) time(at int64) time.Time { return c.epoch.Add(time.Duration(at)) }

// later returns at+d for d ≥ 0, capped at horizon.
func later(at, d int64) int64 {
	if d > horizon-max(at, 0) {
		return horizon
	}
	return at + d
}
