package engine

import (
	"context"
	"encoding/json"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// retractedKey is the key of the row with a chat's retracted messages. The platform's history may still contain them.
func retractedKey(chat persona.Chat) string { return "recalled/" + chat.String() }

func loadRetracted(ctx context.Context, s Store, chat persona.Chat) (keys []string, err error) {
	key := retractedKey(chat)
	rows, err := s.Load(ctx, key)
	if row, ok := rows[key]; ok && err == nil {
		err = json.Unmarshal(row, &keys)
	}
	return keys, err
}

// isValid reports whether a message was neither retracted nor erased. It removes a quote that was. A reaction to a retracted
// message is not valid, because it repeats its beginning. c.mu must be held.
func (c *Chat) isValid(e *Engine, m *persona.Message) bool {
	if m.Quote != nil && (c.seen.recalled.Has(m.Quote.Key) || e.Tombstones.Covers(m.Chat, m.Quote.From, m.At)) {
		m.Quote = nil
	}
	if m.Action && m.ReplyTo != "" && c.seen.recalled.Has(e.NormalizeID(m.ReplyTo)) {
		return false
	}
	return !c.seen.recalled.Has(messageID(m.Key)) && !e.Tombstones.Covers(m.Chat, m.From, m.At)
}

// validItems returns the messages that were neither retracted nor erased while they waited.
func (c *Chat) validItems(e *Engine, items []Incoming) (alive []Incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range items {
		if m.TurnReason == "" && c.isValid(e, &m.Message) {
			alive = append(alive, m)
		}
	}
	return alive
}

// isValidItem is isValid for a waiting message.
func (c *Chat) isValidItem(e *Engine, m Incoming) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isValid(e, &m.Message)
}

// RemainingItems returns the turn's messages, opened, without those that were retracted or erased since it began.
func (t *Turn) RemainingItems() (alive []persona.Message) {
	t.mu.Lock()
	opened := t.opened
	t.mu.Unlock()
	c := t.Chat
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range t.Items {
		if o, ok := opened[m.Key]; ok {
			m = o
		}
		if c.isValid(t.Engine, &m) {
			alive = append(alive, m)
		}
	}
	return alive
}

// deleteRetracted deletes retracted messages from the journal. It checks the journal and not the known messages: a
// message whose write failed may be in it all the same, and a crash may have come before the deletion.
func (e *Engine) deleteRetracted(ctx context.Context, c *Chat, space memory.Space, past []memory.Record) error {
	var gone []string
	c.mu.Lock()
	for _, rec := range past {
		if id := messageID(rec.ID); id != "" && c.seen.recalled.Has(id) {
			gone = append(gone, rec.ID)
		}
	}
	c.mu.Unlock()
	return e.Memory.Delete(ctx, space, gone...)
}
