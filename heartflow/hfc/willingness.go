package hfc

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"time"
)

// A Willingness is one of MaiBot's methods to decide about each message of a Chatting chat. Each gives a message a
// chance of an answer. The chance grows with the interest of the message, and if the message addresses the bot.
type Willingness uint8

const (
	// Classical has one number for each chat, 0 to 3, that loses a tenth each second. Interest above .4 adds itself
	// less .3. A message that addresses the bot adds 1 if the number is below 1, and otherwise .05. The chance is
	// twice the part above .5, and at least .02. The start of a reply takes 1.8. Sending it gives .4, up to 1.
	Classical Willingness = iota
	// PerPerson has one number for each of the last 64 authors in the chat: MaiBot's "mxp". The number moves to a
	// base by 7 % of the difference each 3 s. The base is .5 in a calm chat. In a busy chat it is less, by the
	// duration of the last twelve messages. Interest adds to the number, and so does a message that addresses the
	// bot. For one message it also depends on the relation, on consecutive replies to the same person and on fatigue
	// (three replies within a minute). MaiBot's terms for replies in progress are left out: a Flow has one turn in a chat
	// at a time, so no reply is in progress when a message is judged. The chance is atan(4 w) 2/π, and 1 from w
	// = 2.5 on.
	PerPerson
	// Dynamic alternates between talkative periods of 3 to 4 minutes and quiet ones of 10 to 20 minutes or a little
	// more. The number, 0 to 2, loses 5 % each 5 s in talkative periods, down to .5, and 20 % in quiet ones. A
	// message that addresses the bot adds .5. Interest above .5 adds half of the excess. The person of the last reply
	// adds .3 with a message within 2 minutes and 5 messages. Each message without an answer adds a little, and a
	// reply takes .3. The chance is the number times .03 to .5, by the kind of period and the messages since the last
	// reply. It is at most .75.
	Dynamic
)

// WillingnessOptions configure how likely a message is answered in Chatting. The zero value has the constants of HFC.
type WillingnessOptions struct {
	Kind Willingness

	// Only some messages that address the bot have their full weight, so that repeated mentions do not get an answer
	// each time. This is a token bucket: Burst at once, and one more after each Refill. Further ones add nothing.
	Burst  int           // 0 means 3; negative: no limit
	Refill time.Duration // 0 means 20 s

	// EmojiFactor multiplies the number (with PerPerson, the chance) for a message with only a sticker. 0 means no
	// factor, and that such a message is never answered.
	EmojiFactor float64
}

func (o WillingnessOptions) validate() error {
	if o.Kind > Dynamic || o.Refill < 0 || !(o.EmojiFactor >= 0) {
		return errors.New("hfc: Willingness has an unknown Kind, or a negative Refill or EmojiFactor")
	}
	return nil
}

// newWillingness returns the state of a new chat.
func (o WillingnessOptions) newWillingness() willingness {
	switch o.Kind {
	case PerPerson:
		return &perPerson{o: o}
	case Dynamic:
		return &dynamic{o: o}
	}
	return &classical{o: o}
}

// A willingness is the state of one chat. Its JSON form contains all but the options. A time before the latest one
// counts as the latest one. A method Seed(uint64), if there is one, is called once before the first use and seeds all
// draws.
type willingness interface {
	// Chance takes a message and returns the chance, 0 to 1, that the bot answers it.
	Chance(now time.Time, s stimulus) float64
	// Began reports that a reply to from is being written. Sent or Dropped follows.
	Began(now time.Time, from string)
	// Sent reports that the reply to from was sent.
	Sent(now time.Time, from string)
	// Dropped reports that the reply was not sent.
	Dropped(now time.Time, from string)

	json.Marshaler
	json.Unmarshaler
}

// A stimulus is the input of a willingness for one message.
type stimulus struct {
	From      string  // author
	Addressed bool    // it addresses the bot
	Interest  float64 // of this message; 0: none
	EmojiOnly bool    // only a sticker, a face or a picture
	SpeakLess bool    // the bot should speak less here: a third of the chance
	Gain      float64 // factor on interest and chance, from mood and energy; 0 means 1
	Relation  int     // with From: -2 (worst) to 3 (best); 0: a stranger
}

// gain returns Gain as a valid factor.
func (s stimulus) gain() float64 {
	if g := cmp.Or(s.Gain, 1); g > 0 && !math.IsInf(g, 0) {
		return g
	}
	return 0
}

// interest returns the interest times the gain, at most 100.
func (s stimulus) interest() float64 {
	if i := s.Interest * s.gain(); i > 0 {
		return min(i, 100)
	}
	return 0
}

// chance applies Gain and Down to p, and limits it to 1.
func (s stimulus) chance(p float64) float64 {
	if p = min(p*s.gain(), 1); !(p > 0) {
		return 0
	}
	if s.SpeakLess {
		p /= 3
	}
	return p
}
