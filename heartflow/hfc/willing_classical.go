package hfc

import (
	"encoding/json"
	"math"
	"time"
)

// ClassicalOptions of a [Classical] willingness. The zero value is HFC's.
type ClassicalOptions struct {
	EmojiFactor float64 // what a lone sticker leaves of the willingness; 0: such a message is never answered
}

// Classical is one willingness per chat.
type Classical struct {
	o ClassicalOptions
	w float64
	a tick
}

// NewClassical returns one that wants nothing yet.
func NewClassical(o ClassicalOptions) *Classical { return &Classical{o: o} }

func (c *Classical) settle(now time.Time) tick {
	t := max(c.a, tickOf(now))
	c.w *= math.Pow(.9, seconds(c.a, t))
	c.a = t
	return t
}

// Chance implements [Willingness].
func (c *Classical) Chance(now time.Time, s Stimulus) float64 {
	c.settle(now)
	gain := or(s.Gain, 1)
	if i := s.Interest * gain; i > .4 {
		c.w += i - .3
	}
	if s.Mentioned {
		if c.w < 1 {
			c.w++
		} else {
			c.w += .05
		}
	}
	c.w = min(c.w, 3)
	p := min(1, max(c.w-.5, .01)*2*gain)
	if s.Down {
		p /= 3
	}
	return p
}

// Began implements [Willingness].
func (c *Classical) Began(now time.Time, _ string) { c.settle(now); c.w = max(0, c.w-1.8) }

// Sent implements [Willingness].
func (c *Classical) Sent(now time.Time, _ string) {
	c.settle(now)
	if c.w < 1 {
		c.w = min(1, c.w+.4)
	}
}

// Dropped implements [Willingness].
func (c *Classical) Dropped(now time.Time, _ string) { c.settle(now) }

// MarshalJSON implements [Willingness].
func (c *Classical) MarshalJSON() ([]byte, error) { return json.Marshal([]any{c.w, c.a}) }

// UnmarshalJSON implements [Willingness].
func (c *Classical) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&c.w, &c.a}) }
