package changes

import (
	"context"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

type actorKey struct{}

type actor struct {
	by      string
	account persona.Account
}

// WithActor returns a context whose changes are made by somebody: by says how, such as "page".
func WithActor(ctx context.Context, by string, who persona.Account) context.Context {
	return context.WithValue(ctx, actorKey{}, actor{by, who})
}

// actorOf returns who makes the changes of ctx.
func actorOf(ctx context.Context) actor {
	if a, ok := ctx.Value(actorKey{}).(actor); ok {
		return a
	}
	if engine.TurnFrom(ctx) != nil {
		return actor{by: ByTool}
	}
	return actor{by: ByCode}
}
