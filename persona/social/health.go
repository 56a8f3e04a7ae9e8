package social

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
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
