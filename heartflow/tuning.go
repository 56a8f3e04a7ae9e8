package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// A tuning is Settings in use. It does not change.
type tuning struct {
	off      bool
	policy   Policy
	words    *lexicon
	active   time.Duration
	renewals int
	caps     Caps
	limits   *Limits // nil: as the budget has it
	quiet    *QuietHours
	energy   Energy
	fresh    Staleness
	back     *lookback.Model // of a policy with a lookback.Source; nil: it has none
}

// limitsOf returns what a chat may use of b.
func (t *tuning) limitsOf(b *Budget) Limits {
	if t.limits != nil {
		return *t.limits
	}
	return b.o.PerChat
}

// calls says by what m calls. Its text is looked through only where nothing else calls.
func (t *tuning) calls(m *Message) (by calls) {
	if m.Own {
		return 0
	}
	if m.Private {
		by |= isPrivate
	}
	if m.AtMe {
		by |= isMention
	}
	if m.ReplyToMe {
		by |= isReply
	}
	if by != 0 || t.off {
		return by
	}
	return t.words.find(m.Text, len(m.Addressees) == 0)
}
