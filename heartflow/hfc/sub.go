package hfc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A sub is the flow of one chat.
type sub[K comparable] struct {
	tick.Place // in Flow.live; its Order is that in which chats were made

	key    K
	name   string
	tuning *tuning

	state   ChatState
	told    ChatState // what Due said last
	why     heartflow.Code
	marked  bool // it is in Flow.changed
	private bool
	since   tick.Tick // when state changed
	heard   tick.Tick // the last message of anybody else
	spoke   tick.Tick // the last message of its own
	muted   tick.Tick // closed for sending until then
	cooled  tick.Tick // no focus before
	judged  tick.Tick // when it was judged out; 0: not, or long ago

	interest Interest
	poll     tick.Tick // when the chance to become Focused is drawn next; 0: it is not
	recent   Recent
	judging  Recent   // what a verdict is being made of
	topic    []uint32 // of what it last said here; never changed in place
	drifted  int      // minutes drawn since it last spoke

	willing  Willingness // nil: not needed yet
	replying string      // to whom a reply is being written
	begun    bool        // one is
	owed     bool        // one was, and its batch was given back: what was decided stands

	cycle   *Cycle    // of the latest focus
	stepped tick.Tick // when a step was last asked for or answered
	nudged  tick.Tick // when Due last wanted a turn for it
	waits   tick.Tick // the last message that no verdict has been given on; 0: there is none

	question question
	wants    want
	ids      uint64 // of questions and steps
	dice     rand.PCG

	place int // in Flow.standing; -1: not in it
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

// sub returns the flow of that chat, and makes it where it is new.
func (f *Flow[K]) sub(key K, at tick.Tick) *sub[K] {
	s := f.subs[key]
	if s == nil {
		s = &sub[K]{key: key, name: fmt.Sprint(key), place: -1, since: at, heard: at, interest: NewInterest(f.o.Interest)}
		s.dice.Seed(f.Seed(), pcg.Stream(s.name)^mindStream)
		s.ids = f.ids
		f.adopt(s)
		f.reschedule(s)
	}
	return s
}

// adopt makes s known.
func (f *Flow[K]) adopt(s *sub[K]) {
	if s.tuning = f.settings[s.key]; s.tuning == nil {
		s.tuning = f.fresh
	}
	s.Order = f.count
	f.count++
	f.subs[s.key], f.named[s.name] = s, s
}

// remove lets go of s.
func (f *Flow[K]) remove(s *sub[K]) {
	f.live.Remove(s)
	f.unstand(s)
	f.unwant(s)
	if s.state != Absent {
		f.in[s.state] = without(f.in[s.state], s)
	}
	if s.marked {
		f.changed = without(f.changed, s)
	}
	f.ids = max(f.ids, s.ids)
	delete(f.subs, s.key)
	delete(f.named, s.name)
}

// without takes s out of list.
func without[K comparable](list []*sub[K], s *sub[K]) []*sub[K] {
	i := slices.Index(list, s)
	return slices.Delete(list, i, i+1)
}

// shut reports whether s can neither speak nor change to a livelier state.
func (f *Flow[K]) shut(s *sub[K], at tick.Tick) bool {
	return f.asleep || f.closed > at || s.muted > at || s.tuning.off
}

// limit is how many chats may be in that state now.
func (f *Flow[K]) limit(to ChatState) int { return f.o.Mind.limit(f.mind.State, to) }

// room reports whether one more chat may be in that state.
func (f *Flow[K]) room(to ChatState) bool { return len(f.in[to]) < f.limit(to) }

// turn makes s become to.
func (f *Flow[K]) turn(s *sub[K], to ChatState, at tick.Tick, why heartflow.Code, gates []heartflow.Gate, out *outbox[K]) {
	if s.state == to {
		return
	}
	if s.state != Absent {
		f.in[s.state] = without(f.in[s.state], s)
	}
	if to != Absent {
		f.in[to] = append(f.in[to], s)
	}
	s.state, s.since, s.why = to, at, why
	s.drifted, s.poll, s.question, s.owed = 0, 0, question{}, false
	f.unstand(s)
	f.unwant(s)
	if !s.marked {
		s.marked = true
		f.changed = append(f.changed, s)
	}
	out.notes = append(out.notes, note[K]{
		chat: s.key, at: at.Time(f.loc), gates: gates, why: []heartflow.Code{chatCodes[to], why},
	})
	switch to {
	case Chat:
		f.start(s, at)
	case Focused:
		f.focus(s, at)
	}
	f.heat(s, at)
	f.reschedule(s)
}

// start is the beginning of Chat: of what waits, only what stands out may be answered, while the talk goes on.
func (f *Flow[K]) start(s *sub[K], at tick.Tick) {
	waits := s.recent.Standing()
	s.recent = nil
	if s.heard.Add(f.maxAge()) < at {
		return
	}
	for _, n := range waits {
		if chance := f.chance(s, n, at, 1); pcg.Draw(&s.dice) < chance {
			f.want(s, wantsTurn)
		}
	}
}

// focus is the beginning of Focused.
func (f *Flow[K]) focus(s *sub[K], at tick.Tick) {
	s.cycle = NewCycle(at.Time(f.loc), f.o.Cycle, s.dice.Uint64())
	s.cycle.asked.ID = s.ids // late answers to what was asked before are known by their ids
	for range s.recent {
		s.cycle.Heard(at.Time(f.loc))
	}
	s.recent, s.stepped, s.nudged = nil, at, 0
}

// unfocus ends Focused: to Chat by an even chance where there is room, else to Absent; private chats always to Absent.
func (f *Flow[K]) unfocus(s *sub[K], at tick.Tick, why heartflow.Code, out *outbox[K]) {
	s.interest.Reset(at.Time(f.loc), true)
	to := Absent
	if !s.private && f.room(Chat) && pcg.Draw(&s.dice) < .5 {
		to = Chat
	}
	f.turn(s, to, at, why, nil, out)
}

// ended ends the focus of s where its cycle is over.
func (f *Flow[K]) ended(s *sub[K], at tick.Tick, out *outbox[K]) {
	end := s.cycle.Ended(at.Time(f.loc))
	s.ids = s.cycle.asked.ID
	switch end {
	case EndPlanned:
		s.cooled = at.Add(f.o.Cooldown)
		f.unfocus(s, at, WhyLeft, out)
	case EndSilent:
		f.unfocus(s, at, WhyGaveUp, out)
	}
}

// stand lets s be drawn for a look, unless it was judged out a short while ago.
func (f *Flow[K]) stand(s *sub[K], at tick.Tick) {
	if s.state != Absent || s.private || s.place >= 0 || s.question.id != 0 || s.judged != 0 && at < s.judged.Add(f.o.AskAgain) {
		return
	}
	s.place = len(f.standing)
	f.standing = append(f.standing, s)
}

func (f *Flow[K]) unstand(s *sub[K]) {
	if s.place < 0 {
		return
	}
	last := len(f.standing) - 1
	moved := f.standing[last]
	f.standing[s.place], moved.place = moved, s.place
	f.standing[last] = nil
	f.standing = f.standing[:last]
	s.place = -1
}

// want has Due say that of s.
func (f *Flow[K]) want(s *sub[K], w want) {
	if s.wants == wantsNothing {
		f.wanting = append(f.wanting, s)
	}
	s.wants = w
}

func (f *Flow[K]) unwant(s *sub[K]) {
	if s.wants == wantsNothing {
		return
	}
	s.wants = wantsNothing
	f.wanting = without(f.wanting, s)
}

// pollEvery is how often the chance to become Focused is drawn, on the grid of the clock.
const pollEvery = 5 * tick.Tick(time.Second)

// heat begins the draws of s where its interest allows them.
func (f *Flow[K]) heat(s *sub[K], at tick.Tick) {
	if s.poll != 0 || s.state == Focused || s.tuning.noFocus || f.shut(s, at) {
		return
	}
	now := at.Time(f.loc)
	if _, above := s.interest.Crosses(now); !above && s.interest.Chance(now) <= 0 {
		return
	}
	s.poll = (max(at, s.cooled)/pollEvery + 1) * pollEvery
	f.reschedule(s)
}
