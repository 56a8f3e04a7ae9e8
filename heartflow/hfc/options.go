package hfc

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// Options of a [Flow]. The zero value is HFC's, but for one thing: who calls the being in a chat that it does not look
// at is answered.
type Options struct {
	// Attention is the ground below: who calls, caps, budget, freshness, mutes, traces, seed. Its Policy, where it is
	// not nil, decides in a chat that is in Chat, in place of willingness.
	Attention heartflow.Options

	GlobalState GlobalStateOptions
	Interest    InterestOptions
	Cycle       CycleOptions
	Willingness WillingnessOptions // in chats that are in Chat

	// MessageInterest is the interest of a message, 0 for none, and called without a lock; called says whether it calls the
	// being. nil: .5 for each word that it shares with Topics, the keywords, or what the being said last in the chat,
	// four at most, and 1 more where it calls. From a level of 3.5 on, a chat may become Focused.
	MessageInterest func(m heartflow.Message, called bool) float64
	Topics          []string                       // what the being likes to talk of, for the nil Value
	EmojiOnly       func(m heartflow.Message) bool // nothing but a sticker, a face or a picture; nil: no text but one [tag]
	Relation        func(chat, from string) int    // with a person, -2 (worst) to 3 (best); nil: strangers, all of them
	AnswerQuestion  func(Question) (yes bool)      // answers every Question at once, without a lock; nil: Due yields them
	WillingnessGain func(Feeling) float64          // multiplies the willingness, by mood and energy; nil: Feeling.Gain
	JudgeFor        time.Duration                  // a Question not answered for so long is a no; 0 means 100 s
	AskAgain        time.Duration                  // a chat that was judged out is judged again after it, at the earliest; 0 means 10 minutes
	AskFocus        bool                           // also ask, after chance agreed, whether to become Focused
	Leave           time.Duration                  // Chat becomes Absent when the being said nothing for so long; 0 means 30 minutes
	Drift           bool                           // instead, by a chance per minute: 1 % in the first 5, 2 % to 15, 4 % to 30, then 8 %, and at 60
	Cooldown        time.Duration                  // no focus so long after a planner ended one; 0 means 60 s
	Forget          time.Duration                  // a chat that is Absent, and where nothing is said, for so long is let go of; 0 means 1 hour

	IgnoreCalls bool // who calls the being in a chat that is Absent is ignored, as in the original
}

// Validate returns an error that names what is wrong.
func (o Options) Validate() error {
	if err := errors.Join(o.Attention.Validate(), o.GlobalState.validate(), o.Interest.validate(), o.Cycle.validate(), o.Willingness.validate()); err != nil {
		return err
	}
	if o.JudgeFor < 0 || o.AskAgain < 0 || o.Leave < 0 || o.Cooldown < 0 || o.Forget < 0 {
		return errors.New("hfc: a duration is negative")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.GlobalState = o.GlobalState.withDefaults()
	return fill.Zero(o, Options{
		JudgeFor: 100 * time.Second, AskAgain: 10 * time.Minute, Leave: 30 * time.Minute, Cooldown: time.Minute, Forget: time.Hour,
		EmojiOnly: emojiOnly, WillingnessGain: Feeling.gain,
	})
}

// Settings are how one chat differs from the Options.
type Settings struct {
	heartflow.Settings      // its Policy decides in Chat; nil: that of the Options
	SpeakLess          bool // speak less here: a third of the chance
	NoFocus            bool // it never becomes Focused
}
