package hfc

import (
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A policy is what the Attention below asks.
type policy[K comparable] struct {
	source // of normal
	o      *Options
	mu     *sync.Mutex // of chats
	chats  *chats[K]
	normal heartflow.Policy // in Chat; nil: willingness
}

type source = lookback.Source

// policyFor returns the policy of chats in which normal decides while they are in Chat; nil: willingness decides.
func (f *Flow[K]) policyFor(normal heartflow.Policy) policy[K] {
	return policy[K]{lookback.NewSource(lookback.ModelOf(normal)), &f.being.o, &f.mu, &f.chats, normal}
}

// Judge implements [heartflow.Policy].
func (p policy[K]) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	gain := p.o.WillingnessGain(Feeling{Valence: m.Mood, Energy: m.Energy})
	p.mu.Lock()
	s := p.chats.named[m.Chat]
	if s == nil { // forgotten while it was being judged
		p.mu.Unlock()
		return heartflow.MentionOnly{}.Judge(m)
	}
	state, normal := s.State, s.tuning.policy
	if state == Chatting && normal != nil {
		p.mu.Unlock()
		return normal.Judge(m)
	}
	defer p.mu.Unlock()
	switch state {
	case Chatting:
		return s.draw(m, gain)
	case Focused:
		return s.attend(m)
	case Absent:
		if m.Addressed && !p.o.IgnoreCalls {
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
func (s *sub[K]) draw(m *heartflow.PolicyInput, gain float64) heartflow.Verdict {
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
	if v.Do != heartflow.Silent && m.Addressed {
		v.Why = m.AddressedBy
	}
	return v
}

// attend asks for a turn of steps, unless one is under way or rests.
func (s *sub[K]) attend(m *heartflow.PolicyInput) heartflow.Verdict {
	switch c := s.cycle; {
	case c.s.Open:
		return heartflow.Verdict{Why: onlyThinking}
	case c.s.Wake > tick.Of(m.Now):
		return heartflow.Verdict{Why: onlyResting}
	}
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: onlyFocused}
}
