package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// moodRow and the chat name the row of a chat's mood.
const moodRow = "mood/"

// felt moves the mood of a chat by what the being felt at what was said there.
func (b *Engine) felt(ctx context.Context, now time.Time, r *Chat, people []persona.Regarded) error {
	moved := false
	r.mu.Lock()
	for _, who := range people {
		if who.Feeling != "" {
			r.temper, moved = r.temper.Felt(now, who.Feeling, persona.TemperOptions{}), true
		}
	}
	mood := r.temper
	r.mu.Unlock()
	if !moved {
		return nil
	}
	row, err := json.Marshal(mood)
	if err != nil {
		return err
	}
	return b.Options.Store.Apply(ctx, map[string][]byte{moodRow + r.ID.String(): row})
}

// loadMood is the mood of a chat as it was before the start. One that cannot be read is none.
func (b *Engine) loadMood(ctx context.Context, chat persona.Chat) (mood persona.Temper, err error) {
	key := moodRow + chat.String()
	rows, err := b.Options.Store.Load(ctx, key)
	if err == nil && rows[key] != nil && json.Unmarshal(rows[key], &mood) != nil {
		b.Log.Error("a mood is unreadable, and passes", "row", key)
	}
	return mood, err
}

// forgetMoods adds the rows of moods that go to rows: of these chats, or of all where somebody is forgotten, who perhaps
// caused them.
func (b *Engine) forgetMoods(ctx context.Context, f memory.Forgotten, rows map[string][]byte) error {
	for _, s := range f.Spaces {
		rows[moodRow+string(s)] = nil
	}
	if f.Person == "" {
		return nil
	}
	moods, err := b.Options.Store.Load(ctx, moodRow)
	for key := range moods {
		rows[key] = nil
	}
	return err
}

// mood is that of a chat at now, which attention is told, too.
func (b *Engine) mood(now time.Time, r *Chat) persona.Temper {
	r.mu.Lock()
	r.temper = r.temper.After(now, persona.TemperOptions{})
	mood := r.temper
	r.mu.Unlock()
	if b.layers != nil && !b.layers.NoPeople {
		b.Attention.SetChatMood(r.ID, mood.Valence)
	}
	return mood
}
