package hfc

import (
	"cmp"
	"encoding/json"
	"math"
	"time"
)

// A Willingness is how much the bot wants to answer in one CHAT, message by message. It is a state of its own that
// survives encoding/json, options aside, and is used by one goroutine at a time. A step back in time counts as the latest time it was told.
//
// [Classical] is one number per chat, [PerPerson] one for each who writes there, [Dynamic] changes between times of much
// and of little. One that draws by chance also has a method Seed(uint64), to be called once before it is used.
type Willingness interface {
	// Chance takes a message and returns the chance, 0 to 1, that the bot answers it.
	Chance(now time.Time, s Stimulus) float64
	// Began tells that a reply to from is being written. Sent or Dropped follows.
	Began(now time.Time, from string)
	// Sent tells that the reply to from was said.
	Sent(now time.Time, from string)
	// Dropped tells that it was not.
	Dropped(now time.Time, from string)

	json.Marshaler
	json.Unmarshaler
}

// A Stimulus is a message as a [Willingness] feels it.
type Stimulus struct {
	From         string  // who said it
	Mentioned    bool    // it calls the bot
	Interest     float64 // of this message; 0: none
	EmojiOnly    bool    // nothing in it but a sticker, a face or a picture
	Down         bool    // in a group where the bot should speak less: a third of the chance
	Gain         float64 // multiplies interest and chance: from mood and energy; 0 means 1
	Relation     int     // with From: -2 (worst) to 3 (best); 0: strangers
	InFlight     int     // other messages of this chat whose replies are being written
	InFlightFrom int     // those among them of From
}

// gain is Gain as a number to multiply with.
func (s Stimulus) gain() float64 {
	if g := cmp.Or(s.Gain, 1); g > 0 && !math.IsInf(g, 0) {
		return g
	}
	return 0
}

// interest is the interest times the gain, at most 100.
func (s Stimulus) interest() float64 {
	if i := s.Interest * s.gain(); i > 0 {
		return min(i, 100)
	}
	return 0
}

// chance makes p a chance, and less of it where the bot should speak less.
func (s Stimulus) chance(p float64) float64 {
	if p = min(p*s.gain(), 1); !(p > 0) {
		return 0
	}
	if s.Down {
		p /= 3
	}
	return p
}
