package hfc

import (
	"encoding/json"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// classical is the state of [Classical].
type classical struct {
	o WillingnessOptions
	s savedClassical
}

type savedClassical struct {
	Willing   float64      `json:",omitempty"`
	At        tick.Tick    `json:",omitempty"`
	Mentioned mentionLimit `json:",omitzero"`
}

// Chance implements willingness.
func (c *classical) Chance(now time.Time, s stimulus) float64 {
	w := c.decay(now)
	if !s.Addressed || c.s.Mentioned.take(c.o, c.s.At) {
		if i := s.interest(); i > .4 {
			w += i - .3
		}
		switch {
		case s.Addressed && w < 1:
			w++
		case s.Addressed:
			w += .05
		}
	}
	if s.EmojiOnly && c.o.EmojiFactor > 0 {
		w *= c.o.EmojiFactor
	}
	if c.s.Willing = min(w, 3); s.EmojiOnly && c.o.EmojiFactor <= 0 {
		return 0
	}
	return s.chance(2 * max(c.s.Willing-.5, .01))
}

// Began implements willingness.
func (c *classical) Began(now time.Time, _ string) { c.s.Willing = max(c.decay(now)-1.8, 0) }

// Sent implements willingness.
func (c *classical) Sent(now time.Time, _ string) {
	if w := c.decay(now); w < 1 {
		c.s.Willing = min(w+.4, 1)
	}
}

// Dropped implements willingness.
func (c *classical) Dropped(time.Time, string) {}

// decay updates the willingness to now and returns it.
func (c *classical) decay(now time.Time) float64 {
	t := max(c.s.At, tick.Of(now))
	c.s.Willing *= math.Pow(.9, t.Since(c.s.At).Seconds())
	c.s.At = t
	return c.s.Willing
}

// MarshalJSON implements willingness.
func (c *classical) MarshalJSON() ([]byte, error) { return json.Marshal(c.s) }

// UnmarshalJSON implements willingness.
func (c *classical) UnmarshalJSON(b []byte) error {
	return load(b, &c.s, func(s *savedClassical) bool {
		return s.Willing >= 0 && s.Willing <= 3 && s.At >= 0 && s.Mentioned.valid()
	})
}
