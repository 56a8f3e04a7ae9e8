package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// Focus drives chats that have the bot's full attention. Without one the bot only answers.
type Focus interface {
	// Due lets happen what is due in attention.
	Due(now time.Time)
	// Rest waits until the cycle of a chat has rested, so that a batch that came meanwhile is judged, and not passed over.
	Rest(ctx context.Context, chat persona.Chat) error
	// On reports that a chat has the bot's full attention.
	On(chat persona.Chat) bool
	// Ask is the ask of a turn in such a chat.
	Ask(ctx context.Context, t *Turn) (Answer, error)
	// Done is told what became of the words that Ask gave.
	Done(t *Turn, err error)
}
