package hfc

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A sub is the flow of one chat.
type sub[K comparable] struct {
	tick.Place // in chats.live; its Order is that in which chats were made
	subState

	being  *being
	key    K
	name   string
	tuning *tuning
	told   ChatState // what Due said last
	marked bool      // it is in chats.changed

	interest interest
	recent   recent
	judging  recent   // what a verdict is being made of
	topic    []uint32 // of what it last said here; never changed in place

	willing  willingness // nil: not needed yet
	replying string      // to whom a reply is being written
	begun    bool        // one is
	owed     bool        // one was, and its batch was given back: what was decided stands

	cycle    *Cycle // of the latest focus
	question question
	dice     rand.PCG
	place    int // in chats.standing; -1: not in it
}

// A subState is what a snapshot holds of a sub as it is.
type subState struct {
	State   ChatState      `json:",omitempty"`
	Why     heartflow.Code `json:",omitempty"`
	Private bool           `json:",omitempty"`
	Since   tick.Tick      `json:",omitempty"` // when State changed
	Heard   tick.Tick      `json:",omitempty"` // the last message of anybody else
	Spoke   tick.Tick      `json:",omitempty"` // the last message of its own
	Muted   tick.Tick      `json:",omitempty"` // closed for sending until then
	Cooled  tick.Tick      `json:",omitempty"` // no focus before
	Judged  tick.Tick      `json:",omitempty"` // when it was judged out; 0: not, or long ago
	Poll    tick.Tick      `json:",omitempty"` // when the chance to become Focused is drawn next; 0: it is not
	Stepped tick.Tick      `json:",omitempty"` // when a step was last asked for or answered
	Nudged  tick.Tick      `json:",omitempty"` // when Due last wanted a turn for the cycle
	Waits   tick.Tick      `json:",omitempty"` // the last message that no verdict has been given on; 0: there is none
	Drifted int            `json:",omitempty"` // minutes drawn since it last spoke
	IDs     uint64         `json:",omitempty"` // of questions and steps
	Wants   want           `json:",omitempty"`
}

// A tuning is Settings in use. It does not change.
type tuning struct {
	off, down, noFocus bool
	policy             heartflow.Policy // in Chat; nil: willingness
}

// A want is what Due has to say of a chat.
type want uint8

const (
	wantsNothing want = iota
	wantsChat         // a Question whether to become Chat
	wantsFocus        // a Question whether to become Focused
	wantsTurn         // to answer what waited when it became Chat
)

// A question is an outstanding [Question].
type question struct {
	id      uint64 // 0: none
	to      ChatState
	chance  float64
	expires tick.Tick
}

const (
	nudgeAgain = time.Minute      // a turn that nobody began is wanted again after it
	gathers    = 30 * time.Second // what was heard is judged sooner than that, or not at all
	unattended = 10 * time.Minute // a Focused chat whose steps nobody does stays so for it
)

func (s *sub[K]) time(at tick.Tick) time.Time { return at.Time(s.being.loc) }

// shut reports whether s can neither speak nor change to a livelier state.
func (s *sub[K]) shut(at tick.Tick) bool {
	return s.being.asleep || s.being.closed > at || s.Muted > at || s.tuning.off
}

// focus is the beginning of Focused.
func (s *sub[K]) focus(at tick.Tick) {
	s.cycle = newCycle(s.time(at), s.dice.Uint64(), s.being.o.Cycle)
	s.cycle.s.Asked.ID = s.IDs // late answers to what was asked before are known by their ids
	for range s.recent {
		s.cycle.Observe(s.time(at))
	}
	s.recent, s.Stepped, s.Nudged = nil, at, 0
}

