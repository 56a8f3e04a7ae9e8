package hfc

import (
	"slices"
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
	var out outbox[K]
	at := f.enter(now, &out)
	s := f.sub(chat, at)
	s.waits = 0
	if s.state == Chat { // else they wait for a look at the chat
		s.take(last)
	}
	f.dropped(s, at)
	f.leave(&out)

	v := f.Attention.JudgeTo(now, chat, last)

	out = outbox[K]{}
	at = f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil {
		f.concluded(s, v, at)
	}
	return v
}

// Begin opens a turn for which nothing was heard, as [heartflow.Attention.Begin] does: what Due wanted one for, a timer,
// an order of the owner.
func (f *Flow[K]) Begin(now time.Time, chat K, why heartflow.Code) heartflow.Verdict {
	v := f.Attention.Begin(now, chat, why)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	s := f.sub(chat, at)
	f.dropped(s, at)
	f.concluded(s, v, at)
	return v
}

// concluded keeps what follows from a verdict.
func (f *Flow[K]) concluded(s *sub[K], v heartflow.Verdict, at tick.Tick) {
	if v.Do != heartflow.Silent && s.state == Chat {
		s.begun, s.replying = true, ""
		for _, n := range s.judging {
			if s.replying == "" || n.Mentioned {
				s.replying = n.From
			}
		}
		f.will(s).Began(at.Time(f.loc), s.replying)
	}
	if v.Do != heartflow.Silent && s.state == Focused {
		s.nudged = at // the turn that begins now is the one that is wanted
	}
	if v.Do != heartflow.Silent && s.state == Absent {
		s.recent = s.recent[:0]
	}
	s.judging = s.judging[:0]
}

// take moves the messages up to the one with that id to those that are being judged; without such a one all of them.
func (s *sub[K]) take(last string) {
	n := len(s.recent)
	if last != "" {
		if i := slices.IndexFunc(s.recent, func(n Noted) bool { return n.ID == last }); i >= 0 {
			n = i + 1
		}
	}
	s.judging = append(s.judging[:0], s.recent[:n]...)
	s.recent = slices.Delete(s.recent, 0, n)
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
	gain := f.o.Gain(Feeling{Valence: m.Mood, Energy: m.Energy})
	f.mu.Lock()
	s := f.named[m.Chat]
	if s == nil { // forgotten while it was being judged
		f.mu.Unlock()
		return heartflow.MentionOnly{}.Judge(m)
	}
	state, normal := s.state, s.tuning.policy
	if state == Chat && normal != nil {
		f.mu.Unlock()
		return normal.Judge(m)
	}
	defer f.mu.Unlock()
	switch state {
	case Chat:
		return f.willing(s, m, gain)
	case Focused:
		return f.focused(s, m)
	case Absent:
		if m.Called && !f.o.IgnoreCalls {
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

// willing draws, message by message, whether to answer in Chat. Every message has its effect; one answer is enough.
func (f *Flow[K]) willing(s *sub[K], m *heartflow.Moment, gain float64) heartflow.Verdict {
	v := heartflow.Verdict{Why: onlyNotWilling}
	if s.owed {
		v = heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: onlyWilling}
	}
	s.owed = false
	for _, n := range s.judging {
		chance := f.chance(s, n, tick.Of(m.Now), gain)
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

// chance is that of an answer to n.
func (f *Flow[K]) chance(s *sub[K], n Noted, at tick.Tick, gain float64) float64 {
	return f.will(s).Chance(at.Time(f.loc), Stimulus{
		From: n.From, Mentioned: n.Mentioned, Interest: n.Interest, EmojiOnly: n.EmojiOnly, Relation: n.Relation,
		Down: s.tuning.down, Gain: gain,
	})
}

// will is the willingness of s.
func (f *Flow[K]) will(s *sub[K]) Willingness {
	if s.willing == nil {
		s.willing = f.o.Willing()
		if w, ok := s.willing.(interface{ Seed(uint64) }); ok {
			w.Seed(s.dice.Uint64())
		}
	}
	return s.willing
}

// focused asks for a turn of steps, unless one is under way or rests.
func (f *Flow[K]) focused(s *sub[K], m *heartflow.Moment) heartflow.Verdict {
	switch c := s.cycle; {
	case c.open:
		return heartflow.Verdict{Why: onlyThinking}
	case c.wake > tick.Of(m.Now):
		return heartflow.Verdict{Why: onlyResting}
	}
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: onlyFocused}
}
