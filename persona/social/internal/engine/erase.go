package engine

import (
	"bytes"
	"context"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Drain removes matching messages from the chat's state in memory, and cancels the turn that answers them. It returns
// when everything that was under way in the chat has ended.
func (e *Engine) Drain(ctx context.Context, c *Chat, gone func(persona.Message) bool) error {
	if err := c.ReceiveMu.Lock(ctx); err != nil { // a message that is being received is journaled first
		return err
	}
	e.Buffer.Drop(c.ID, func(m Incoming) bool { return m.TurnReason == "" && gone(m.Message) && !c.isValidItem(e, m) })
	c.ReceiveMu.Unlock()
	c.mu.Lock()
	t := c.active
	c.actions = nil
	c.mu.Unlock()
	for _, p := range e.parts {
		if p.DropPending != nil {
			p.DropPending(c, gone)
		}
	}
	if t != nil && slices.ContainsFunc(t.Items, gone) {
		t.cancelWith(ErrErased)
	}
	if t := TurnFrom(ctx); t != nil && t.Chat == c {
		return nil // a tool of this turn erases: waiting for the turn would deadlock
	}
	if err := c.TurnMu.Lock(ctx); err != nil {
		return err
	}
	c.TurnMu.Unlock()
	return nil
}

// onErase deletes the rows of the engine and its parts about an erased person or chat. Memory calls it before it
// marks the erasure complete.
func (e *Engine) onErase(ctx context.Context, f memory.Erasure) error {
	rows := map[string][]byte{}
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		e.unconfirmed.take(chat)
		if err := e.Jobs.EraseChat(ctx, chat); err != nil {
			return err
		}
		e.mu.Lock()
		if c := e.chats[chat]; c != nil {
			c.mu.Lock()
			c.seen, c.name = newSeenMessages(), ""
			c.mu.Unlock()
		}
		e.mu.Unlock()
		e.Attention.Forget(chat)
		e.Options.Attention.Budget.Forget(chat.String())
		rows[retractedKey(chat)] = nil
	}
	if f.Person != "" {
		if err := e.Jobs.EraseTexts(ctx); err != nil {
			return err
		}
	}
	for _, p := range e.parts {
		if p.Erase != nil {
			if err := p.Erase(ctx, f, rows); err != nil {
				return err
			}
		}
	}
	if err := e.Options.Store.Apply(ctx, rows); err != nil {
		return err
	}
	e.Watchers.emit(persona.Chat{}, trace.Event{Erased: true})
	return e.saveCounts(ctx, f.Person)
}

// saveCounts writes the counts of attention without an erased person. If they still contain the person, because a
// crash interrupted the erasure, it clears the counts of all chats.
func (e *Engine) saveCounts(ctx context.Context, person string) error {
	counts, err := e.Attention.SnapshotWithoutMessages()
	if err != nil {
		return err
	}
	if person != "" && bytes.Contains(counts, []byte(`"`+person+`"`)) {
		chats, err := e.KnownChats(ctx)
		if err != nil {
			return err
		}
		for _, chat := range chats {
			e.Attention.Forget(chat)
		}
		e.Log.Warn("the counts of all chats were cleared with an erased person", "chats", len(chats))
	}
	return e.attentionSaver.write(ctx)
}
