package main

import "time"

// A clock converts between real time and the faster simulated time of a demo day. The bot runs in real time: [clock.scaled]
// shortens its delays, and [clock.at] converts times for display. At speed 1 both times are equal.
type clock struct {
	began time.Time // real time
	day   time.Time // simulated time at began
	speed float64
}

// morning is the time of day at which the demo begins.
const morning = 7 * time.Hour

func newClock(now time.Time, speed float64, demo bool) clock {
	c := clock{began: now.Round(0), day: now.Round(0), speed: speed}
	if demo {
		y, m, d := now.Date()
		c.day = time.Date(y, m, d, 0, 0, 0, 0, now.Location()).Add(morning)
	}
	return c
}

// at returns the simulated time at t.
func (c clock) at(t time.Time) time.Time {
	return c.day.Add(time.Duration(float64(t.Round(0).Sub(c.began)) * c.speed)).Round(time.Second)
}

// when returns the real time of a simulated time after the start.
func (c clock) when(after time.Duration) time.Time {
	return c.began.Add(c.scaled(after))
}

// scaled returns the real duration of a simulated one.
func (c clock) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / c.speed) }
