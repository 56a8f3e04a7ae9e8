package engine

import (
	"context"
	"log/slog"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// ShowTyping shows the link's typing indicator, if it has one, until stop is called.
func (f Features) ShowTyping(ctx context.Context, log *slog.Logger, chat persona.Chat) (stop func()) {
	if f.Typing == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := f.Typing(ctx, chat); err != nil && ctx.Err() == nil {
			log.Debug("could not show the typing indicator", "chat", chat, "err", err)
		}
	}()
	return func() { cancel(); <-over }
}

// showThinking shows the typing indicator while the model writes a reply to a batch, until stop is called. Groups have
// none. A thought or a plan shows nothing, because often no reply follows.
func showThinking(ctx context.Context, t *Turn, p prompt.Kind) (stop func()) {
	if t.utterance == nil || t.Chat.ID.Kind != persona.Private || p != prompt.SingleCall && p != prompt.Write {
		return func() {}
	}
	return t.Engine.Options.Features.ShowTyping(ctx, t.Engine.Log, t.Chat.ID)
}
