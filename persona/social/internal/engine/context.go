package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

type turnKey struct{}

// WithTurn returns a context that carries a turn to the tools that it calls.
func WithTurn(ctx context.Context, t *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// TurnFrom returns the turn that ctx carries, or nil.
func TurnFrom(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// backgroundKey is the context key of the chat of a background call.
type backgroundKey struct{}

// chatOf returns the chat of a model call, and whether it is a background call. The chat is zero for a call without a chat.
func chatOf(ctx context.Context) (chat persona.Chat, background bool) {
	if c, ok := ctx.Value(backgroundKey{}).(*Chat); ok {
		return c.ID, true
	}
	if t := TurnFrom(ctx); t != nil {
		return t.Chat.ID, false
	}
	return chat, false
}

// DetachedContext returns a context for writes that must succeed after ctx has ended. It lasts 3 seconds.
func DetachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
}
