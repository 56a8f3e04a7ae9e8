package hfc

import (
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A policy is the policy of the underlying Attention.
type policy[K comparable] struct {
	source // that of normal
	o      *Options
	mu     *sync.Mutex // guards chats
	chats  *chats[K]
	normal heartflow.Policy // for Chatting chats; nil: willingness
}

type source = lookback.Source

// policyFor returns the policy of a chat. normal decides while the chat is Chatting; nil: willingness decides.
func (f *Flow[K]) policyFor(normal heartflow.Policy) policy[K] {
	return policy[K]{lookback.NewSource(lookback.ModelOf(normal)), &f.shared.o, &f.mu, &f.chats, normal}
}

// Judge implements [heartflow.Policy].
func (p policy[K]) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	gain := p.o.WillingnessGain(Feeling{Valence: m.Mood, Arousal: p.o.Arousal(m.Chat), Energy: m.Energy})
	p.mu.Lock()
	s := p.chats.byName[m.Chat]
	if s == nil { // removed during the judgement
		p.mu.Unlock()
		return heartflow.MentionOnly{}.Judge(m)
	}
	state, normal := s.State, s.settings.policy
	if state == Chatting && normal != nil {
		p.mu.Unlock()
		return normal.Judge(m)
	}
	defer p.mu.Unlock()
	switch state {
	case Chatting:
		return s.judgeChatting(m, gain)
	case Focused:
		return s.judgeFocused(m)
	case Absent:
		if m.Addressed && !p.o.IgnoreCalls {
			return heartflow.MentionOnly{}.Judge(m)
		}
	}
	return heartflow.Verdict{Why: whyAbsent}
}

// Shared by all verdicts to avoid allocations.
var (
	whyAbsent     = []heartflow.Code{WhyAbsent}
	whyNotWilling = []heartflow.Code{WhyNotWilling}
	whyWilling    = []heartflow.Code{WhyWilling}
	whyThinking   = []heartflow.Code{WhyThinking}
	whyResting    = []heartflow.Code{WhyResting}
	whyFocused    = []heartflow.Code{WhyFocused}
)

// judgeChatting draws for each message of a Chatting chat. All messages change the willingness, and one passed draw
// is enough.
func (s *chat[K]) judgeChatting(m *heartflow.PolicyInput, gain float64) heartflow.Verdict {
	v := heartflow.Verdict{Why: whyNotWilling}
	if s.mustAnswer {
		v = heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: whyWilling}
	}
	if m.Welcome != 0 {
		gain *= 1 + m.Welcome
		m.Gate(heartflow.Gate{Code: heartflow.WhyWelcome, Value: m.Welcome, Pass: m.Welcome > 0})
	}
	for _, n := range s.judging {
		chance := s.chance(n, s.shared.tempo.tickOf(m.Now), gain)
		if v.Do != heartflow.Silent {
			continue
		}
		v.Score = max(v.Score, chance)
		draw := m.Draw()
		if m.Gate(heartflow.Gate{Code: WhyWilling, Value: chance, Draw: draw, Pass: draw < chance}) {
			v = heartflow.Verdict{Do: heartflow.Ask, Score: chance, Why: whyWilling}
		}
	}
	if v.Do != heartflow.Silent && m.Addressed {
		v.Why = m.AddressedBy
	}
	return v
}

// judgeFocused asks for a turn of steps, unless a step is open or the cycle rests.
func (s *chat[K]) judgeFocused(m *heartflow.PolicyInput) heartflow.Verdict {
	switch c := s.cycle; {
	case c.s.Open:
		return heartflow.Verdict{Why: whyThinking}
	case c.s.Wake > s.shared.tempo.tickOf(m.Now):
		return heartflow.Verdict{Why: whyResting}
	}
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: whyFocused}
}
