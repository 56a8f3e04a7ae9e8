package baseline

import (
	"cmp"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// PartnerOptions configure a [Partner].
type PartnerOptions struct {
	Within time.Duration // maximum time since the bot spoke; 0 means 5 minutes
}

// Partner asks a model about messages that address the bot. It also asks if the bot's last partner writes and
// addresses nobody else.
type Partner struct {
	source
	within time.Duration
}

// NewPartner returns an error if Within is negative.
func NewPartner(o PartnerOptions) (*Partner, error) {
	if o.Within < 0 {
		return nil, errors.New("baseline: Partner: Within must not be negative")
	}
	s, err := newSource(false)
	return &Partner{s, cmp.Or(o.Within, 5*time.Minute)}, err
}

// Judge implements [heartflow.Policy].
func (p *Partner) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	if m.Addressed {
		return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: m.AddressedBy}
	}
	for i, seen := range lookback.ViewOf(m).Messages {
		partner, toOthers := seen.Features.Mine(p.within.Seconds())
		if partner && !toOthers && !m.Batch[i].ToOthers() {
			return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: []heartflow.Code{heartflow.WhyPartner}}
		}
	}
	return heartflow.MentionOnly{}.Judge(m)
}
