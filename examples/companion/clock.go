package main

import "time"

// A clock shows the time of a day that passes faster than it should. The being itself lives on the wall clock: what it
// waits for is shortened by [clock.scaled], and what it did is shown at [clock.at]. At speed 1 the two are one.
type clock struct {
	began time.Time // by the wall clock
	day   time.Time // what the clock showed then
	speed float64
}

// morning is when the demo's day begins.
const morning = 7 * time.Hour

func newClock(now time.Time, speed float64, demo bool) clock {
	c := clock{began: now.Round(0), day: now.Round(0), speed: speed}
	if demo {
		y, m, d := now.Date()
		c.day = time.Date(y, m, d, 0, 0, 0, 0, now.Location()).Add(morning)
	}
	return c
}

// at is what the clock shows at a moment.
func (c clock) at(t time.Time) time.Time {
	return c.day.Add(time.Duration(float64(t.Round(0).Sub(c.began)) * c.speed)).Round(time.Second)
}

// when is the moment at which it shows so much after the morning.
func (c clock) when(after time.Duration) time.Time {
	return c.began.Add(c.scaled(after))
}

// scaled is how long a time of the day takes.
func (c clock) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / c.speed) }
