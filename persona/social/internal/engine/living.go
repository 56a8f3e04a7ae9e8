package engine

import (
	"context"
	"encoding/json"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// recalledKey is the row that keeps what was taken back in a chat: a history may still hold it.
func recalledKey(chat persona.Chat) string { return "recalled/" + chat.String() }

func loadRecalled(ctx context.Context, s Store, chat persona.Chat) (keys []string, err error) {
	key := recalledKey(chat)
	rows, err := s.Load(ctx, key)
	if row, ok := rows[key]; ok && err == nil {
		err = json.Unmarshal(row, &keys)
	}
	return keys, err
}

// lives reports that a message was not taken back, and takes out of it what was, as a quote.
func (r *Chat) lives(b *Engine, m *persona.Message) bool {
	if m.Quote != nil && (r.seen.recalled.Has(m.Quote.Key) || b.Tombstones.Cover(m.Chat, m.Quote.From, m.At)) {
		m.Quote = nil
	}
	return !r.seen.recalled.Has(messageID(m.Key)) && !b.Tombstones.Cover(m.Chat, m.From, m.At)
}

// living leaves out what was taken back while it waited, and what is no message.
func (r *Chat) living(b *Engine, items []Incoming) (alive []Incoming) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range items {
		if m.Wanted == "" && r.lives(b, &m.Message) {
			alive = append(alive, m)
		}
	}
	return alive
}

// alive is lives for a message that waits.
func (r *Chat) alive(b *Engine, m Incoming) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lives(b, &m.Message)
}

// Living are the turn's messages, less what was taken back since it began.
func (t *Turn) Living() (alive []persona.Message) {
	r := t.Chat
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range t.Items {
		if r.lives(t.Engine, &m) {
			alive = append(alive, m)
		}
	}
	return alive
}

// forget takes what was taken back out of the journal. It goes by the journal and not by what was seen: a message may be
// there whose writing failed, and a being may have been killed before it forgot.
func (b *Engine) forget(ctx context.Context, r *Chat, space memory.Space, past []memory.Record) error {
	var gone []string
	r.mu.Lock()
	for _, rec := range past {
		if id := messageID(rec.ID); id != "" && r.seen.recalled.Has(id) {
			gone = append(gone, rec.ID)
		}
	}
	r.mu.Unlock()
	return b.Memory.Delete(ctx, space, gone...)
}
