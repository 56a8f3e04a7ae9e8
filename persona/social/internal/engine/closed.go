package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// muted closes a chat for sending, or opens it, and tells the owner once.
func (b *Engine) muted(ctx context.Context, e persona.Muted) {
	if err := b.presence.SetMuted(ctx, time.Now(), e.Chat, e.Until); err != nil {
		b.Log.Error("that a chat is muted, or is no more, was not kept", "chat", e.Chat, "err", err)
	}
	if !e.Until.IsZero() {
		b.NotifyOwner(ctx, "在 "+e.Chat.String()+" 被禁言，直到 "+e.Until.In(b.Options.Location).Format(time.DateTime))
	}
}

// closing is told of events.
func (b *Engine) closing(ctx context.Context, e persona.Event) {
	switch e := e.(type) {
	case persona.Message:
		b.back(ctx, e.Chat)
	case persona.Muted:
		b.muted(ctx, e)
	case persona.Left:
		b.left(ctx, e)
	case persona.Joined:
		b.back(ctx, e.Chat)
	}
}

// left closes a chat that the account is no longer in, until it is back.
func (b *Engine) left(ctx context.Context, e persona.Left) {
	news, err := b.presence.SetLeft(ctx, time.Now(), e.Chat, true, e.By)
	if err != nil {
		b.Log.Error("that the account left a chat was not kept", "chat", e.Chat, "err", err)
	}
	if !news {
		return
	}
	text := "已不在 " + e.Chat.String() + " 里"
	if e.By != "" {
		text += "，是 " + e.By + " 移出的"
	}
	b.NotifyOwner(ctx, text)
}

// back opens it again: whoever hears a chat is in it.
func (b *Engine) back(ctx context.Context, chat persona.Chat) {
	if _, err := b.presence.SetLeft(ctx, time.Now(), chat, false, ""); err != nil {
		b.Log.Error("that the account is back in a chat was not kept", "chat", chat, "err", err)
	}
}

func (b *Engine) NotifyOwner(ctx context.Context, text string) {
	b.Log.Warn("the owner should know", "text", text)
	if b.Options.Notify == nil {
		return
	}
	if err := b.Options.Notify(ctx, text); err != nil {
		b.Log.Error("the owner was not told", "text", text, "err", err)
	}
}
