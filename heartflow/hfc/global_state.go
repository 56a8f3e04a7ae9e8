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

// GlobalState is the activity of the bot in all chats together.
type GlobalState uint8

const (
	Offline     GlobalState = iota // no activity
	Peeking                        // a look at a few chats now and then
	NormalChat                     // takes part in some chats
	FocusedChat                    // focuses on a few chats
)

// String returns offline, peeking, normal_chat or focused_chat.
func (s GlobalState) String() string {
	return enum.Name(s, "GlobalState", "offline", "peeking", "normal_chat", "focused_chat")
}

// GlobalStateOptions configure the global state. The zero value has the constants of HFC.
//
// There is one decision every minute. With a chance of 3 % the state becomes Offline. Otherwise, after a minimum time
// in a state, the next state is drawn. If the draw gives the same state, nothing changes, and the draw is repeated a
// minute later.
//
//	from         after   Offline  Peeking  NormalChat  FocusedChat
//	Offline       1 min      20%      30%         30%          20%
//	Peeking      10 min      70%                  20%          10%
//	NormalChat    5 min      50%                               50%
//	FocusedChat  10 min      80%                  20%
//
// Unless MayGoOffline is set, Peeking replaces every drawn Offline. In the long run that gives 57 % Peeking, 16 %
// NormalChat and 27 % FocusedChat, with 160 changes a day.
type GlobalStateOptions struct {
	Chats        int           // maximum of Chatting chats in NormalChat; 0 means 3. Peeking halves it, FocusedChat adds 1
	Focused      int           // maximum of Focused chats in NormalChat; 0 means 2. Peeking halves it, FocusedChat adds 2
	MayGoOffline bool          // false: after the start only Sleep makes it Offline
	Unloaded     time.Duration // FocusedChat becomes NormalChat after this time without a Focused chat; 0 means 10 minutes, negative means never
	Fixed        GlobalState   // a constant state; Offline, the zero value, means that the state changes
}

func (o GlobalStateOptions) withDefaults() GlobalStateOptions {
	return fill.Zero(o, GlobalStateOptions{Chats: 3, Focused: 2, Unloaded: 10 * time.Minute})
}

func (o GlobalStateOptions) validate() error {
	if o.Chats < 0 || o.Focused < 0 || o.Chats > maxChats || o.Focused > maxChats {
		return errors.New("hfc: GlobalState.Chats and GlobalState.Focused must be between 0 and 10000")
	}
	if o.Fixed > FocusedChat {
		return errors.New("hfc: GlobalState.Fixed is not a valid state")
	}
	return nil
}

// maxChats bounds the options Chats and Focused.
const maxChats = 10_000

// limit returns how many chats may be in c.
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

// maxCatchUp is the longest gap to simulate, in minutes. Of a longer gap only the last day is simulated.
const maxCatchUp = 24 * 60

// A globalMachine is the state machine of the global state. It decides at whole minutes of the clock. Its times are
// minutes since 1970.
type globalMachine struct {
	State   GlobalState
	Since   int64 // last change of State
	Decided int64 // the last decided minute
	Loaded  int64 // the last minute with a Focused chat
}

// begin starts m at that minute.
func (m *globalMachine) begin(o GlobalStateOptions, minute int64) {
	*m = globalMachine{State: o.Fixed, Since: minute, Decided: minute, Loaded: minute}
}

// next returns the minute of the next decision.
func (m *globalMachine) next() int64 { return m.Decided + 1 }

// skip omits all decisions but those of the last day before that minute.
func (m *globalMachine) skip(to int64) { m.Decided = max(m.Decided, to-maxCatchUp) }

// decide decides the next minute. focused is the number of Focused chats.
func (m *globalMachine) decide(o GlobalStateOptions, dice *rand.PCG, focused int) (was GlobalState, why heartflow.Code) {
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

// transitions holds the minutes in each state before a draw, and the chances of the next states in their order.
var transitions = [...]struct {
	after int64
	to    [4]float64
}{
	Offline:     {1, [4]float64{.2, .3, .3, .2}},
	Peeking:     {10, [4]float64{.7, 0, .2, .1}},
	NormalChat:  {5, [4]float64{.5, 0, 0, .5}},
	FocusedChat: {10, [4]float64{.8, 0, .2, 0}},
}

// draw returns the next state.
func (m *globalMachine) draw(o GlobalStateOptions, dice *rand.PCG) (GlobalState, heartflow.Code) {
	if pcg.Draw(dice) < .03 {
		return Offline, WhyPaused
	}
	age := m.Decided - m.Since
	idle := min(age, m.Decided-m.Loaded)
	if m.State == FocusedChat && o.Unloaded >= 0 && time.Duration(idle)*time.Minute >= o.Unloaded {
		return NormalChat, WhyNothingFocused
	}
	rule := &transitions[m.State]
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
