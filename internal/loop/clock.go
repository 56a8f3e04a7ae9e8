package loop

import "time"

// A clock converts readings of the system clock to wall time that is never slower than the monotonic clock.
type clock struct {
	last time.Time // the last reading, with its monotonic part
	now  time.Time // the result for it
}

func (c *clock) read(t time.Time) time.Time {
	wall := t.Round(0)
	if !c.last.IsZero() {
		wall = steady(c.now, t.Sub(c.last), wall)
	}
	c.last, c.now = t, wall
	return wall
}

// steady returns wall, or prev+elapsed if the wall clock was set back.
func steady(prev time.Time, elapsed time.Duration, wall time.Time) time.Time {
	if on := prev.Add(elapsed); wall.Before(on) {
		return on
	}
	return wall
}
