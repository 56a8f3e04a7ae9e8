package social

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/trace"
)

// LinkHealth returns the state of each connection to a platform: whether it is up, how fast its calls are, its queue, and how often
// and why it was lost. It is nil if the link has no [LinkFeatures.Health].
func (b *Bot) LinkHealth() []trace.LinkHealth {
	if health := b.engine.Options.Features.Health; health != nil {
		return health()
	}
	return nil
}

// Allowance returns how many messages the platform permits in a chat now. ok is false if the platform has no such limit.
func (b *Bot) Allowance(chat persona.Chat) (a trace.Allowance, ok bool) {
	if allowance := b.engine.Options.Features.Allowance; allowance != nil {
		return allowance(time.Now(), chat)
	}
	return a, false
}

// Budget returns how much of the budget of all chats together is used, and what that restricts. It counts over restarts.
func (b *Bot) Budget() heartflow.BudgetState {
	return b.engine.Options.Attention.Budget.State(time.Now())
}

// ChatBudget returns the level of a chat by all limits, with its own usage and limits.
func (b *Bot) ChatBudget(chat persona.Chat) heartflow.BudgetState {
	return b.engine.Attention.BudgetState(time.Now(), chat)
}

// UsageByModel returns the usage of all model calls since New by the name of the model, which is "" for a model without one.
// Its sum is that of [Bot.Usage].
func (b *Bot) UsageByModel() map[string]models.Usage { return b.engine.Models.UsageByModel() }
