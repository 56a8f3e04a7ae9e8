package learned

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// Options of a [Policy].
type Options struct {
	Threshold float64 // the policy wants to answer from this score on, 0 to 1; 0 means the best F1 score in cross-validation, about .3
	Sure      float64 // the verdict is Speak from this score on, 0 to 1; 0 means never: a model is always asked
}

// A Policy is a [heartflow.Policy] that needs no model. Its score is the chance that the bot would answer a message, as
// it has behaved in this chat so far. The score depends on whom the message addresses, whether it continues a talk of the
// bot and how long ago that was, who else talks with its author, its words, and how readily the bot answers in this chat.
// The score of a batch is the highest of its messages; in a private chat it is 1.
//
// The verdict is Silent below Options.Threshold, Ask from there on, and Speak from Options.Sure on. If a message calls
// the bot, the verdict is at least Ask, whatever its score. A Policy does not change, and may be used concurrently.
//
// For each chat with such a policy, an Attention keeps the last 64 messages as hashes, in at most 26 kB. It finds out by
// the concrete type: a policy of your own that wraps a *Policy must embed it.
type Policy struct {
	source
	o         Options
	threshold float64
}

type source = lookback.Source

// New returns a Policy. It returns an error for a Threshold or a Sure that is not from 0 to 1.
func New(o Options) (*Policy, error) {
	if !(min(o.Threshold, o.Sure) >= 0 && max(o.Threshold, o.Sure) <= 1) {
		return nil, errors.New("learned: Threshold and Sure must be from 0 to 1")
	}
	m, err := parsed()
	if err != nil {
		return nil, err
	}
	return &Policy{lookback.NewSource(m), o, cmp.Or(o.Threshold, float64(m.Threshold))}, nil
}

// Speaks reports whether p would answer without asking a model: whether the score of v has reached Options.Threshold.
func (p *Policy) Speaks(v heartflow.Verdict) bool { return v.Score >= p.threshold }

// Judge implements [heartflow.Policy].
func (p *Policy) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	messages := lookback.ViewOf(m).Messages
	model := lookback.ModelOf(p)
	best, at := float32(-1), -1
	for i := range messages {
		if messages[i].Known && len(messages) > 1 {
			if score := model.Score(&messages[i].Features); score > best {
				best, at = score, i
			}
		} else if messages[i].Known {
			at = i
		}
	}
	v := heartflow.Verdict{Why: onlyNotCalled}
	if at >= 0 {
		best, v.Why = explain(m, model, &messages[at].Features)
		v.Score = float64(best)
	}
	if m.Addressed && slices.Contains(m.AddressedBy, heartflow.WhyPrivate) {
		v.Score = 1
	}
	pass := m.Gate(heartflow.Gate{Code: WhyLikely, Value: v.Score, Threshold: p.threshold, Pass: v.Score >= p.threshold})
	switch {
	case pass && v.Score >= cmp.Or(p.o.Sure, 2):
		v.Do = heartflow.Speak
	case pass || m.Addressed:
		v.Do = heartflow.Ask
	case m.AddressedEarlier:
		v.Why = onlyStale
	}
	if m.Addressed {
		v.Why = m.AddressedBy
	}
	return v
}

// Shared by all verdicts, so that judging need not allocate.
var (
	onlyNotCalled = []heartflow.Code{heartflow.WhyNotCalled}
	onlyStale     = []heartflow.Code{heartflow.WhyStale}
)

//go:embed weights.txt
var weights string

// parsed returns the weights. They are parsed once.
var parsed = sync.OnceValues(func() (*lookback.Model, error) { return lookback.Parse(weights) })
