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

// moodRow is the prefix of rows with moods; the chat follows.
const moodRow = "mood/"

// applyFeelings changes the mood of a chat by the bot's feelings about its messages.
func (d *Digest) applyFeelings(ctx context.Context, now time.Time, c *engine.Chat, people []prompt.PersonUpdate) error {
	changed := false
	d.mu.Lock()
	s := d.stateOf(c)
	for _, who := range people {
		if who.Feeling != "" {
			s.mood, changed = s.mood.Apply(now, who.Feeling, persona.MoodOptions{}), true
		}
	}
	mood := s.mood
	d.mu.Unlock()
	if !changed {
		return nil
	}
	row, err := json.Marshal(mood)
	if err != nil {
		return err
	}
	return d.engine.Options.Store.Apply(ctx, map[string][]byte{moodRow + c.ID.String(): row})
}

// loadMood loads the mood of a chat. An unreadable mood counts as neutral.
func (d *Digest) loadMood(ctx context.Context, chat persona.Chat) (mood persona.Mood, err error) {
	key := moodRow + chat.String()
	rows, err := d.engine.Options.Store.Load(ctx, key)
	if err == nil && rows[key] != nil && json.Unmarshal(rows[key], &mood) != nil {
		d.engine.Log.Error("skip an unreadable mood", "row", key)
	}
	return mood, err
}

// eraseMoods adds the rows of moods to delete: those of erased chats, and if a person is erased, those of all chats,
// because the person may have caused them.
func (d *Digest) eraseMoods(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
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

// Mood returns the mood of a chat at now and passes it to attention.
func (d *Digest) Mood(now time.Time, c *engine.Chat) persona.Mood {
	d.mu.Lock()
	s := d.stateOf(c)
	s.mood = s.mood.DecayTo(now, persona.MoodOptions{})
	mood := s.mood
	d.mu.Unlock()
	if !d.o.NoPeople {
		d.engine.Attention.SetChatMood(c.ID, mood.Valence)
	}
	return mood
}
