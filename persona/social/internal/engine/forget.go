package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// ForgetPerson forgets somebody everywhere.
func (b *Engine) ForgetPerson(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error) {
	if who.Platform == "" || who.ID == "" {
		return 0, errors.New("social: forget whom? The account has no platform or no ID")
	}
	if err := b.Begun(ctx); err != nil {
		return 0, err
	}
	private := persona.Chat{Platform: who.Platform, Kind: persona.Private, ID: who.ID}
	if err := b.Tombstones.add(ctx, b.Options.Store, time.Now(), personDigest(who), chatDigest(private)); err != nil {
		return 0, fmt.Errorf("social: forget: %w", err)
	}
	theirs := func(m persona.Message) bool {
		return m.Chat.Platform == who.Platform && (m.Chat == private || m.From == who.ID || m.Quote != nil && m.Quote.From == who.ID)
	}
	for _, r := range append(b.Chats(), b.Self) {
		if err := b.quiet(ctx, r, theirs); err != nil {
			return 0, err
		}
	}
	public, err := b.uncount(ctx, who)
	if err != nil {
		return 0, err
	}
	return b.withSelf(ctx, public, func() (int, error) {
		return b.Memory.ForgetPerson(ctx, who.ID, &memory.ForgetOptions{Private: []memory.Space{memory.Space(private.String())}, Progress: progress})
	})
}

// ForgetChat forgets a chat.
func (b *Engine) ForgetChat(ctx context.Context, chat persona.Chat, progress func(done, total int)) (records int, err error) {
	if _, err := chat.MarshalText(); err != nil || chat == (persona.Chat{}) {
		return 0, fmt.Errorf("social: forget which chat? %w", cmp.Or(err, errors.New("it is none")))
	}
	if err := b.Begun(ctx); err != nil {
		return 0, err
	}
	if err := b.Tombstones.add(ctx, b.Options.Store, time.Now(), chatDigest(chat)); err != nil {
		return 0, fmt.Errorf("social: forget: %w", err)
	}
	r, err := b.Chat(ctx, chat)
	if err != nil {
		return 0, err
	}
	for _, r := range []*Chat{r, b.Self} {
		if err := b.quiet(ctx, r, func(m persona.Message) bool { return m.Chat == chat }); err != nil {
			return 0, err
		}
	}
	public, _, err := b.saidBy(ctx, r, "")
	if err != nil {
		return 0, err
	}
	return b.withSelf(ctx, public, func() (int, error) {
		return b.Memory.ForgetSpace(ctx, memory.Space(chat.String()), &memory.ForgetOptions{Progress: progress})
	})
}

// allRooms are those of all chats, in order.
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

// quiet takes what is to be forgotten out of what a chat holds while the being runs. It returns when nothing is under way
// there any more that began before.
func (b *Engine) quiet(ctx context.Context, r *Chat, gone func(persona.Message) bool) error {
	if err := r.Hearing.Lock(ctx); err != nil { // what is being heard is kept first
		return err
	}
	b.gather.Drop(r.ID, func(m Incoming) bool { return m.Wanted == "" && gone(m.Message) && !r.alive(b, m) })
	r.Hearing.Unlock()
	r.mu.Lock()
	t := r.current
	r.thought, r.deeds = "", nil
	r.mu.Unlock()
	for _, p := range b.parts {
		if p.Drop != nil {
			p.Drop(r, gone)
		}
	}
	if t != nil && slices.ContainsFunc(t.Items, gone) {
		t.lose(ErrForgotten)
	}
	if t := TurnFrom(ctx); t != nil && t.Chat == r {
		return nil // a tool of this very turn forgets
	}
	if err := r.Turn.Lock(ctx); err != nil {
		return err
	}
	r.Turn.Unlock()
	return nil
}

// alive is lives for a message that waits.
func (r *Chat) alive(b *Engine, m Incoming) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lives(b, &m.Message)
}

// uncount forgets what attention has counted in the chats where somebody spoke, and what the being planned there on
// nobody's behalf, as that may be of what they said. It gives the IDs of what they said in public.
func (b *Engine) uncount(ctx context.Context, who persona.Account) (public []string, err error) {
	spaces, err := b.Memory.Spaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("social: forget: %w", err)
	}
	for _, s := range spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s.Plain())) != nil || chat.Platform != who.Platform {
			continue
		}
		r, err := b.Chat(ctx, chat)
		if err != nil {
			return nil, err
		}
		open, spoke, err := b.saidBy(ctx, r, who.ID)
		if err != nil {
			return nil, err
		}
		public = append(public, open...)
		if !spoke {
			continue
		}
		b.Attention.Forget(chat)
		if err := b.ForgetOwn(ctx, r.Scope); err != nil {
			return nil, err
		}
	}
	return public, nil
}

// forgotten is told by memory, before it is noted as done: the rows that the engine and its parts keep beside it go.
func (b *Engine) forgotten(ctx context.Context, f memory.Forgotten) error {
	rows := map[string][]byte{}
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		b.takeDoubts(chat)
		if err := b.Jobs.ForgetChat(ctx, chat); err != nil {
			return err
		}
		b.mu.Lock()
		if r := b.rooms[chat]; r != nil {
			r.mu.Lock()
			r.seen, r.name = newSightings(), ""
			r.mu.Unlock()
		}
		b.mu.Unlock()
		b.Attention.Forget(chat)
		b.Options.Attention.Budget.Forget(chat.String())
		rows[recalledKey(chat)] = nil
	}
	if f.Person != "" {
		if err := b.Jobs.ForgetTexts(ctx); err != nil {
			return err
		}
	}
	for _, p := range b.parts {
		if p.Erase != nil {
			if err := p.Erase(ctx, f, rows); err != nil {
				return err
			}
		}
	}
	if err := b.Options.Store.Apply(ctx, rows); err != nil {
		return err
	}
	return b.recount(ctx, f.Person)
}

// recount writes what attention has counted, without somebody: who was forgotten while the being was killed may be in it.
func (b *Engine) recount(ctx context.Context, person string) error {
	counts, err := b.Attention.SnapshotCounts()
	if err != nil {
		return err
	}
	if person != "" && bytes.Contains(counts, []byte(`"`+person+`"`)) {
		chats, err := b.KnownChats(ctx)
		if err != nil {
			return err
		}
		for _, chat := range chats {
			b.Attention.Forget(chat)
		}
		b.Log.Warn("what was counted in all chats is forgotten with somebody", "chats", len(chats))
	}
	return b.writeAttention(ctx)
}
