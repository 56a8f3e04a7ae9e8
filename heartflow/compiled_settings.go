package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// compiledSettings are validated Settings, filled up from the Options. They are immutable.
type compiledSettings struct {
	off         bool
	policy      Policy
	lexicon     *lexicon
	activeFor   time.Duration
	maxRenewals int
	caps        Caps
	limits      *Limits // nil means those of the budget
	quietHours  *QuietHours
	begin       *Begin // nil: the bot begins no talk
	energy      Energy
	staleness   Staleness
	model       *lookback.Model // of a policy with a lookback.Source; nil for other policies
}

// limitsOf returns the limits of the chat in b.
func (t *compiledSettings) limitsOf(b *Budget) Limits {
	if t.limits != nil {
		return *t.limits
	}
	return b.o.PerChat
}

// addressedBy returns the reasons for which m addresses the bot. It searches the text only if there is no other
// reason.
func (t *compiledSettings) addressedBy(m *Message) (by reasons) {
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
	return t.lexicon.find(m.Text, len(m.Addressees) == 0)
}
