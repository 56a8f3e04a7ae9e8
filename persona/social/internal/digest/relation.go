package digest

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Relation returns the relation level of a person in a chat. The willingness formula calls it for each message, so it
// reads the cache only.
func (d *Digest) Relation(chat, from string) int {
	var id persona.Chat
	if id.UnmarshalText([]byte(chat)) != nil {
		return 0
	}
	c := d.engine.LoadedChat(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.chats[c]; s != nil {
		return s.relations[from]
	}
	return 0
}

// Arousal returns the arousal of the mood in a chat. The willingness formula calls it for each batch, so it reads the
// cache only.
func (d *Digest) Arousal(now time.Time, chat string) float64 {
	var id persona.Chat
	if d.o.NoPeople || id.UnmarshalText([]byte(chat)) != nil {
		return 0
	}
	c := d.engine.LoadedChat(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.chats[c]; s != nil {
		return s.mood.DecayTo(now, persona.MoodOptions{}).Arousal
	}
	return 0
}

// loadRelations loads the relation levels of a chat, if a willingness formula uses them.
func (d *Digest) loadRelations(ctx context.Context, c *engine.Chat) (map[string]int, error) {
	if d.engine.Flow == nil {
		return nil, nil
	}
	all, err := d.engine.Memory.People(c.Space).All(ctx)
	if err != nil {
		return nil, err
	}
	levels := map[string]int{}
	for _, who := range all {
		if level := who.RelationLevel(); level != 0 {
			levels[who.ID] = level
		}
	}
	return levels, nil
}
