package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Judge gives a verdict on what was heard in chat since the last one, as [heartflow.Attention.Judge] does: within its
// gates, by the state of the chat.
//
//   - Absent: Ask where it is called, unless Options.IgnoreCalls.
//   - Chat: willingness gives a chance for each message, and Ask where one is drawn; or Options.Attention.Policy decides.
//   - Focused: Ask. The turn is then made of steps: see [Flow.Step]. It is silent while the cycle rests, or has a step
//     under way: what was heard is seen by the next thought, and Due wants a turn for that.
func (f *Flow[K]) Judge(now time.Time, chat K) heartflow.Verdict { return f.JudgeTo(now, chat, "") }

// JudgeTo is Judge of what was heard up to the message with that id.
func (f *Flow[K]) JudgeTo(now time.Time, chat K, last string) heartflow.Verdict {
	at := f.enter(now)
	s := f.sub(chat, at)
	s.Waits = 0
	if s.State == Chat { // else they wait for a look at the chat
		s.take(last)
	}
	s.dropped(at)
	f.leave()

	v := f.Attention.JudgeTo(now, chat, last)

	at = f.enter(now)
	defer f.leave()
	if s := f.chats.subs[chat]; s != nil {
		s.concluded(v, at)
	}
	return v
}

// Begin opens a turn for which nothing was heard, as [heartflow.Attention.Begin] does: what Due wanted one for, a timer,
// an order of the owner.
func (f *Flow[K]) Begin(now time.Time, chat K, why heartflow.Code) heartflow.Verdict {
	v := f.Attention.Begin(now, chat, why)
	at := f.enter(now)
	defer f.leave()
	s := f.sub(chat, at)
	s.dropped(at)
	s.concluded(v, at)
	return v
}

// A policy is what the Attention below asks.
type policy[K comparable] struct {
	f      *Flow[K]
	normal heartflow.Policy // in Chat; nil: willingness
}

// LooksBack has the Attention keep what the policy in Chat looks back on.
func (p policy[K]) LooksBack() bool {
	b, ok := p.normal.(interface{ LooksBack() bool })
	return ok && b.LooksBack()
}

// Judge implements [heartflow.Policy].
func (p policy[K]) Judge(m *heartflow.Moment) heartflow.Verdict {
	f := p.f
	gain := f.being.o.Gain(Feeling{Valence: m.Mood, Energy: m.Energy})
	f.mu.Lock()
	s := f.chats.named[m.Chat]
	if s == nil { // forgotten while it was being judged
		f.mu.Unlock()
		return heartflow.MentionOnly{}.Judge(m)
	}
	state, normal := s.State, s.tuning.policy
	if state == Chat && normal != nil {
		f.mu.Unlock()
		return normal.Judge(m)
	}
	defer f.mu.Unlock()
	switch state {
	case Chat:
		return s.draw(m, gain)
	case Focused:
		return s.attend(m)
	case Absent:
		if m.Called && !f.being.o.IgnoreCalls {
			return heartflow.MentionOnly{}.Judge(m)
		}
	}
	return heartflow.Verdict{Why: onlyAbsent}
}

// Shared by all verdicts, so that judging need not allocate.
var (
	onlyAbsent     = []heartflow.Code{WhyAbsent}
	onlyNotWilling = []heartflow.Code{WhyNotWilling}
	onlyWilling    = []heartflow.Code{WhyWilling}
	onlyThinking   = []heartflow.Code{WhyThinking}
	onlyResting    = []heartflow.Code{WhyResting}
	onlyFocused    = []heartflow.Code{WhyFocused}
)

// draw draws, message by message, whether to answer in Chat. Every message has its effect; one answer is enough.
func (s *sub[K]) draw(m *heartflow.Moment, gain float64) heartflow.Verdict {
	v := heartflow.Verdict{Why: onlyNotWilling}
	if s.owed {
		v = heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: onlyWilling}
	}
	s.owed = false
	for _, n := range s.judging {
		chance := s.chance(n, tick.Of(m.Now), gain)
		if v.Do != heartflow.Silent {
			continue
		}
		v.Score = max(v.Score, chance)
		draw := m.Draw()
		if m.Gate(heartflow.Gate{Code: WhyWilling, Value: chance, Draw: draw, Pass: draw < chance}) {
			v = heartflow.Verdict{Do: heartflow.Ask, Score: chance, Why: onlyWilling}
		}
	}
	if v.Do != heartflow.Silent && m.Called {
		v.Why = m.Calls
	}
	return v
}

// attend asks for a turn of steps, unless one is under way or rests.
func (s *sub[K]) attend(m *heartflow.Moment) heartflow.Verdict {
	switch c := s.cycle; {
	case c.open:
		return heartflow.Verdict{Why: onlyThinking}
	case c.wake > tick.Of(m.Now):
		return heartflow.Verdict{Why: onlyResting}
	}
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: onlyFocused}
}
