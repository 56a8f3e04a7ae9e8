package engine

import (
	"bytes"
	"context"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// Drain takes what is to be forgotten out of what a chat holds while the being runs. It returns when nothing is under way
// there any more that began before.
func (b *Engine) Drain(ctx context.Context, r *Chat, gone func(persona.Message) bool) error {
	if err := r.Hearing.Lock(ctx); err != nil { // what is being heard is kept first
		return err
	}
	b.Buffer.Drop(r.ID, func(m Incoming) bool { return m.Wanted == "" && gone(m.Message) && !r.alive(b, m) })
	r.Hearing.Unlock()
	r.mu.Lock()
	t := r.current
	r.thought, r.thoughtOf, r.deeds = "", nil, nil
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

// forgotten is told by memory, before it is noted as done: the rows that the engine and its parts keep beside it go.
func (b *Engine) forgotten(ctx context.Context, f memory.Erasure) error {
	rows := map[string][]byte{}
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		b.unconfirmed.takeDoubts(chat)
		if err := b.Jobs.EraseChat(ctx, chat); err != nil {
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
		if err := b.Jobs.EraseTexts(ctx); err != nil {
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
	counts, err := b.Attention.SnapshotWithoutMessages()
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
	return b.keeper.writeAttention(ctx)
}
