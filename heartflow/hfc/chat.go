package hfc

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A chat is the state of one chat.
type chat[K comparable] struct {
	tick.Place // in chats.timers; Order is the order of creation
	chatRecord

	shared   *shared
	key      K
	name     string
	settings *compiledSettings
	reported ChatState // state last reported by Due
	marked   bool      // in chats.changed

	interest interest
	waiting  waitingMessages
	judging  waitingMessages // messages of the running judgement
	topic    []uint32        // terms of the last own message; never changed in place

	willingness willingness // nil until needed
	replyTo     string      // author of the message being answered
	replying    bool        // a reply is being written, which the willingness chose
	answering   bool        // a call of an Absent chat is being answered
	turnBegan   tick.Tick   // time of the verdict of a focused turn that has taken no step yet; 0: none
	mustAnswer  bool        // the batch of the last turn is judged again, or a call came before Chatting: the next verdict is Ask

	cycle          *Cycle // of the latest focus
	question       question
	dice           rand.PCG
	candidateIndex int // index in chats.candidates; -1: none
}

// A chatRecord is the part of a chat that snapshots contain unchanged.
type chatRecord struct {
	State   ChatState      `json:",omitempty"`
	Why     heartflow.Code `json:",omitempty"`
	Private bool           `json:",omitempty"`
	Since   tick.Tick      `json:",omitempty"` // last change of State
	Heard   tick.Tick      `json:",omitempty"` // last message by somebody else
	Spoke   tick.Tick      `json:",omitempty"` // last own message
	Muted   tick.Tick      `json:",omitempty"` // sending is muted until then
	Cooled  tick.Tick      `json:",omitempty"` // no focus before this time
	Judged  tick.Tick      `json:",omitempty"` // last Question answered with no; 0: none, or long ago
	Poll    tick.Tick      `json:",omitempty"` // next draw of the chance to become Focused; 0: none
	Stepped tick.Tick      `json:",omitempty"` // last step started or finished
	Nudged  tick.Tick      `json:",omitempty"` // last turn that Due wanted for the cycle
	Waits   tick.Tick      `json:",omitempty"` // last message without a verdict; 0: none
	Drifted int            `json:",omitempty"` // minutes drawn since the last own message
	IDs     uint64         `json:",omitempty"` // last id of a question or step
	Wants   pendingKind    `json:",omitempty"`
}

// compiledSettings are validated Settings. They are immutable.
type compiledSettings struct {
	off, speakLess, noFocus bool
	policy                  heartflow.Policy // for Chatting; nil: willingness
}

// A pendingKind is a task of Due for a chat.
type pendingKind uint8

const (
	pendingNothing       pendingKind = iota
	pendingChatQuestion              // a Question about Chatting
	pendingFocusQuestion             // a Question about Focused
	pendingTurn                      // a turn for the messages that waited before Chatting
)

// A question is an open [Question].
type question struct {
	id      uint64 // 0: none
	to      ChatState
	chance  float64
	expires tick.Tick
}

const (
	turnRetryAfter = time.Minute      // a wanted turn that did not begin is wanted again after this time
	maxBatchDelay  = 30 * time.Second // maximum time from a message to its verdict
	abandonAfter   = 10 * time.Minute // a focus without steps ends after this time
)

// time returns at as a time of the Flow, which may pass faster than wall time.
func (s *chat[K]) time(at tick.Tick) time.Time { return at.Time(s.shared.loc) }

// wallTime returns at as a wall time.
func (s *chat[K]) wallTime(at tick.Tick) time.Time { return s.shared.tempo.tickTime(at, s.shared.loc) }

// blocked reports whether s may neither speak nor enter a more active state.
func (s *chat[K]) blocked(at tick.Tick) bool {
	return s.shared.asleep || s.shared.muted > at || s.Muted > at || s.settings.off
}

// startFocus starts the cycle of a chat that became Focused.
func (s *chat[K]) startFocus(at tick.Tick) {
	s.cycle = newCycle(s.time(at), s.dice.Uint64(), s.shared.o.Cycle)
	s.cycle.s.Asked.ID = s.IDs // ids continue, so that late results of an earlier focus are recognized
	for range s.waiting {
		s.cycle.Observe(s.time(at))
	}
	s.waiting, s.Stepped, s.Nudged = nil, at, 0
}

