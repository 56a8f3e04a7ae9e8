package main

import (
	"slices"
	"time"
)

const (
	repeatTime = time.Minute
	maxRepeats = 50
)

// repeats are what was sent to a chat within the last minute.
type repeats []repeated

type repeated struct {
	text string
	at   time.Time
}

// left is for how long a text is still refused; 0 when it is not.
func (r *repeats) left(now time.Time, text string) time.Duration {
	*r = slices.DeleteFunc(*r, func(s repeated) bool { return now.Sub(s.at) >= repeatTime })
	text = fold(text)
	for _, s := range *r {
		if s.text == text {
			return repeatTime - now.Sub(s.at)
		}
	}
	return 0
}

func (r *repeats) add(now time.Time, text string) {
	*r = append(*r, repeated{fold(text), now})
	*r = slices.Delete(*r, 0, max(len(*r)-maxRepeats, 0))
}

// forget takes a text back that was not sent after all.
func (r *repeats) forget(text string) {
	text = fold(text)
	*r = slices.DeleteFunc(*r, func(s repeated) bool { return s.text == text })
}
