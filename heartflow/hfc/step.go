package hfc

import (
	"fmt"
	"time"
)

// NextStep returns the step that the cycle of a Focused chat needs now: write a thought, make a plan, or carry out
// the plan. A turn in such a chat is a loop:
//
//	for step, ok := flow.NextStep(now, chat); ok; step, ok = flow.NextStep(now, chat) {
//		flow.FinishStep(now, chat, step.ID, do(step))
//	}
//
// It returns false if the cycle rests or waits, if a step is open, or if the chat is not Focused.
func (f *Flow[K]) NextStep(now time.Time, chat K) (Step, bool) {
	feeling := Feeling{Valence: f.Mood(chat), Arousal: f.shared.o.Arousal(fmt.Sprint(chat)), Energy: f.Energy(now, chat)}
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || s.blocked(at) {
		return Step{}, false
	}
	step, ok := s.cycle.NextStep(s.time(at), feeling)
	if ok {
		s.Stepped = at
		step.At, step.Expires = f.shared.tempo.wallTime(step.At), f.shared.tempo.wallTime(step.Expires)
	}
	s.turnBegan = 0
	f.chats.checkCycle(s, at)
	f.chats.reschedule(s)
	return step, ok
}

// FinishStep takes the result of a step, once, before it expires. It returns false and changes nothing if the step
// has expired or the chat has left Focused.
func (f *Flow[K]) FinishStep(now time.Time, chat K, id uint64, a StepResult) bool {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || !s.cycle.FinishStep(s.time(at), id, a) {
		return false
	}
	s.Stepped = at
	f.chats.checkCycle(s, at)
	f.chats.reschedule(s)
	return true
}

// RestTime returns how long the cycle of a Focused chat still rests. A batch that is judged before gets a Silent
// verdict. It returns 0 if the cycle does not rest or the chat is not Focused. The wait after a no_reply is no rest,
// because a message ends it.
func (f *Flow[K]) RestTime(now time.Time, chat K) time.Duration {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || s.State != Focused || s.cycle.s.Open || s.cycle.s.Quiet != 0 && s.cycle.s.Unseen == 0 {
		return 0
	}
	return max(0, s.wallTime(s.cycle.s.Wake).Sub(s.wallTime(at)))
}