// nextDue returns when s changes without another call.
func (s *chat[K]) nextDue() tick.Tick {
	due := tick.Forever
	switch s.State {
	case Absent:
		due = s.forgetTime()
	case Chatting:
		due = s.silenceDue()
	case Focused:
		due = s.abandonTime()
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

// forgetTime returns when an Absent chat is removed.
func (s *chat[K]) forgetTime() tick.Tick {
	return max(max(s.Since, s.Heard).Add(s.shared.o.Forget), s.Muted)
}

// silenceDue returns when to check next whether Chatting ends.
func (s *chat[K]) silenceDue() tick.Tick {
	from := max(s.Since, s.Spoke)
	if !s.shared.o.Drift {
		return from.Add(s.shared.o.Leave)
	}
	return from.Add(time.Duration(s.Drifted+1) * time.Minute)
}

// abandonTime returns when the focus on s ends because nobody carries out its steps.
func (s *chat[K]) abandonTime() tick.Tick {
	if s.cycle.s.Open || s.cycle.s.Quiet != 0 {
		return tick.Forever
	}
	return max(s.Stepped, s.cycle.s.Wake).Add(abandonAfter)
}

// turnDue returns when the cycle of s needs a turn. Within a cycle the running turn continues. New messages are
// judged with their batch, and that verdict opens the turn.
func (s *chat[K]) turnDue() tick.Tick {
	c := s.cycle
	at := c.s.Wake
	switch {
	case c.s.Open:
		return tick.Forever
	case !c.s.Running.Began.IsZero():
		at = max(s.Stepped, s.Nudged).Add(turnRetryAfter)
	case s.Nudged >= c.s.Wake && s.Nudged >= s.Stepped:
		at = s.Nudged.Add(turnRetryAfter)
	}
	if s.Waits != 0 {
		at = max(at, s.Waits.Add(maxBatchDelay))
	}
	return at
}

// takeJudging moves the messages up to the one with id last to judging. If no message has the id, it moves all.
func (s *chat[K]) takeJudging(last string) {
	n := len(s.waiting)
	if last != "" {
		if i := slices.IndexFunc(s.waiting, func(n WaitingMessage) bool { return n.ID == last }); i >= 0 {
			n = i + 1
		}
	}
	s.judging = append(s.judging[:0], s.waiting[:n]...)
	s.waiting = slices.Delete(s.waiting, 0, n)
}

// concluded records the effects of a verdict.
func (s *chat[K]) concluded(v heartflow.Verdict, at tick.Tick) {
	if v.Do != heartflow.Silent {
		switch s.State {
		case Chatting:
			s.replying, s.replyTo = true, ""
			for _, n := range s.judging {
				if s.replyTo == "" || n.Addressed {
					s.replyTo = n.From
				}
			}
			s.ensureWillingness().Began(s.time(at), s.replyTo)
		case Focused:
			s.Nudged = at // this turn is the wanted one
			s.turnBegan = at
		case Absent:
			s.waiting = s.waiting[:0]
		}
	}
	s.judging = s.judging[:0]
}

// dropReply ends the reply in progress. It tells the willingness that it is not sent.
func (s *chat[K]) dropReply(at tick.Tick) {
	s.answering = false
	if s.replying {
		s.replying = false
		s.willingness.Dropped(s.time(at), s.replyTo)
	}
}

// ensureWillingness returns the willingness of s. It creates a missing one.
func (s *chat[K]) ensureWillingness() willingness {
	if s.willingness == nil {
		s.willingness = s.shared.newWillingness()
		if w, ok := s.willingness.(interface{ Seed(uint64) }); ok {
			w.Seed(s.dice.Uint64())
		}
	}
	return s.willingness
}

// chance returns the chance to answer n.
func (s *chat[K]) chance(n WaitingMessage, at tick.Tick, gain float64) float64 {
	return s.ensureWillingness().Chance(s.time(at), stimulus{
		From: n.From, Addressed: n.Addressed, Interest: n.Interest, EmojiOnly: n.EmojiOnly, Relation: n.Relation,
		SpeakLess: s.settings.speakLess, Gain: gain,
	})
}
