package digest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// moodRow and the chat name the row of a chat's mood.
const moodRow = "mood/"

// felt moves the mood of a chat by what the being felt at what was said there.
func (d *Digest) felt(ctx context.Context, now time.Time, c *engine.Chat, people []prompt.PersonUpdate) error {
	moved := false
	d.mu.Lock()
	s := d.of(c)
	for _, who := range people {
		if who.Feeling != "" {
			s.mood, moved = s.mood.Apply(now, who.Feeling, persona.MoodOptions{}), true
		}
	}
	mood := s.mood
	d.mu.Unlock()
	if !moved {
		return nil
	}
	row, err := json.Marshal(mood)
	if err != nil {
		return err
	}
	return d.engine.Options.Store.Apply(ctx, map[string][]byte{moodRow + c.ID.String(): row})
}

// loadMood is the mood of a chat as it was before the start. One that cannot be read is none.
func (d *Digest) loadMood(ctx context.Context, chat persona.Chat) (mood persona.Mood, err error) {
	key := moodRow + chat.String()
	rows, err := d.engine.Options.Store.Load(ctx, key)
	if err == nil && rows[key] != nil && json.Unmarshal(rows[key], &mood) != nil {
		d.engine.Log.Error("a mood is unreadable, and passes", "row", key)
	}
	return mood, err
}

// forgetMoods adds the rows of moods that go to rows: of these chats, or of all where somebody is forgotten, who perhaps
// caused them.
func (d *Digest) forgetMoods(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
	for _, s := range f.Spaces {
		rows[moodRow+string(s)] = nil
	}
	if f.Person == "" {
		return nil
	}
	moods, err := d.engine.Options.Store.Load(ctx, moodRow)
	for key := range moods {
		rows[key] = nil
	}
	return err
}

// Mood is that of a chat at now, which attention is told, too.
func (d *Digest) Mood(now time.Time, c *engine.Chat) persona.Mood {
	d.mu.Lock()
	s := d.of(c)
	s.mood = s.mood.DecayTo(now, persona.MoodOptions{})
	mood := s.mood
	d.mu.Unlock()
	if !d.o.NoPeople {
		d.engine.Attention.SetChatMood(c.ID, mood.Valence)
	}
	return mood
}
