package baseline

import (
	"cmp"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// PartnerOptions of a [Partner].
type PartnerOptions struct {
	Within time.Duration // since the bot last spoke; 0 means 5 minutes
}

// Partner asks a model when the bot is called. It also asks when the person whom the bot last spoke to goes on and does not
// address anybody else.
type Partner struct {
	source
	within time.Duration
}

// NewPartner returns an error where Within is negative.
func NewPartner(o PartnerOptions) (*Partner, error) {
	if o.Within < 0 {
		return nil, errors.New("baseline: Within of Partner must be positive, or 0 for the default")
	}
	s, err := newSource()
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
