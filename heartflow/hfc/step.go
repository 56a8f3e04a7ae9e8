package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// Step returns what the cycle of a Focused chat wants now: a thought, a plan, or that the plan is carried out. A turn in
// such a chat is
//
//	for ask, ok := flow.Step(now, chat); ok; ask, ok = flow.Step(now, chat) {
//		flow.Answer(now, chat, ask.ID, do(ask))
//	}
//
// False: the cycle rests or waits, a step is outstanding, or the chat is not Focused, or not any more.
func (f *Flow[K]) Step(now time.Time, chat K) (CycleAsk, bool) {
	feeling := Feeling{Valence: f.Mood(chat), Energy: f.Energy(now, chat)}
	at := f.enter(now)
	defer f.leave()
	s := f.chats.subs[chat]
	if s == nil || s.State != Focused || s.shut(at) {
		return CycleAsk{}, false
	}
	ask, ok := s.cycle.Due(s.time(at), feeling)
	if ok {
		s.Stepped = at
	}
	f.chats.ended(s, at)
	f.chats.reschedule(s)
	return ask, ok
}

// Answer takes what became of a step, once, before it expires. False: it is late, or the chat has left focus since, and
// nothing changes.
func (f *Flow[K]) Answer(now time.Time, chat K, id uint64, a CycleAnswer) bool {
	at := f.enter(now)
	defer f.leave()
	s := f.chats.subs[chat]
	if s == nil || s.State != Focused || !s.cycle.Answer(s.time(at), id, a) {
		return false
	}
	s.Stepped = at
	f.chats.ended(s, at)
	f.chats.reschedule(s)
	return true
}

// Decide takes the answer to a [Question], once, before it expires. False: it is late, or the chat has
// changed since, and nothing changes. A yes for which there is no room any more counts as a no.
func (f *Flow[K]) Decide(now time.Time, chat K, id uint64, yes bool) bool {
	why := WhyJudgedOut
	if yes {
		why = WhyJudgedIn
	}
	return f.decide(now, chat, id, yes, why)
}

func (f *Flow[K]) decide(now time.Time, chat K, id uint64, yes bool, why heartflow.Code) bool {
	at := f.enter(now)
	defer f.leave()
	s := f.chats.subs[chat]
	if s == nil || id == 0 || s.question.id != id {
		return false
	}
	f.chats.decided(s, at, yes, why)
	f.chats.reschedule(s)
	return true
}
