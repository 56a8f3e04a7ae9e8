package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

const (
	recalls        = 5 // memories that a turn is given
	publicShown    = 3 // chats in the background
	publicMessages = 5 // of each
	publicAge      = time.Hour
)

// Scene gathers what one turn may see: this chat's history and memories, and nothing of any other.
func (b *Engine) Scene(ctx context.Context, now time.Time, t *Turn) (prompt.Scene, error) {
	r, items := t.Chat, t.Living()
	about := cmp.Or(TextOf(items), t.about())
	s := prompt.Scene{
		Chat: r.Shown, ChatName: r.Title(), Mode: r.Origin.Mode, State: t.Verdict.State.String(), Recent: items,
		OwnerPresent: b.Router.OwnerPresent(now, r.ID), Target: t.target(), Budget: b.Options.Turn.ContextTokens,
		Location: b.Options.Location, Prompts: b.Options.Prompts,
	}
	past, err := b.Memory.RecentTurns(ctx, r.Space, 3*b.Options.History+len(items)+Remembered/4, 4*b.Options.History+len(items)+Remembered/4)
	if err != nil {
		return s, err
	}
	s.History, s.CachePrefix = scenes{b}.history(r, past, items)

	if s.Background, err = (scenes{b}).public(ctx, now, r); err != nil {
		return s, err
	}
	for _, c := range s.Background {
		t.Read(memory.Untrusted(memory.Space(c.Chat.String())))
	}
	affinity, err := scenes{b}.addParts(ctx, now, t, &s)
	if err != nil {
		return s, err
	}
	hits, err := b.Memory.Reader(r.Space).Recall(ctx, now, memory.Query{Text: about, Limit: recalls + len(s.History), Affinity: affinity})
	if err != nil {
		return s, err
	}
	s.Memories = scenes{b}.unseen(r, hits, s.History, items)
	for _, h := range hits {
		t.Derived = append(t.Derived, h.ID)
	}
	s.OwnerMemories, err = b.OwnerMemories(ctx, now, about)
	return s, err
}

// scenes make what turns see.
type scenes struct{ engine *Engine }

// addParts has the parts add to a scene. It gives how much people's words matter to the bot.
func (m scenes) addParts(ctx context.Context, now time.Time, t *Turn, s *prompt.Scene) (map[string]float64, error) {
	t.Derived = nil
	scene := Scene{Scene: *s}
	for _, p := range m.engine.parts {
		if p.Scene != nil {
			if err := p.Scene(ctx, now, t, &scene); err != nil {
				return nil, err
			}
		}
	}
	*s = scene.Scene
	return scene.Affinity, nil
}

// history is what was said up to the batch's last message, the batch left out: what the bot itself said while the batch
// waited is part of it. What came after waits for the next one. The first spare messages are beyond [Options.History]: they
// are there so that the prompts of neighbouring turns begin alike.
func (m scenes) history(r *Chat, past []memory.Record, items []persona.Message) (before []persona.Message, spare int) {
	batch := make(map[string]bool, len(items))
	for _, m := range items {
		batch[m.Key] = true
	}
	end := len(past)
	for end > 0 && !batch[past[end-1].ID] {
		end--
	}
	if end == 0 { // none of it is in memory any more
		end = len(past)
	}
	past = slices.DeleteFunc(past[:end], func(rec memory.Record) bool {
		return batch[rec.ID] || m.engine.Tombstones.Cover(r.ID, rec.Person, rec.At)
	})
	return m.engine.Window(r, past)
}

// Window is the history that past ends with: the turns of [Options.History], and the spare ones before them.
func (b *Engine) Window(r *Chat, past []memory.Record) (before []persona.Message, spare int) {
	latest := len(past) - min(len(memory.LastTurns(past, b.Options.History)), 2*b.Options.History)
	begin := prompt.StableStart(latest-3*b.Options.History/2, latest, func(i int) time.Time { return past[i].At })
	for _, rec := range past[begin:] {
		before = append(before, Message(r, rec))
	}
	return before, latest - begin
}

// unseen are the memories that the turn does not see anyway.
func (m scenes) unseen(r *Chat, hits []memory.Hit, history, items []persona.Message) []prompt.Memory {
	shown := make(map[string]bool, len(history)+len(items))
	for _, ms := range [][]persona.Message{history, items} {
		for _, m := range ms {
			shown[m.Key] = true
		}
	}
	var out []prompt.Memory
	for _, h := range hits {
		if len(out) == recalls {
			break
		}
		if !shown[h.ID] && !m.engine.Tombstones.Cover(r.ID, h.Person, h.At) {
			out = append(out, Recall(h.Record))
		}
	}
	return out
}

