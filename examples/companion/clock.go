package main

import (
	"cmp"
	"fmt"
	"regexp"
	"time"
)

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

// spec returns the simulated duration of a timer, such as 1小时30分 for "4s". Other specs, such as times of day, stay the same.
func (c clock) spec(real string) string {
	d, err := time.ParseDuration(real)
	if err != nil {
		return real
	}
	d = time.Duration(float64(d) * c.speed).Round(time.Second)
	part := func(n int, unit string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n, unit)
	}
	return cmp.Or(part(int(d.Hours()), "小时")+part(int(d.Minutes())%60, "分")+part(int(d.Seconds())%60, "秒"), "0秒")
}

var dateAndTime = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?`)

// text converts the real times in a text of the bot, such as 2026-11-24 01:34, to simulated ones.
func (c clock) text(text string) string {
	return dateAndTime.ReplaceAllStringFunc(text, func(s string) string {
		layout := time.DateTime[:len(s)]
		at, err := time.ParseInLocation(layout, s, c.began.Location())
		if err != nil || c.speed == 1 {
			return s
		}
		return c.at(at).Format(layout)
	})
}
