package loop

import "time"

// A clock turns readings of the system's clock into wall time that is never slower than the
// monotonic clock.
type clock struct {
	last time.Time // the last reading, with its monotonic part
	now  time.Time // what was answered to it
}

func (c *clock) read(t time.Time) time.Time {
	wall := t.Round(0)
	if !c.last.IsZero() {
		wall = steady(c.now, t.Sub(c.last), wall)
	}
	c.last, c.now = t, wall
	return wall
}

// steady is wall, or what prev has become after elapsed where wall has been set back.
func steady(prev time.Time, elapsed time.Duration, wall time.Time) time.Time {
	if on := prev.Add(elapsed); wall.Before(on) {
		return on
	}
	return wall
}
