package engine

import (
	"context"
	"maps"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// relation is how the being stands to somebody in a chat, as willingness asks for it before each message: from what it has
// in mind, without a look at the store.
func (b *Engine) relation(chat, from string) int {
	var c persona.Chat
	if c.UnmarshalText([]byte(chat)) != nil {
		return 0
	}
	b.mu.Lock()
	r := b.rooms[c]
	b.mu.Unlock()
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.relations[from]
}

// relate takes from the store how the being stands to the people of a chat, where willingness asks for it.
func (b *Engine) relate(ctx context.Context, r *Chat) error {
	if b.flow == nil || b.Options.Layers == nil {
		return nil
	}
	all, err := b.Memory.People(r.Space).All(ctx)
	if err != nil {
		return err
	}
	levels := map[string]int{}
	for _, who := range all {
		if level := memory.RelationLevel(who.Relation); level != 0 {
			levels[who.ID] = level
		}
	}
	r.mu.Lock()
	r.relations = levels
	r.mu.Unlock()
	return nil
}

// unrelate forgets how it stands to some.
func (r *Chat) unrelate(gone func(persona.Message) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.relations, func(id string, _ int) bool { return gone(persona.Message{Chat: r.ID, From: id}) })
	r.temper = persona.Temper{} // perhaps they put it in that mood
}
