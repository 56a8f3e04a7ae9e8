package hfc

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// Options configure a [Flow]. The zero value has the constants of HFC, with one difference: messages that address the
// bot in an Absent chat are answered.
type Options struct {
	// Attention configures the underlying Attention: names, caps, budget, staleness, traces and seed. If its Policy
	// is not nil, it decides in Chatting chats instead of the willingness.
	Attention heartflow.Options

	GlobalState GlobalStateOptions
	Interest    InterestOptions
	Cycle       CycleOptions
	Willingness WillingnessOptions // in Chatting chats

	// MessageInterest returns the interest of a message, 0 for none. It is called without a lock. chat is the key
	// formatted by fmt.Sprint, and addressed reports whether the message addresses the bot. In HFC a memory rates the
	// message: this function is the place to ask yours. nil means .5 for each word shared with Topics, the keywords, or
	// the bot's last message in the chat, up to four words, and 1 more if it addresses the bot. A chat may become
	// Focused from a level of 3.5 on.
	MessageInterest func(chat string, m heartflow.Message, addressed bool) float64
	Topics          []string                       // favorite topics of the bot, for a nil MessageInterest
	EmojiOnly       func(m heartflow.Message) bool // reports a message with only a sticker, a face or a picture; nil: no text but one [tag], and neither a voice message, a file, a forward nor a mention
	Relation        func(chat, from string) int    // relation with a person, -2 (worst) to 3 (best); nil: all are strangers
	Arousal         func(chat string) float64      // arousal of the mood in a chat, -1 to 1; nil: 0. The valence is the mood of the Attention
	AnswerQuestion  func(Question) (yes bool)      // answers every Question at once, without a lock; nil: Due returns them
	WillingnessGain func(Feeling) float64          // factor on the willingness by mood and energy; nil: .25 to 1.5, and 1 at full energy in a neutral mood
	JudgeFor        time.Duration                  // a Question expires after this time and counts as no; 0 means 100 s
	AskAgain        time.Duration                  // minimum time between a no and the next Question about a chat; 0 means 10 minutes
	AskFocus        bool                           // also ask a Question before a chat becomes Focused, after its draw passed
	Leave           time.Duration                  // Chatting becomes Absent after this time without an own message; 0 means 30 minutes
	Drift           bool                           // replaces Leave by a chance per minute: 1 % in the first 5, 2 % to 15, 4 % to 30, then 8 %, and the end at 60
	Cooldown        time.Duration                  // no focus for this time after a planner ended one; 0 means 60 s
	Forget          time.Duration                  // an Absent chat without messages is removed after this time; 0 means 1 hour

	// Speed makes the time of the Flow pass faster, for demonstrations: at 60 the chances of an hour are drawn in a
	// minute. All other durations in these Options are in the faster time, except those of Attention, Cycle.StepTimeout
	// and JudgeFor, because models and the platform are not faster. After a restart the faster time goes on where it
	// was. 0 means 1.
	Speed float64

	IgnoreCalls bool // ignore messages that address the bot in an Absent chat, as in the original
}

// Validate returns an error that names the invalid option.
func (o Options) Validate() error {
	if err := errors.Join(o.Attention.Validate(), o.GlobalState.validate(), o.Interest.validate(), o.Cycle.validate(), o.Willingness.validate()); err != nil {
		return err
	}
	if !(o.Speed >= 0 && o.Speed <= maxSpeed) {
		return fmt.Errorf("hfc: Speed is %v: it must be from 0 to %d", o.Speed, maxSpeed)
	}
	if o.JudgeFor < 0 || o.AskAgain < 0 || o.Leave < 0 || o.Cooldown < 0 || o.Forget < 0 {
		return errors.New("hfc: JudgeFor, AskAgain, Leave, Cooldown and Forget must not be negative")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.GlobalState = o.GlobalState.withDefaults()
	o = fill.Zero(o, Options{
		JudgeFor: 100 * time.Second, AskAgain: 10 * time.Minute, Leave: 30 * time.Minute, Cooldown: time.Minute, Forget: time.Hour,
		EmojiOnly: emojiOnly, Arousal: func(string) float64 { return 0 }, WillingnessGain: Feeling.gain, Speed: 1,
	})
	o.Cycle = o.Cycle.withDefaults()
	for _, d := range []*time.Duration{&o.JudgeFor, &o.Cycle.StepTimeout} {
		*d = time.Duration(min(float64(*d)*o.Speed, math.MaxInt64/4))
	}
	return o
}

const maxSpeed = 100_000

// Settings override the Options for one chat.
type Settings struct {
	heartflow.Settings      // its Policy decides in Chatting; nil: that of the Options
	SpeakLess          bool // a third of the chance to answer
	NoFocus            bool // the chat never becomes Focused
}
