package social

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// muteKey is the row that says until when the platform has muted a chat.
func muteKey(chat persona.Chat) string { return "mute/" + chat.String() }

// muted closes a chat for sending, or opens it, and tells the owner once.
func (b *Being) muted(ctx context.Context, e persona.Muted) {
	now := time.Now()
	row, err := e.Until.MarshalText()
	b.mu.Lock()
	b.mutes[e.Chat] = e.Until
	if e.Until.IsZero() {
		row = nil
		delete(b.mutes, e.Chat)
	}
	b.mu.Unlock()
	b.reclose(now, e.Chat)
	if err == nil {
		err = b.opts.Store.Apply(ctx, map[string][]byte{muteKey(e.Chat): row})
	}
	if err != nil {
		b.log.Error("that a chat is muted, or is no more, was not kept", "chat", e.Chat, "err", err)
	}
	if e.Until.IsZero() {
		return
	}
	b.tell(ctx, "在 "+e.Chat.String()+" 被禁言，直到 "+e.Until.In(b.opts.Location).Format(time.DateTime))
}

func (b *Being) tell(ctx context.Context, text string) {
	b.log.Warn("the owner should know", "text", text)
	if b.opts.Notify == nil {
		return
	}
	if err := b.opts.Notify(ctx, text); err != nil {
		b.log.Error("the owner was not told", "text", text, "err", err)
	}
}

// leftKey is the row that says that the account is no longer in a chat.
func leftKey(chat persona.Chat) string { return "left/" + chat.String() }

// left closes a chat that the account is no longer in, until it is back.
func (b *Being) left(ctx context.Context, e persona.Left) {
	b.mu.Lock()
	was := b.away[e.Chat]
	b.away[e.Chat] = true
	b.mu.Unlock()
	if was {
		return
	}
	b.reclose(time.Now(), e.Chat)
	if err := b.opts.Store.Apply(ctx, map[string][]byte{leftKey(e.Chat): []byte(e.By)}); err != nil {
		b.log.Error("that the account left a chat was not kept", "chat", e.Chat, "err", err)
	}
	text := "已不在 " + e.Chat.String() + " 里"
	if e.By != "" {
		text += "，是 " + e.By + " 移出的"
	}
	b.tell(ctx, text)
}

// back opens it again: whoever hears a chat is in it.
func (b *Being) back(ctx context.Context, chat persona.Chat) {
	b.mu.Lock()
	was := b.away[chat]
	delete(b.away, chat)
	b.mu.Unlock()
	if !was {
		return
	}
	b.reclose(time.Now(), chat)
	if err := b.opts.Store.Apply(ctx, map[string][]byte{leftKey(chat): nil}); err != nil {
		b.log.Error("that the account is back in a chat was not kept", "chat", chat, "err", err)
	}
}

// restoreLeft takes up which chats are closed since the account left them.
func (b *Being) restoreLeft(ctx context.Context) error {
	rows, err := b.opts.Store.Load(ctx, "left/")
	for key := range rows {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(strings.TrimPrefix(key, "left/"))) != nil {
			continue
		}
		b.away[chat] = true
		b.attention.Mute(time.Now(), chat, time.Time{})
	}
	return err
}

// restoreMuted takes up which chats the platform has muted: other reasons to close them come and go meanwhile.
func (b *Being) restoreMuted(ctx context.Context) error {
	now := time.Now()
	rows, err := b.opts.Store.Load(ctx, "mute/")
	for key, row := range rows {
		var chat persona.Chat
		var until time.Time
		if chat.UnmarshalText([]byte(strings.TrimPrefix(key, "mute/"))) != nil || until.UnmarshalText(row) != nil || !until.After(now) {
			continue
		}
		b.mu.Lock()
		b.mutes[chat] = until
		b.mu.Unlock()
		b.reclose(now, chat)
	}
	return err
}
