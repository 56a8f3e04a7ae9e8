package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// SetOpened gives a turn messages whose parts were opened, by key. They replace those of Items in prompts, and their texts
// replace those in the journal.
func SetOpened(ctx context.Context, t *Turn, opened map[string]persona.Message) {
	shown := maps.Clone(opened)
	for key, m := range shown {
		m.Text = ClipPrompt(m.Text)
		shown[key] = m
	}
	t.mu.Lock()
	t.opened = shown
	t.mu.Unlock()
	for _, m := range t.Items {
		if o, ok := opened[m.Key]; ok && o.Text != m.Text {
			opened := func(rec *memory.Record) { rec.Text = ClipRecord(o.Text) }
			if err := rewrite(ctx, t.Engine, t.Chat, o, opened); err != nil {
				t.Engine.Log.Warn("the content of a message was not journaled", "chat", t.Chat.ID, "err", err)
			}
		}
	}
}

// rewrite changes the record of a message, unless the message was retracted, erased or trimmed meanwhile.
func rewrite(ctx context.Context, e *Engine, c *Chat, m persona.Message, change func(*memory.Record)) error {
	if err := c.ReceiveMu.Lock(ctx); err != nil {
		return err
	}
	defer c.ReceiveMu.Unlock()
	if !c.IsValid(e, m) {
		return nil
	}
	recs, err := e.Memory.Get(ctx, c.Space, m.Key)
	if err != nil || len(recs) == 0 {
		return err
	}
	change(&recs[0])
	if err := e.Memory.Put(ctx, recs...); !errors.Is(err, memory.ErrNotIndexed) {
		return err
	}
	return nil
}

// IsValid reports whether a message was neither retracted nor erased.
func (c *Chat) IsValid(e *Engine, m persona.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isValid(e, &m)
}
