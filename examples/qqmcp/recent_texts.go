package main

import (
	"slices"
	"time"
)

const (
	repeatTime = time.Minute
	maxRepeats = 50
)

// recentTexts are the texts sent to a chat in the last minute.
type recentTexts []recentText

type recentText struct {
	text string
	at   time.Time
}

// remaining returns the time for which a text is still rejected as a repetition, or 0.
func (r *recentTexts) remaining(now time.Time, text string) time.Duration {
	*r = slices.DeleteFunc(*r, func(s recentText) bool { return now.Sub(s.at) >= repeatTime })
	text = normalizeText(text)
	for _, s := range *r {
		if s.text == text {
			return repeatTime - now.Sub(s.at)
		}
	}
	return 0
}

func (r *recentTexts) add(now time.Time, text string) {
	*r = append(*r, recentText{normalizeText(text), now})
	*r = slices.Delete(*r, 0, max(len(*r)-maxRepeats, 0))
}

// forget removes a text that was not sent.
func (r *recentTexts) forget(text string) {
	text = normalizeText(text)
	*r = slices.DeleteFunc(*r, func(s recentText) bool { return s.text == text })
}
