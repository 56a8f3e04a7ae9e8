package replay

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// Additional steps of a bot with a Flow. Without a Flow they do nothing.

// retryDelay is the pause of a Runner before it repeats a batch.
const retryDelay = time.Second

// runFlow runs what is due in the Flow. A turn that the Flow wants goes through the buffer like a message, so that each chat
// has one turn at a time.
func (s *Simulator[T]) runFlow() {
	for _, e := range s.o.Flow.Due(s.now) {
		if e.Kind == hfc.TurnWanted {
			s.buffer.AddUrgent(s.now, e.Chat, item[T]{wanted: e.Why})
		}
	}
}

// wantedReason returns the reason for which a Flow wants the turn, or "" if it no longer does.
func (s *Simulator[T]) wantedReason(b buffer.Batch[string, item[T]]) heartflow.Code {
	for _, a := range b.Items {
		if a.wanted != "" && (a.wanted != hfc.WhyFocused || s.focused(b.Key)) {
			return a.wanted
		}
	}
	return ""
}

func (s *Simulator[T]) focused(chat string) bool {
	return s.o.Flow != nil && s.o.Flow.ChatState(s.now, chat) == hfc.Focused
}

// cycleRest returns the time until the next cycle of a chat.
func (s *Simulator[T]) cycleRest(chat string) time.Duration {
	if s.o.Flow == nil {
		return 0
	}
	return s.o.Flow.RestTime(s.now, chat)
}

// state returns the state of a turn's chat and the interest in it.
func (s *Simulator[T]) state(t *Turn[T]) (state string, level float64) {
	if s.o.Flow == nil {
		return t.Verdict.State.String(), 0
	}
	level, _ = s.o.Flow.Interest(s.now, t.Chat)
	return s.o.Flow.ChatState(s.now, t.Chat).String(), level
}

// runCycle runs the cycle of a chat up to the reply, like a model that writes what Options.Answer says whenever there is a new
// message. It returns false if there is no reply.
func (s *Simulator[T]) runCycle(t *Turn[T]) bool {
	unseen, answered := len(t.Batch), false
	answer := func() bool {
		if !answered {
			t.answer, answered = s.o.Answer(t), true
		}
		return len(t.answer.Say) > 0
	}
	for {
		ask, more := s.o.Flow.NextStep(s.now, t.Chat)
		if !more {
			return false
		}
		var did hfc.StepResult
		switch ask.Kind {
		case hfc.Act:
			answer()
			t.step = ask.ID
			return true
		case hfc.Think:
			unseen = max(unseen, ask.NewMessages)
		case hfc.MakePlan:
			did.Plan.Action = hfc.NoReply
			if unseen > 0 && slices.Contains(ask.Allowed, hfc.TextReply) && answer() {
				did.Plan.Action = hfc.TextReply
			}
		}
		s.o.Flow.FinishStep(s.now, t.Chat, ask.ID, did)
	}
}
