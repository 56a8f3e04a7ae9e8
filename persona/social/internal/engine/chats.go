package engine

import (
	"context"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// Chat returns the state of a chat. For a chat that is not in memory it loads the known and the recalled messages
// from the store.
func (e *Engine) Chat(ctx context.Context, chat persona.Chat) (*Chat, error) {
	e.mu.Lock()
	c, ok := e.chats[chat]
	e.mu.Unlock()
	if ok {
		return c, nil
	}
	fresh := newChat(chat, chatScope(chat))
	past, err := e.Memory.Recent(ctx, fresh.Space, Remembered)
	if err != nil {
		return nil, err
	}
	recalled, err := loadRetracted(ctx, e.Options.Store, chat)
	if err != nil {
		return nil, err
	}
	for _, key := range recalled {
		fresh.seen.recalled.Add(key)
	}
	for _, rec := range past {
		if _, _, ok := parseKey(rec.ID); ok {
			fresh.seen.add(rec.ID, rec.Own)
		}
	}
	if len(past) > 0 {
		fresh.seen.known.OpenGap() // messages since the last stop are missing
	}
	if err := e.deleteRetracted(ctx, fresh, fresh.Space, past); err != nil {
		return nil, err
	}
	for _, p := range e.parts {
		if p.LoadChat != nil {
			if err := p.LoadChat(ctx, fresh, past); err != nil {
				return nil, err
			}
		}
	}
	for {
		changes := e.optionChanges.Load()
		o := e.Options.Chats(chat)
		if c, ok := e.addChat(fresh, o, changes); ok {
			return c, nil
		}
	}
}

// ChatOfSpace returns the chat of a space, and whether the bot handles it. Secret spaces have none: nothing is derived
// from them.
func (e *Engine) ChatOfSpace(ctx context.Context, s memory.Space) (c *Chat, ok bool, err error) {
	if s == memory.Owner {
		return e.OwnerChat, true, nil
	}
	var chat persona.Chat
	if s.IsSecret() || chat.UnmarshalText([]byte(s)) != nil {
		return nil, false, nil
	}
	c, err = e.Chat(ctx, chat)
	return c, err == nil && !c.Off(), err
}

// ChatOfOrigin returns the chat in which jobs of an origin run.
func (e *Engine) ChatOfOrigin(ctx context.Context, m schedule.Origin) (*Chat, error) {
	switch {
	case m.Mode == persona.Agent:
		return e.OwnerChat, nil
	case m.Chat == (persona.Chat{}):
		return e.SelfChat, nil
	}
	return e.Chat(ctx, m.Chat)
}

// KnownChats returns the chats that have records in memory, secret ones included.
func (e *Engine) KnownChats(ctx context.Context) ([]persona.Chat, error) {
	spaces, err := e.Memory.Spaces(ctx)
	var chats []persona.Chat
	for _, s := range spaces {
		var c persona.Chat
		if c.UnmarshalText([]byte(s.Base())) == nil && !slices.Contains(chats, c) {
			chats = append(chats, c)
		}
	}
	return chats, err
}

// newSelfChat returns the chat of autonomous turns without a chat. No link sends its messages.
func newSelfChat() *Chat {
	return newChat(persona.Chat{Platform: "app", Kind: persona.Private, ID: "self"}, selfScope())
}

// OwnerConversation is the owner's conversation in agent mode. No link sends its messages.
var OwnerConversation = persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}

func newOwnerChat() *Chat { return newChat(OwnerConversation, ownerScope(OwnerConversation)) }
