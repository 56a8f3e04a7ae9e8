package hfc

import (
	"encoding/json"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// ClassicalOptions of a [Classical] willingness. The zero value is HFC's.
type ClassicalOptions struct {
	Mentions    Mentions // how many calls weigh
	EmojiFactor float64  // a message of nothing but a sticker leaves so much of the willingness; 0: all of it, and is never answered
}

// Classical is MaiBot's classical willingness: one number per chat, 0 to 3, that loses a tenth each second. Interest
// above .4 adds itself less .3; a mention adds 1 below 1, and .05 from there on. The chance is twice what is above .5, at
// least .02. Beginning a reply takes 1.8 away; having sent it gives .4, up to 1.
type Classical struct {
	o ClassicalOptions
	s savedClassical
}

type savedClassical struct {
	Willing   float64   `json:",omitempty"`
	At        tick.Tick `json:",omitempty"`
	Mentioned mentioned `json:",omitzero"`
}

// NewClassical returns one that wants nothing yet.
func NewClassical(o ClassicalOptions) *Classical { return &Classical{o: o} }

// Chance implements [Willingness].
func (c *Classical) Chance(now time.Time, s Stimulus) float64 {
	w := c.decay(now)
	if !s.Mentioned || c.s.Mentioned.take(c.o.Mentions, c.s.At) {
		if i := s.interest(); i > .4 {
			w += i - .3
		}
		switch {
		case s.Mentioned && w < 1:
			w++
		case s.Mentioned:
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

// Began implements [Willingness].
func (c *Classical) Began(now time.Time, _ string) { c.s.Willing = max(c.decay(now)-1.8, 0) }

// Sent implements [Willingness].
func (c *Classical) Sent(now time.Time, _ string) {
	if w := c.decay(now); w < 1 {
		c.s.Willing = min(w+.4, 1)
	}
}

// Dropped implements [Willingness].
func (c *Classical) Dropped(time.Time, string) {}

// decay brings the willingness to now and returns it.
func (c *Classical) decay(now time.Time) float64 {
	t := max(c.s.At, tick.Of(now))
	c.s.Willing *= math.Pow(.9, t.Since(c.s.At).Seconds())
	c.s.At = t
	return c.s.Willing
}

// MarshalJSON implements [Willingness].
func (c *Classical) MarshalJSON() ([]byte, error) { return json.Marshal(c.s) }

// UnmarshalJSON implements [Willingness].
func (c *Classical) UnmarshalJSON(b []byte) error {
	return load(b, &c.s, func(s *savedClassical) bool {
		return s.Willing >= 0 && s.Willing <= 3 && s.At >= 0 && s.Mentioned.valid()
	})
}
