package hfc

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"time"
)

// A Willingness is one of the ways of MaiBot to decide, message by message, whether to answer in a chat that is in Chat.
// Each gives a message a chance, which grows with the interest of the message and when it calls the bot.
type Willingness uint8

const (
	// Classical has one number for each chat, 0 to 3, which loses a tenth each second. Interest above .4 adds itself less
	// .3. A call adds 1 if the number is below 1, and otherwise .05. The chance is twice the part above .5, and at least
	// .02. A reply takes 1.8 when it is begun, and gives .4, up to 1, when it is sent.
	Classical Willingness = iota
	// PerPerson has one number for each of the last 64 people who wrote in the chat: MaiBot's "mxp". The number moves to a
	// base, by 7 % of the way each 3 s. The base is .5 in a calm chat and less in a busy one, by the time that the last
	// twelve messages took. Calls and interest add to the number. For one message it also depends on the relation, on
	// whether the last replies went to the same person, on fatigue (three replies within a minute) and on replies to others
	// that are being written. The chance is atan(4 w) 2/π, and 1 from w = 2.5 on.
	PerPerson
	// Dynamic alternates between talkative times of 3 to 4 minutes and quiet ones of 10 to 20 minutes or a little more. The
	// number, 0 to 2, loses 5 % each 5 s in talkative times, down to .5, and 20 % in quiet ones. A call adds .5, interest
	// above .5 adds half of the excess, and a message of the person who was answered within the last 2 minutes and 5
	// messages .3. Each message without an answer adds a little, and a reply takes .3. The chance is the number times .03
	// to .5, by the kind of time and the messages since the last reply, and at most .75.
	Dynamic
)

// WillingnessOptions say how likely a message is answered in Chat. The zero value is HFC's.
type WillingnessOptions struct {
	Kind Willingness

	// Only some calls have their full weight, so that repeating a mention does not get an answer each time: Burst at once,
	// and one more after each Refill. Further calls add nothing.
	Burst  int           // 0 means 3; negative: no limit
	Refill time.Duration // 0 means 20 s

	// EmojiFactor multiplies the number (with PerPerson, the chance) for a message that is only a sticker. 0 means that such
	// a message changes nothing by that, and is never answered.
	EmojiFactor float64
}

func (o WillingnessOptions) validate() error {
	if o.Kind > Dynamic || o.Refill < 0 || !(o.EmojiFactor >= 0) {
		return errors.New("hfc: Willingness has an unknown Kind, or a negative Refill or EmojiFactor")
	}
	return nil
}

// willingness returns a new state.
func (o WillingnessOptions) willingness() willingness {
	switch o.Kind {
	case PerPerson:
		return &perPerson{o: o}
	case Dynamic:
		return &dynamic{o: o}
	}
	return &classical{o: o}
}

// A willingness is the state of one chat. It survives encoding/json, except for its options. If now steps back, the
// latest time counts. One that draws by chance has a method Seed(uint64), which is called once before its first use.
type willingness interface {
	// Chance takes a message and returns the chance, 0 to 1, that the bot answers it.
	Chance(now time.Time, s stimulus) float64
	// Began reports that a reply to from is being written. Sent or Dropped follows.
	Began(now time.Time, from string)
	// Sent reports that the reply to from was sent.
	Sent(now time.Time, from string)
	// Dropped reports that it was not.
	Dropped(now time.Time, from string)

	json.Marshaler
	json.Unmarshaler
}

// A stimulus is a message as a willingness needs it.
type stimulus struct {
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
func (s stimulus) gain() float64 {
	if g := cmp.Or(s.Gain, 1); g > 0 && !math.IsInf(g, 0) {
		return g
	}
	return 0
}

// interest is the interest times the gain, at most 100.
func (s stimulus) interest() float64 {
	if i := s.Interest * s.gain(); i > 0 {
		return min(i, 100)
	}
	return 0
}

// chance makes p a chance, and less of it where the bot should speak less.
func (s stimulus) chance(p float64) float64 {
	if p = min(p*s.gain(), 1); !(p > 0) {
		return 0
	}
	if s.Down {
		p /= 3
	}
	return p
}
