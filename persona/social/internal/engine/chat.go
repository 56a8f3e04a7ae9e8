package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// A Chat is what the engine keeps in memory of one chat while it runs.
type Chat struct {
	ID persona.Chat
	Scope
	Off     bool
	Public  bool // everybody may read what is said here
	Banned  *heartflow.Filter
	Hearing Latch // held while a message is perceived: live ones and back-filled ones take turns
	Turn    Latch // held by the turn in flight
	door    Latch // held by a turn, of no wake, from before a talk gives way to it until it has the mind
	Wakes   Latch // held by the wake that is the next such turn
	tongue  Latch // held from the wait for the limiter until the send has its result

	mu      sync.Mutex
	name    string // the chat's own name
	seen    sightings
	current *Turn // the one in flight

	thinks *Turn // a talk of the background in flight that gives way
	enters bool  // a turn, of no wake, waits for mind
	called bool  // somebody waits for that turn, or for one that comes after it

	thought string         // the latest one about this chat
	deeds   []persona.Deed // the last, oldest first

}

func newRoom(chat persona.Chat, s Scope) *Chat {
	return &Chat{ID: chat, Scope: s, Hearing: NewLatch(), Turn: NewLatch(), door: NewLatch(), Wakes: NewLatch(), tongue: NewLatch(), seen: newSightings()}
}

func (r *Chat) entitle(name string) {
	if name == "" {
		return
	}
	r.mu.Lock()
	r.name = name
	r.mu.Unlock()
}

// Thought is the latest one about the chat, of a turn that thinks before it answers.
func (r *Chat) Thought() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.thought
}

// Title is the chat's own name; "" when it is unknown.
func (r *Chat) Title() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name
}

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
	if !o.Attention.IsZero() || o.Down || o.NoFocus {
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
func (b *Engine) ChatOfOrigin(ctx context.Context, m persona.Maker) (*Chat, error) {
	switch {
	case m.Mode == persona.Agent:
		return b.Owners, nil
	case m.Chat == (persona.Chat{}):
		return b.Self, nil
	}
	return b.Chat(ctx, m.Chat)
}

// aloneRoom is the room of the persona by itself. No link ever hears from its chat.
func aloneRoom() *Chat {
	return newRoom(persona.Chat{Platform: "app", Kind: persona.Private, ID: "self"}, selfScope())
}

// Chats are those of all chats, in order.
func (b *Engine) Chats() []*Chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*Chat, 0, len(b.rooms))
	for _, r := range b.rooms {
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y *Chat) int { return cmp.Compare(x.ID.String(), y.ID.String()) })
	return all
}

// Met is a chat of which something was heard since the start; nil: nothing was.
func (b *Engine) Met(chat persona.Chat) *Chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rooms[chat]
}

// observed is the message as attention hears it.
func (b *Engine) observed(m persona.Message, again bool) heartflow.Message {
	return heartflow.Message{
		ID: messageID(m.Key), From: m.From, Text: m.Text, At: m.At, To: m.Mentions, Bot: m.Bot, Own: m.Own,
		AtMe: m.AtMe, ReplyToMe: m.Quote != nil && m.Quote.Own, Private: m.Chat.Kind == persona.Private, Quote: b.key(m.ReplyTo),
		Again: again,
	}
}

// A latch is a lock that a wait can give up on, and that a virtual clock can pass.
type Latch chan struct{}

// NewLatch returns a latch that nobody holds.
func NewLatch() Latch { return make(Latch, 1) }

// Lock waits for the latch. It gives up when ctx ends.
func (l Latch) Lock(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	default:
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock releases the latch, which must be held.
func (l Latch) Unlock() { <-l }
