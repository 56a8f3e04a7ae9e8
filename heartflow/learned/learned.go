package learned

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// Options configure a [Policy].
type Options struct {
	Threshold float64  // minimum score of an answer, 0 to 1; 0 means the one with the best F1 score in cross-validation, about .3
	Sure      float64  // minimum score for the verdict Speak, 0 to 1; 0 means never, so a model is always asked
	Weights   *Weights // own weights for the chats of this bot; nil means the shipped ones
	Speed     float64  // how much faster than people the chats run, as in a simulation; 0 means 1
}

// A Policy is a [heartflow.Policy] that needs no model. Its score is the chance that the bot would answer a message,
// given its earlier behavior in this chat. The score depends on the addressees of the message, on the conversation
// that it continues, on the time since the bot spoke, on other people who talk with its author, on its words, and on
// how often the bot answers in this chat. The score of a batch is the highest one of its messages. In a private chat
// it is 1.
//
// The verdict is Silent below Options.Threshold, Ask from there on, and Speak from Options.Sure on. If a message
// addresses the bot, the verdict is at least Ask. A Policy is immutable and may be used concurrently.
//
// For each chat with such a policy, an Attention keeps the last 64 messages as hashes, in at most 26 kB. It
// recognizes the policy by its concrete type, so a custom policy that wraps a *Policy must embed it.
type Policy struct {
	source    // of the shipped weights
	o         Options
	threshold float64
	own       *lookback.Model // with Options.Weights; else nil
}

type source = lookback.Source

// maxSpeed keeps the seconds of a chat within their type.
const maxSpeed = 1e6

// New returns a Policy. It returns an error if Threshold or Sure is not from 0 to 1, or if Speed is not from 0 to a million.
func New(o Options) (*Policy, error) {
	if !(min(o.Threshold, o.Sure) >= 0 && max(o.Threshold, o.Sure) <= 1) {
		return nil, errors.New("learned: Threshold and Sure must be from 0 to 1")
	}
	if !(o.Speed >= 0 && o.Speed <= maxSpeed) {
		return nil, fmt.Errorf("learned: Speed %v must be from 0 to %v", o.Speed, maxSpeed)
	}
	shipped, err := parsed()
	if err != nil {
		return nil, err
	}
	m := *shipped
	m.Speed = o.Speed
	p := &Policy{source: lookback.NewSource(&m), o: o, threshold: cmp.Or(o.Threshold, float64(m.Threshold))}
	if o.Weights != nil {
		own := m
		own.Own, own.Threshold = o.Weights.own, o.Weights.threshold
		p.own = &own
	}
	return p, nil
}

// Speaks reports whether p would answer without a model: whether the score of v has reached Options.Threshold.
func (p *Policy) Speaks(v heartflow.Verdict) bool {
	_, threshold := p.model()
	return v.Score >= threshold
}

// model returns the model in use with its threshold.
func (p *Policy) model() (*lookback.Model, float64) {
	if p.own != nil && !p.o.Weights.revoked.Load() {
		return p.own, cmp.Or(p.o.Threshold, float64(p.own.Threshold))
	}
	return lookback.ModelOf(p), p.threshold
}

// Judge implements [heartflow.Policy].
func (p *Policy) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	messages := lookback.ViewOf(m).Messages
	model, threshold := p.model()
	v := heartflow.Verdict{Why: whyNotCalled}
	if score, why := explain(m, model, messages); why != nil {
		v.Score, v.Why = float64(score), why
	}
	if m.Addressed && slices.Contains(m.AddressedBy, heartflow.WhyPrivate) {
		v.Score = 1
	}
	pass := m.Gate(heartflow.Gate{Code: WhyLikely, Value: v.Score, Threshold: threshold, Pass: v.Score >= threshold})
	if m.Welcome != 0 {
		v.Score = min(v.Score*(1+m.Welcome), 1)
		if v.Score >= threshold != pass {
			pass = m.Gate(heartflow.Gate{Code: heartflow.WhyWelcome, Value: m.Welcome, Pass: !pass})
			v.Why = whyWelcome
		}
	}
	switch {
	case pass && v.Score >= cmp.Or(p.o.Sure, 2):
		v.Do = heartflow.Speak
	case pass || m.Addressed:
		v.Do = heartflow.Ask
	case m.AddressedEarlier:
		v.Why = whyStale
	}
	if m.Addressed {
		v.Why = m.AddressedBy
	}
	return v
}

// Shared by all verdicts to avoid allocations.
var (
	whyNotCalled = []heartflow.Code{heartflow.WhyNotCalled}
	whyStale     = []heartflow.Code{heartflow.WhyStale}
	whyWelcome   = []heartflow.Code{heartflow.WhyWelcome}
)

//go:embed weights.txt
var weights string

// parsed parses the weights once.
var parsed = sync.OnceValues(func() (*lookback.Model, error) {
	m, err := lookback.Parse(weights)
	if err == nil {
		m.Compile()
	}
	return m, err
})
