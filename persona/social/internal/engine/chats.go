package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// Chat returns what is in memory of a chat. A new one learns from the store what was seen and what was recalled.
func (b *Engine) Chat(ctx context.Context, chat persona.Chat) (*Chat, error) {
	b.mu.Lock()
	r, ok := b.rooms[chat]
	b.mu.Unlock()
	if ok {
		return r, nil
	}
	fresh := newRoom(chat, chatScope(chat))
	past, err := b.Memory.Recent(ctx, fresh.Space, Remembered)
	if err != nil {
		return nil, err
	}
	recalled, err := loadRecalled(ctx, b.Options.Store, chat)
	if err != nil {
		return nil, err
	}
	for _, key := range recalled {
		fresh.seen.recalled.Add(key)
	}
	for _, rec := range past {
		if _, _, ok := parseKey(rec.ID); ok {
			fresh.seen.first(rec.ID, rec.Own)
		}
	}
	if len(past) > 0 {
		fresh.seen.known.OpenGap() // what was said since the last stop
	}
	if err := b.forget(ctx, fresh, fresh.Space, past); err != nil {
		return nil, err
	}
	for _, p := range b.parts {
		if p.Meet != nil {
			if err := p.Meet(ctx, fresh, past); err != nil {
				return nil, err
			}
		}
	}
	o := b.Options.Chats(chat)
	fresh.Off, fresh.Public, fresh.Banned = o.Off, o.Public, cmp.Or(o.Banned, b.Options.Banned)

	b.mu.Lock()
	defer b.mu.Unlock()
	if r, ok := b.rooms[chat]; ok { // somebody was faster
		return r, nil
	}
	if !o.Attention.IsZero() || o.SpeakLess || o.NoFocus {
		if err := b.configure(chat, o); err != nil {
			b.Log.Error("the settings of a chat are invalid, and not used", "chat", chat, "err", err)
		}
	}
	b.rooms[chat] = fresh
	return fresh, nil
}

// ChatOf is where a space was heard. Secret ones are no chat's: nothing is made of what must not be told.
func (b *Engine) ChatOf(ctx context.Context, s memory.Space) (r *Chat, ok bool, err error) {
	if s == memory.Owner {
		return b.Owners, true, nil
	}
	var chat persona.Chat
	if s.IsSecret() || chat.UnmarshalText([]byte(s)) != nil {
		return nil, false, nil
	}
	r, err = b.Chat(ctx, chat)
	return r, err == nil && !r.Off, err
}

// ChatOfOrigin returns where a job of that origin runs.
func (b *Engine) ChatOfOrigin(ctx context.Context, m schedule.Origin) (*Chat, error) {
	switch {
	case m.Mode == persona.Agent:
		return b.Owners, nil
	case m.Chat == (persona.Chat{}):
		return b.Self, nil
	}
	return b.Chat(ctx, m.Chat)
}

// KnownChats are the chats that memory holds, be it in their secret spaces alone.
func (b *Engine) KnownChats(ctx context.Context) ([]persona.Chat, error) {
	spaces, err := b.Memory.Spaces(ctx)
	var chats []persona.Chat
	for _, s := range spaces {
		var c persona.Chat
		if c.UnmarshalText([]byte(s.Base())) == nil && !slices.Contains(chats, c) {
			chats = append(chats, c)
		}
	}
	return chats, err
}

// aloneRoom is the room of the persona by itself. No link ever hears from its chat.
func aloneRoom() *Chat {
	return newRoom(persona.Chat{Platform: "app", Kind: persona.Private, ID: "self"}, selfScope())
}

// ownerRoom is the room of agent mode. No link ever hears from its chat.
func ownerRoom() *Chat {
	chat := persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
	return newRoom(chat, ownerScope(chat))
}
