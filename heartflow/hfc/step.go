package hfc

import "time"

// NextStep returns what the cycle of a Focused chat wants now: a thought, a plan, or that the plan is carried out. A turn in
// such a chat is
//
//	for ask, ok := flow.Step(now, chat); ok; ask, ok = flow.Step(now, chat) {
//		flow.Answer(now, chat, ask.ID, do(ask))
//	}
//
// False: the cycle rests or waits, a step is outstanding, or the chat is not Focused, or not any more.
func (f *Flow[K]) NextStep(now time.Time, chat K) (Step, bool) {
	feeling := Feeling{Valence: f.Mood(chat), Energy: f.Energy(now, chat)}
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || s.shut(at) {
		return Step{}, false
	}
	ask, ok := s.cycle.NextStep(s.time(at), feeling)
	if ok {
		s.Stepped = at
	}
	f.chats.ended(s, at)
	f.chats.reschedule(s)
	return ask, ok
}

// FinishStep takes what became of a step, once, before it expires. False: it is late, or the chat has left focus since, and
// nothing changes.
func (f *Flow[K]) FinishStep(now time.Time, chat K, id uint64, a StepResult) bool {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || !s.cycle.FinishStep(s.time(at), id, a) {
		return false
	}
	s.Stepped = at
	f.chats.ended(s, at)
	f.chats.reschedule(s)
	return true
}

// RestTime returns how long the cycle of a Focused chat rests after what it did last: what is judged sooner is judged
// silent. 0: it does not rest, or the chat is not Focused. The wait of a no_reply, which a message ends, is no rest.
func (f *Flow[K]) RestTime(now time.Time, chat K) time.Duration {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || s.cycle.s.Open || s.cycle.s.Quiet != 0 && s.cycle.s.Unseen == 0 {
		return 0
	}
	return max(0, time.Duration(s.cycle.s.Wake-at))
}
