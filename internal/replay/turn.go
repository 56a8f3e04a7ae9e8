package replay

import (
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// errSuperseded is the Refused of a turn that a newer message cancelled.
var errSuperseded = errors.New("replay: a newer message superseded the turn")

// judge begins a turn. It ends the turn if the bot stays silent.
func (s *Simulator[T]) judge(b buffer.Batch[string, item[T]]) {
	if rest := s.cycleRest(b.Key); rest > 0 {
		s.schedule(scheduled[T]{at: s.now.Add(rest), batch: &b})
		return
	}
	t := &Turn[T]{Chat: b.Key, Last: s.last[b.Key], At: s.now, batch: b}
	lastID := ""
	t.Batch = make([]T, 0, len(b.Items))
	for _, m := range b.Items {
		if m.wanted == "" {
			t.Batch, t.Last, lastID = append(t.Batch, m.value), m.value, m.id
		}
	}
	if len(t.Batch) > 0 {
		if s.o.OnJudge != nil {
			s.o.OnJudge(t)
		}
		t.Verdict = s.o.Attention.JudgeUpTo(s.now, t.Chat, lastID)
	} else if look := s.wantedReason(b); look != "" {
		t.Verdict = s.o.Attention.BeginTurn(s.now, t.Chat, look)
	} else {
		s.buffer.Done(s.now, t.Chat)
		return
	}
	t.Trace = s.lastJudge
	t.State, t.Level = s.state(t)
	t.Asked = t.Verdict.Do != heartflow.Silent
	if t.Asked && s.focused(t.Chat) {
		t.Asked = s.runCycle(t)
	} else if t.Asked {
		t.answer = s.o.Answer(t)
	}
	if !t.Asked {
		if t.Verdict.Do != heartflow.Silent {
			s.o.Attention.SkipTurn(s.now, t.Chat, heartflow.WhyModelSilent)
		}
		s.finish(t)
		return
	}
	s.scheduleNext(t)
}

// scheduleNext schedules the next reply of a turn, or its end.
func (s *Simulator[T]) scheduleNext(t *Turn[T]) {
	at := t.answer.Ends
	if t.said < len(t.answer.Say) {
		at = t.answer.Say[t.said].At
	}
	s.schedule(scheduled[T]{at: Later(at, s.now), turn: t})
}

// advance sends the next reply of a turn if the attention still permits it, or ends the turn.
func (s *Simulator[T]) advance(t *Turn[T]) {
	if t.said >= len(t.answer.Say) {
		if t.said == 0 {
			s.o.Attention.SkipTurn(s.now, t.Chat, heartflow.WhyModelSilent)
		}
		s.finish(t)
		return
	}
	t.Refused = s.o.Attention.Speak(s.now, t.Chat, t.answer.Say[t.said].Text)
	if t.step != 0 {
		s.o.Flow.FinishStep(s.now, t.Chat, t.step, hfc.StepResult{Err: t.Refused})
		t.step = 0
	}
	if t.Refused == nil {
		t.Spoke = s.now
		t.said++
	}
	if t.Refused == nil && (t.said < len(t.answer.Say) || t.answer.Ends.After(s.now)) {
		s.scheduleNext(t)
		return
	}
	s.finish(t)
}

func (s *Simulator[T]) finish(t *Turn[T]) {
	s.buffer.Done(s.now, t.Chat)
	s.o.OnTurn(*t)
}

// supersede cancels the open turn of a chat that has not spoken yet, and returns its messages to the buffer.
func (s *Simulator[T]) supersede(chat string) {
	i := slices.IndexFunc(s.scheduled, func(w scheduled[T]) bool { return w.turn != nil && w.turn.Chat == chat })
	if i < 0 || s.scheduled[i].turn.said > 0 {
		return
	}
	t := s.scheduled[i].turn
	s.scheduled = slices.Delete(s.scheduled, i, i+1)
	if t.step != 0 {
		s.o.Flow.FinishStep(s.now, chat, t.step, hfc.StepResult{Err: hfc.ErrWithdrawn})
	}
	s.o.Attention.SkipTurn(s.now, chat, heartflow.WhySuperseded)
	s.buffer.Requeue(s.now, t.batch)
	s.buffer.Hold(s.now, chat, retryDelay)
	t.Refused = errSuperseded
	s.o.OnTurn(*t)
}

// Outcome returns speak, silent or refused.
func (t Turn[T]) Outcome() string {
	switch {
	case !t.Spoke.IsZero():
		return "speak"
	case t.Refused != nil:
		return "refused"
	}
	return "silent"
}

// Why returns the reasons of the verdict and of its outcome.
func (t Turn[T]) Why() []heartflow.Code {
	why := slices.Clone(t.Verdict.Why)
	if refused, ok := t.Refused.(*heartflow.RefusedError); ok {
		why = append(why, refused.Code)
	}
	if t.Verdict.Do != heartflow.Silent && !t.Asked {
		why = append(why, heartflow.WhyModelSilent)
	}
	return why
}
