package hfc

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// dynamic is the state of [Dynamic]. A quiet period takes 600 to 1200 s, the first one 300 to 1200 s. Then it ends
// with a chance of .1 each 10 s. A chat without a message for a day starts over.
type dynamic struct {
	o    WillingnessOptions
	dice rand.PCG
	s    savedDynamic
}

type savedDynamic struct {
	Dice      []byte       `json:",omitempty"`
	Willing   float64      `json:",omitempty"`
	At        tick.Tick    `json:",omitempty"`
	Mentioned mentionLimit `json:",omitzero"`
	Much      bool         `json:",omitempty"`
	Until     tick.Tick    `json:",omitempty"` // when Much changes
	Partner   string       `json:",omitempty"` // person of the last reply
	Spoke     tick.Tick    `json:",omitempty"` // start of the last reply
	Count     int          `json:",omitempty"` // messages since then
	Passed    bool         `json:",omitempty"` // the last message has no answer so far
}

// Seed seeds all random draws.
func (d *dynamic) Seed(seed uint64) { d.dice.Seed(seed, 0) }

// Chance implements willingness.
func (d *dynamic) Chance(now time.Time, s stimulus) float64 {
	t := d.advance(now)
	d.countPassed(t)
	d.s.Count++
	w := d.s.Willing
	continues := d.continues(t) && s.From == d.s.Partner
	if continues {
		w += .3
	}
	if !s.Addressed || d.s.Mentioned.take(d.o, t) {
		if s.Addressed {
			w += .5
		}
		w += max(s.interest()-.5, 0) * .5
	}
	if s.EmojiOnly && d.o.EmojiFactor > 0 {
		w *= d.o.EmojiFactor
	}
	if d.s.Willing, d.s.Passed = min(w, 2), true; s.EmojiOnly && d.o.EmojiFactor <= 0 {
		return 0
	}
	return min(s.chance(d.s.Willing*d.base(continues)), .75)
}

// base returns the chance of a message at a willingness of 1.
func (d *dynamic) base(continues bool) float64 {
	n := d.s.Count
	switch {
	case continues && d.s.Much, d.s.Much && n >= 4 && n <= 8:
		return .5
	case continues:
		return .25
	case d.s.Much:
		return .2
	}
	return .03 * float64(min(n, 10))
}

// continues reports whether the last reply is so recent that its conversation may continue.
func (d *dynamic) continues(t tick.Tick) bool {
	return d.s.Spoke != 0 && d.s.Spoke.Add(2*time.Minute) > t && d.s.Count <= 5
}

// countPassed raises the willingness after a message without an answer.
func (d *dynamic) countPassed(t tick.Tick) {
	if !d.s.Passed {
		return
	}
	more := .1
	switch {
	case d.continues(t):
		more = .15
	case !d.s.Much:
		more = .05 + .05*pcg.Draw(&d.dice)
	}
	d.s.Willing, d.s.Passed = min(d.s.Willing+more, 2), false
}

// Began implements willingness.
func (d *dynamic) Began(now time.Time, from string) {
	t := d.advance(now)
	d.s.Willing = max(d.s.Willing-.3, 0)
	d.s.Partner, d.s.Spoke, d.s.Count, d.s.Passed = from, t, 0, false
}

// Sent implements willingness.
func (d *dynamic) Sent(time.Time, string) {}

// Dropped implements willingness.
func (d *dynamic) Dropped(time.Time, string) { d.s.Partner, d.s.Spoke = "", 0 }

// advance updates the willingness and the periods to now.
func (d *dynamic) advance(now time.Time) tick.Tick {
	t := max(d.s.At, tick.Of(now))
	if d.s.At == 0 || d.s.At.Add(24*time.Hour) <= t {
		d.s.At, d.s.Willing, d.s.Much = t, .5, false
		d.s.Until = d.quietEnd(t, 300)
	}
	for d.s.Until <= t {
		d.decay(d.s.Until)
		if d.s.Much = !d.s.Much; d.s.Much {
			d.s.Until = d.s.Until.Add(secondsOf(180 + 60*pcg.Draw(&d.dice)))
		} else {
			d.s.Until = d.quietEnd(d.s.Until, 600)
		}
	}
	d.decay(t)
	return t
}

// quietEnd returns the end of a quiet period that begins at t: least to 1200 s, and then a draw every 10 s.
func (d *dynamic) quietEnd(t tick.Tick, least float64) tick.Tick {
	s := least + (1200-least)*pcg.Draw(&d.dice)
	tries := math.Ceil(math.Log(pcg.Draw(&d.dice)) / math.Log(.9))
	return t.Add(secondsOf(s + 10*tries))
}

// decay updates the willingness to t. The period must not change before t.
func (d *dynamic) decay(t tick.Tick) {
	fives := t.Since(d.s.At).Seconds() / 5
	if d.s.Much {
		d.s.Willing = max(d.s.Willing*math.Pow(.95, fives), .5)
	} else {
		d.s.Willing *= math.Pow(.8, fives)
	}
	d.s.At = t
}

func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// MarshalJSON implements willingness.
func (d *dynamic) MarshalJSON() ([]byte, error) {
	s := d.s
	s.Dice, _ = d.dice.MarshalBinary() // never returns an error
	return json.Marshal(s)
}

// UnmarshalJSON implements willingness.
func (d *dynamic) UnmarshalJSON(b []byte) error {
	var dice rand.PCG
	err := load(b, &d.s, func(s *savedDynamic) bool {
		return s.Willing >= 0 && s.Willing <= 2 && s.Count >= 0 && s.At >= 0 && (s.At == 0 || s.Until > s.At) && s.Until >= 0 && s.Spoke >= 0 &&
			s.Spoke <= s.At && s.Mentioned.valid() && dice.UnmarshalBinary(s.Dice) == nil
	})
	if err == nil {
		d.s.Dice, d.dice = nil, dice
	}
	return err
}
