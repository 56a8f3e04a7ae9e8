package hfc

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/enum"
	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
)

// GlobalState is how much the whole being gives itself to its chats.
type GlobalState uint8

const (
	Offline     GlobalState = iota // it looks at no chat
	Peeking                        // it looks in now and then
	NormalChat                     // it chats along
	FocusedChat                    // it gives itself to a few chats
)

// String returns offline, peeking, normal_chat or focused_chat.
func (s GlobalState) String() string {
	return enum.Name(s, "MindState", "offline", "peeking", "normal_chat", "focused_chat")
}

// GlobalStateOptions say how the global state lives. The zero value is HFC's.
//
// Every minute there is one decision: with a chance of 3 % it goes Offline, else what it becomes is drawn once it has
// been long enough in its state. What is drawn and is the state already changes nothing, and so is drawn again a minute
// later.
//
//	from         after   Offline  Peeking  NormalChat  FocusedChat
//	Offline       1 min      20%      30%         30%          20%
//	Peeking      10 min      70%                  20%          10%
//	NormalChat    5 min      50%                               50%
//	FocusedChat  10 min      80%                  20%
//
// Unless MayGoOffline is set, Peeking stands wherever Offline is drawn. Over a long time that makes 57 % Peeking, 16 %
// NormalChat and 27 % FocusedChat, and 160 changes a day.
type GlobalStateOptions struct {
	Chats        int           // how many chats may be in Chat while NormalChat; 0 means 3. Peeking halves it, FocusedChat adds 1
	Focused      int           // how many may be Focused while NormalChat; 0 means 2. Peeking halves it, FocusedChat adds 2
	MayGoOffline bool          // false: only Sleep makes it Offline, once it has begun
	Unloaded     time.Duration // FocusedChat becomes NormalChat where no chat was Focused for so long; 0 means 10 minutes, negative: never
	Fixed        GlobalState   // it is always this; Offline, the zero value: it changes
}

func (o GlobalStateOptions) withDefaults() GlobalStateOptions {
	return fill.Zero(o, GlobalStateOptions{Chats: 3, Focused: 2, Unloaded: 10 * time.Minute})
}

func (o GlobalStateOptions) validate() error {
	if o.Chats < 0 || o.Focused < 0 || o.Chats > maxChats || o.Focused > maxChats {
		return errors.New("hfc: Mind.Chats and Mind.Focused must be between 0 and 10000")
	}
	if o.Fixed > FocusedChat {
		return errors.New("hfc: Mind.Fixed is no state")
	}
	return nil
}

// maxChats bounds what may be in Chat, and Focused, at once.
const maxChats = 10_000

// limit returns how many chats may be in that state.
func (o GlobalStateOptions) limit(s GlobalState, c ChatState) int {
	n := o.Chats
	if c == Focused {
		n = o.Focused
	}
	switch {
	case s == Offline:
		return 0
	case s == Peeking:
		return n / 2
	case s == FocusedChat && c == Focused:
		return n + 2
	case s == FocusedChat:
		return n + 1
	}
	return n
}

// mindDay is how far a decision that is late reaches back: after a longer gap only its last day is lived through.
const mindDay = 24 * 60

// A mind is the global state. It decides on the whole minutes of the clock; times are such minutes since 1970.
type mind struct {
	State   GlobalState
	Since   int64 // when it became so
	Decided int64 // the last minute that was decided
	Loaded  int64 // the last minute in which a chat was Focused
}

// begin starts m at that minute.
func (m *mind) begin(o GlobalStateOptions, minute int64) {
	*m = mind{State: o.Fixed, Since: minute, Decided: minute, Loaded: minute}
}

// next is the minute of the next decision.
func (m *mind) next() int64 { return m.Decided + 1 }

// skip lets go of all but the last day before that minute.
func (m *mind) skip(to int64) { m.Decided = max(m.Decided, to-mindDay) }

// decide decides the next minute; focused is how many chats are Focused.
func (m *mind) decide(o GlobalStateOptions, dice *rand.PCG, focused int) (was GlobalState, why heartflow.Code) {
	m.Decided++
	if focused > 0 {
		m.Loaded = m.Decided
	}
	was = m.State
	if o.Fixed != Offline {
		return was, ""
	}
	to, why := m.draw(o, dice)
	if to == Offline && !o.MayGoOffline {
		to = Peeking
	}
	if to != was {
		m.State, m.Since = to, m.Decided
	}
	return was, why
}

// mindRules say after how many minutes in a state what it becomes is drawn, and with which chances, in their order.
var mindRules = [...]struct {
	after int64
	to    [4]float64
}{
	Offline:     {1, [4]float64{.2, .3, .3, .2}},
	Peeking:     {10, [4]float64{.7, 0, .2, .1}},
	NormalChat:  {5, [4]float64{.5, 0, 0, .5}},
	FocusedChat: {10, [4]float64{.8, 0, .2, 0}},
}

// draw returns what m becomes.
func (m *mind) draw(o GlobalStateOptions, dice *rand.PCG) (GlobalState, heartflow.Code) {
	if pcg.Draw(dice) < .03 {
		return Offline, WhyPaused
	}
	age := m.Decided - m.Since
	idle := min(age, m.Decided-m.Loaded)
	if m.State == FocusedChat && o.Unloaded >= 0 && time.Duration(idle)*time.Minute >= o.Unloaded {
		return NormalChat, WhyNothingFocused
	}
	rule := &mindRules[m.State]
	if age < rule.after {
		return m.State, ""
	}
	x := pcg.Draw(dice)
	for s, p := range rule.to {
		if x -= p; x < 0 {
			return GlobalState(s), WhyDurationOver
		}
	}
	return m.State, ""
}