// due is when s changes by itself.
func (s *sub[K]) due() tick.Tick {
	due := tick.Forever
	switch s.State {
	case Absent:
		due = s.forgets()
	case Chatting:
		due = s.drifts()
	case Focused:
		due = s.abandons()
		if at, ok := s.cycle.Next(); ok && (s.cycle.s.Open || s.cycle.s.Quiet != 0) {
			due = min(due, tick.Of(at))
		}
	}
	if s.Poll != 0 {
		due = min(due, s.Poll)
	}
	if s.question.id != 0 {
		due = min(due, s.question.expires)
	}
	return due
}

// forgets is when an Absent chat is let go of.
func (s *sub[K]) forgets() tick.Tick {
	return max(max(s.Since, s.Heard).Add(s.being.o.Forget), s.Muted)
}

// drifts is when it is next to be seen whether Chat ends in silence.
func (s *sub[K]) drifts() tick.Tick {
	from := max(s.Since, s.Spoke)
	if !s.being.o.Drift {
		return from.Add(s.being.o.Leave)
	}
	return from.Add(time.Duration(s.Drifted+1) * time.Minute)
}

// abandons is when the focus on s ends because nobody does its steps.
func (s *sub[K]) abandons() tick.Tick {
	if s.cycle.s.Open || s.cycle.s.Quiet != 0 {
		return tick.Forever
	}
	return max(s.Stepped, s.cycle.s.Wake).Add(unattended)
}

// nudges is when a turn is wanted for the cycle of s. In the middle of a cycle whoever does it goes on by itself, and for
// what was just heard the batch that it is in begins the turn.
func (s *sub[K]) nudges() tick.Tick {
	c := s.cycle
	at := c.s.Wake
	switch {
	case c.s.Open:
		return tick.Forever
	case !c.s.Running.Began.IsZero():
		at = max(s.Stepped, s.Nudged).Add(nudgeAgain)
	case s.Nudged >= c.s.Wake && s.Nudged >= s.Stepped:
		at = s.Nudged.Add(nudgeAgain)
	}
	if s.Waits != 0 {
		at = max(at, s.Waits.Add(gathers))
	}
	return at
}

// take moves the messages up to the one with that id to those that are being judged; without such a one all of them.
func (s *sub[K]) take(last string) {
	n := len(s.recent)
	if last != "" {
		if i := slices.IndexFunc(s.recent, func(n WaitingMessage) bool { return n.ID == last }); i >= 0 {
			n = i + 1
		}
	}
	s.judging = append(s.judging[:0], s.recent[:n]...)
	s.recent = slices.Delete(s.recent, 0, n)
}

// concluded keeps what follows from a verdict.
func (s *sub[K]) concluded(v heartflow.Verdict, at tick.Tick) {
	if v.Do != heartflow.Silent {
		switch s.State {
		case Chatting:
			s.begun, s.replying = true, ""
			for _, n := range s.judging {
				if s.replying == "" || n.Addressed {
					s.replying = n.From
				}
			}
			s.will().Began(s.time(at), s.replying)
		case Focused:
			s.Nudged = at // the turn that begins now is the one that is wanted
		case Absent:
			s.recent = s.recent[:0]
		}
	}
	s.judging = s.judging[:0]
}

// dropped tells willingness that the reply that was being written is not sent.
func (s *sub[K]) dropped(at tick.Tick) {
	if s.begun {
		s.begun = false
		s.willing.Dropped(s.time(at), s.replying)
	}
}

// will is the willingness of s.
func (s *sub[K]) will() willingness {
	if s.willing == nil {
		s.willing = s.being.willing()
		if w, ok := s.willing.(interface{ Seed(uint64) }); ok {
			w.Seed(s.dice.Uint64())
		}
	}
	return s.willing
}

// chance is that of an answer to n.
func (s *sub[K]) chance(n WaitingMessage, at tick.Tick, gain float64) float64 {
	return s.will().Chance(s.time(at), stimulus{
		From: n.From, Mentioned: n.Addressed, Interest: n.Interest, EmojiOnly: n.EmojiOnly, Relation: n.Relation,
		Down: s.tuning.down, Gain: gain,
	})
}
