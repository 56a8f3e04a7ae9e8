package heartflow

import (
	"cmp"
	"errors"
	"time"
)

// Partner lets the model decide when the bot is called, and when the one whom it last spoke with goes on and does not
// turn to another. It is a plain rule to measure other policies by.
type Partner struct {
	Within time.Duration // since the bot last spoke; 0 means 5 minutes
}

// LooksBack has the Attention keep the last lines of a chat.
func (Partner) LooksBack() bool { return true }

// Validate refuses a negative time.
func (p Partner) Validate() error {
	if p.Within < 0 {
		return errors.New("heartflow: Within of Partner must be positive, or 0 for the default")
	}
	return nil
}

// Judge implements [Policy].
func (p Partner) Judge(m *Moment) Verdict {
	if m.Called {
		return Verdict{Do: Ask, Score: 1, Why: m.Calls}
	}
	for i := range m.looks {
		partner, toOthers := m.looks[i].Mine(cmp.Or(p.Within, 5*time.Minute).Seconds())
		if partner && !toOthers && !m.Batch[i].ToOther() {
			return Verdict{Do: Ask, Score: 1, Why: onlyPartner}
		}
	}
	return MentionOnly{}.Judge(m)
}

var onlyPartner = []Code{WhyPartner}
