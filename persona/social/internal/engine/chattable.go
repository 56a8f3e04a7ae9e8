package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hearth-bot/hearth/persona"
)

// A chatTable holds the chats in memory and applies their options.
type chatTable struct {
	engine        *Engine
	mu            sync.Mutex
	chats         map[persona.Chat]*Chat
	optionChanges atomic.Uint64 // counts changes of what Options.Chats returns
}

// Chats returns the chats in memory, sorted by id.
func (t *chatTable) Chats() []*Chat {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*Chat, 0, len(t.chats))
	for _, c := range t.chats {
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y *Chat) int { return cmp.Compare(x.ID.String(), y.ID.String()) })
	return all
}

// LoadedChat returns a chat if it is in memory, and otherwise nil.
func (t *chatTable) LoadedChat(chat persona.Chat) *Chat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.chats[chat]
}

// addChat adds a chat with its options, unless another goroutine has already added it. It returns ok = false if the
// options have changed since the caller read them.
func (t *chatTable) addChat(fresh *Chat, o ChatOptions, changes uint64) (c *Chat, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.chats[fresh.ID]; ok {
		return c, true
	}
	if t.optionChanges.Load() != changes {
		return nil, false
	}
	if o.Off || !o.Attention.IsZero() || o.SpeakLess || o.NoFocus {
		if err := t.engine.configure(fresh.ID, o); err != nil {
			t.engine.Log.Error("the settings of a chat are invalid and are ignored", "chat", fresh.ID, "err", err)
		}
	}
	t.setOptions(fresh, o)
	t.chats[fresh.ID] = fresh
	return fresh, true
}

func (t *chatTable) setOptions(c *Chat, o ChatOptions) {
	o.Banned = cmp.Or(o.Banned, t.engine.Options.Banned)
	c.options.Store(&o)
}

// OptionsChanged reports that [Options].Chats now returns other options. A chat that is being loaded gets the new ones. A
// loaded chat keeps its options until [Engine.Reconfigure].
func (t *chatTable) OptionsChanged() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.optionChanges.Add(1)
}

// Reconfigure applies the current options of a chat, which Options.Chats returns. If they are invalid, the old ones
// stay. Calls for one chat must not overlap.
func (t *chatTable) Reconfigure(chat persona.Chat) error {
	t.OptionsChanged()
	c := t.LoadedChat(chat)
	if c == nil { // the next message of the chat creates it with the new options
		return nil
	}
	o := t.engine.Options.Chats(chat)
	if err := t.engine.configure(chat, o); err != nil {
		return err
	}
	t.setOptions(c, o)
	t.engine.AttentionLoop.Wake()
	return nil
}