// OwnerMemories are the owner's memories on the topic, redacted; none without a redactor.
func (b *Engine) OwnerMemories(ctx context.Context, now time.Time, about string) ([]prompt.Memory, error) {
	hits, err := b.Memory.Reader(memory.Owner).Redacted(b.Options.Redact).Recall(ctx, now, memory.Query{Text: about, Limit: recalls})
	if err != nil {
		return nil, err
	}
	var out []prompt.Memory
	for _, h := range hits {
		m := Recall(h.Record)
		m.Person = ""
		out = append(out, m)
	}
	return out, nil
}

// OwnerScene is what an agent turn sees: the talk with the owner and the owner's memory.
func (b *Engine) OwnerScene(ctx context.Context, now time.Time, t *Turn) (prompt.Scene, error) {
	s := prompt.Scene{
		Chat: t.Chat.ID, Mode: persona.Agent, State: heartflow.Addressed.String(), Recent: t.Items, OwnerPresent: true,
		Budget: b.Options.Turn.ContextTokens, Location: b.Options.Location, Prompts: b.Options.Prompts,
	}
	past, err := b.Memory.RecentTurns(ctx, memory.Owner, 3*b.Options.History, 4*b.Options.History)
	if err != nil {
		return s, err
	}
	s.History, s.CachePrefix = b.Window(t.Chat, past)
	t.open(s.History, past)
	if _, err := (scenes{b}).addParts(ctx, now, t, &s); err != nil {
		return s, err
	}
	hits, err := b.Memory.Reader(memory.Owner).Recall(ctx, now, memory.Query{Text: cmp.Or(TextOf(t.Items), t.about()), Limit: recalls})
	for _, h := range hits {
		if l := h.LabelOrDefault(); t.MayRead(DatumOf(h.Record), l) {
			t.Read(l)
			s.OwnerMemories = append(s.OwnerMemories, Recall(h.Record))
		}
	}
	return s, err
}

// open reads a history made of records, and closes the messages that the turn may not be shown.
func (t *Turn) open(history []persona.Message, past []memory.Record) {
	shown := make(map[string]*persona.Message, len(history))
	for i := range history {
		shown[history[i].Key] = &history[i]
	}
	for i := range past {
		m := shown[past[i].ID]
		if m == nil {
			continue
		}
		if l := past[i].LabelOrDefault(); t.MayRead(DatumOf(past[i]), l) {
			t.Read(l)
		} else {
			m.Text = Closed(l, past[i].ID)
		}
	}
}

// Recall returns a record as prompts show a memory.
func Recall(r memory.Record) prompt.Memory {
	importance := "normal"
	switch {
	case r.Importance >= .7:
		importance = "high"
	case r.Importance > 0 && r.Importance < .3:
		importance = "low"
	}
	who := r.Name
	if r.Kind != memory.KindMessage { // it is about somebody, and nobody said it
		who = cmp.Or(who, r.Person)
	}
	return prompt.Memory{Text: r.Text, Importance: importance, Person: who, At: r.At}
}

// TextOf returns the texts of messages, one a line.
func TextOf(items []persona.Message) string {
	var s strings.Builder
	for _, m := range items {
		s.WriteString(m.Text)
		s.WriteByte('\n')
	}
	return s.String()
}

// public are the chats that everybody may read, as the background of another, the latest first.
func (m scenes) public(ctx context.Context, now time.Time, here *Chat) (sessions []prompt.Session, err error) {
	for _, r := range m.engine.Chats() {
		if !r.Public || r == here {
			continue
		}
		past, err := m.engine.Memory.Recent(ctx, r.Space, publicMessages)
		if err != nil {
			return nil, err
		}
		s := prompt.Session{Chat: r.ID, Name: r.Title()}
		for _, rec := range past {
			if now.Sub(rec.At) < publicAge && !m.engine.Tombstones.Cover(r.ID, rec.Person, rec.At) {
				s.Messages = append(s.Messages, Message(r, rec))
			}
		}
		if len(s.Messages) > 0 {
			sessions = append(sessions, s)
		}
	}
	last := func(s prompt.Session) time.Time { return s.Messages[len(s.Messages)-1].At }
	slices.SortStableFunc(sessions, func(x, y prompt.Session) int { return last(y).Compare(last(x)) })
	return sessions[:min(publicShown, len(sessions))], nil
}
