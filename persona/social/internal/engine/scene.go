package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// Limits of a scene.
const (
	maxMemories     = 5         // recalled memories
	maxMemoryTokens = 800       // of their texts: they change in each turn, so no provider caches them
	maxBefore       = 6         // messages before those to answer that a pronoun may refer to
	maxPublicChats  = 3         // public chats in the background
	publicMessages  = 5         // messages of each public chat
	publicAge       = time.Hour // age of these messages
)

// Scene builds the scene of a turn: the chat's history and memories, public chats, and the owner's redacted memories.
// It contains nothing of other chats unless they are public.
func (e *Engine) Scene(ctx context.Context, now time.Time, t *Turn) (prompt.Scene, error) {
	c, items := t.Chat, t.RemainingItems()
	about := cmp.Or(JoinTexts(items), t.recallQuery())
	tokens, turns := e.Options.promptLimits(t.Saves())
	s := prompt.Scene{
		Chat: c.Shown, ChatName: c.Name(), Mode: c.Origin.Mode, State: t.Verdict.State.String(), Recent: items,
		OwnerPresent: e.Router.OwnerPresent(now, c.ID), Target: t.target(), Budget: tokens,
		Location: e.Options.Location, Prompts: e.Options.Prompts,
	}
	past, err := e.Memory.RecentTurns(ctx, c.Space, 3*e.Options.History+len(items)+Remembered/4, 4*e.Options.History+len(items)+Remembered/4)
	if err != nil {
		return s, err
	}
	s.History, s.CachePrefix = sceneBuilder{e}.history(c, past, items, turns, tokens)
	if err := t.readNotices(ctx, &s, past); err != nil {
		return s, err
	}

	if s.Background, err = (sceneBuilder{e}).publicChats(ctx, now, c); err != nil {
		return s, err
	}
	for _, session := range s.Background {
		t.MarkRead(memory.Untrusted(memory.Space(session.Chat.String())))
	}
	sceneBuilder{e}.addAttention(now, c, &s)
	added, err := sceneBuilder{e}.addParts(ctx, now, t, &s)
	if err != nil {
		return s, err
	}
	hits, err := e.Memory.Reader(c.Space).Recall(ctx, now, memory.Query{
		Text: about, Limit: maxMemories + len(s.History), Affinity: added.Affinity, About: added.About, Before: textsBefore(s.History),
	})
	if err != nil {
		return s, err
	}
	s.Memories = append(sceneBuilder{e}.notShown(c, hits, s.History, items), s.Memories...)
	for _, h := range hits {
		t.Derived = append(t.Derived, h.ID)
	}
	s.OwnerMemories, err = e.OwnerMemories(ctx, now, about)
	return s, err
}

// A sceneBuilder builds the scenes of turns.
type sceneBuilder struct{ engine *Engine }

// addParts lets the parts add to a scene, and returns it with what they know about people.
func (b sceneBuilder) addParts(ctx context.Context, now time.Time, t *Turn, s *prompt.Scene) (Scene, error) {
	t.Derived = nil
	scene := Scene{Scene: *s}
	for _, p := range b.engine.parts {
		if p.Scene != nil {
			if err := p.Scene(ctx, now, t, &scene); err != nil {
				return scene, err
			}
		}
	}
	*s = scene.Scene
	return scene, nil
}

// textsBefore returns the last texts of a history, in which a pronoun may find its name.
func textsBefore(history []persona.Message) (texts []string) {
	for _, m := range history[max(len(history)-maxBefore, 0):] {
		texts = append(texts, m.Text)
	}
	return texts
}

// addAttention adds energy, the states of Heart Flow Chat and the interest in the chat.
func (b sceneBuilder) addAttention(now time.Time, c *Chat, s *prompt.Scene) {
	f := b.engine.Flow
	if f == nil || !c.InChat {
		return
	}
	level, _ := f.Interest(now, c.ID)
	s.Attention = &prompt.AttentionSummary{
		GlobalState: f.GlobalState(now).String(), ChatState: f.ChatState(now, c.ID).String(), Interest: b.engine.Options.InterestShare(level),
	}
	s.Mood = &prompt.MoodSummary{Energy: f.Energy(now, c.ID)}
}

// history returns the messages before the end of the batch, without the batch itself. It includes the bot's own
// messages from while the batch waited. Messages after the batch belong to the next one. The first spare messages
// exceed [Options.History]: they make the prompts of neighbouring turns begin alike, for prompt caches.
func (b sceneBuilder) history(c *Chat, past []memory.Record, items []persona.Message, turns, tokens int) (before []persona.Message, spare int) {
	batch := make(map[string]bool, len(items))
	for _, m := range items {
		batch[m.Key] = true
	}
	end := len(past)
	for end > 0 && !batch[past[end-1].ID] {
		end--
	}
	if end == 0 { // the batch is no longer in memory
		end = len(past)
	}
	past = slices.DeleteFunc(past[:end], func(rec memory.Record) bool {
		return batch[rec.ID] || b.engine.Tombstones.Covers(c.ID, rec.Person, rec.At)
	})
	return c.window(past, turns, tokens)
}

// window returns the messages at the end of past for a prompt of so many turns and tokens, and how many of the oldest ones
// serve only prompt caching.
func (c *Chat) window(past []memory.Record, turns, tokens int) (shown []persona.Message, spare int) {
	least := min(len(memory.LastTurns(past, turns)), 2*turns)
	for _, rec := range past[max(len(past)-least-3*turns/2, 0):] {
		shown = append(shown, MessageFromRecord(c, rec))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.historyTurns != turns { // the bot saves, or saves no more
		c.historyStart, c.historyTurns = time.Time{}, turns
	}
	shown = shown[prompt.HistoryStart(shown, c.historyStart, least, tokens):]
	if len(shown) > 0 {
		c.historyStart = shown[0].At
	}
	return shown, max(len(shown)-least, 0)
}

// notShown returns the memories whose messages are not in the prompt anyway, best first. It leaves out long ones that exceed
// the limit of tokens, except the best.
func (b sceneBuilder) notShown(c *Chat, hits []memory.Hit, history, items []persona.Message) []prompt.Memory {
	shown := make(map[string]bool, len(history)+len(items))
	for _, ms := range [][]persona.Message{history, items} {
		for _, m := range ms {
			shown[m.Key] = true
		}
	}
	var out []prompt.Memory
	tokens := 0
	for _, h := range hits {
		if len(out) == maxMemories {
			break
		}
		if shown[h.ID] || b.engine.Tombstones.Covers(c.ID, h.Person, h.At) {
			continue
		}
		if n := prompt.Tokens(h.Text); len(out) == 0 || tokens+n <= maxMemoryTokens {
			out, tokens = append(out, MemoryFromRecord(h.Record)), tokens+n
		}
	}
	return out
}

// OwnerMemories returns the owner's memories about a topic, redacted. Without Options.Redact it returns none.
func (e *Engine) OwnerMemories(ctx context.Context, now time.Time, about string) ([]prompt.Memory, error) {
	hits, err := e.Memory.Reader(memory.Owner).Redacted(e.Options.Redact).Recall(ctx, now, memory.Query{Text: about, Limit: maxMemories})
	if err != nil {
		return nil, err
	}
	var out []prompt.Memory
	for _, h := range hits {
		m := MemoryFromRecord(h.Record)
		m.Person = ""
		out = append(out, m)
	}
	return out, nil
}

// OwnerScene builds the scene of a turn in agent mode: the owner's conversation and memory.
func (e *Engine) OwnerScene(ctx context.Context, now time.Time, t *Turn) (prompt.Scene, error) {
	s := prompt.Scene{
		Chat: t.Chat.ID, Mode: persona.Agent, State: heartflow.Addressed.String(), Recent: t.Items, OwnerPresent: true,
		Budget: e.Options.Turn.ContextTokens, Location: e.Options.Location, Prompts: e.Options.Prompts,
	}
	past, err := e.Memory.RecentTurns(ctx, memory.Owner, 3*e.Options.History, 4*e.Options.History)
	if err != nil {
		return s, err
	}
	for _, p := range e.parts {
		if p.OwnerHistory != nil {
			past = p.OwnerHistory(t, past)
		}
	}
	s.History, s.CachePrefix = t.Chat.window(past, e.Options.History, e.Options.Turn.ContextTokens)
	t.hideUnreadable(s.History, past)
	if _, err := (sceneBuilder{e}).addParts(ctx, now, t, &s); err != nil {
		return s, err
	}
	hits, err := e.Memory.Reader(memory.Owner).Recall(ctx, now, memory.Query{Text: cmp.Or(JoinTexts(t.Items), t.recallQuery()), Limit: maxMemories})
	for _, h := range hits {
		if l := h.LabelOrDefault(); t.MayRead(DatumOf(h.Record), l) {
			t.MarkRead(l)
			s.OwnerMemories = append(s.OwnerMemories, MemoryFromRecord(h.Record))
		}
	}
	return s, err
}

// hideUnreadable replaces the messages that the turn may not read by placeholders, and marks the others as read.
func (t *Turn) hideUnreadable(history []persona.Message, past []memory.Record) {
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
			t.MarkRead(l)
		} else if t.Chat.Agent() {
			m.Text = Placeholder(l, past[i].ID)
		} else {
			m.Text = "（这里是给主人的一条通知，内容不在这里显示）"
		}
	}
}

// readNotices handles notices in the owner's private chat, which come from other chats: in the history and as quotes. The
// turn is marked with the labels of those that it may read. The others are hidden.
func (t *Turn) readNotices(ctx context.Context, s *prompt.Scene, past []memory.Record) error {
	if !t.Engine.Router.IsOwnersChat(t.Chat.ID) {
		return nil
	}
	foreign := func(rec memory.Record) bool {
		return rec.Own && !rec.Label.IsZero() && !rec.Label.ReadableFrom(t.Chat.Space)
	}
	t.hideUnreadable(s.History, slices.DeleteFunc(slices.Clone(past), func(rec memory.Record) bool { return !foreign(rec) }))
	if !slices.ContainsFunc(s.Recent, func(m persona.Message) bool { return m.Quote != nil }) {
		return nil
	}
	all, err := t.Engine.Memory.Recent(ctx, t.Chat.Space, Remembered)
	if err != nil {
		return err
	}
	s.Recent = slices.Clone(s.Recent)
	for _, rec := range all {
		for i := range s.Recent {
			m := &s.Recent[i]
			if m.Quote == nil || m.Quote.Key != messageID(rec.ID) || !foreign(rec) {
				continue
			}
			if t.MayRead(DatumOf(rec), rec.Label) {
				t.MarkRead(rec.Label)
			} else {
				m.Quote = nil
			}
		}
	}
	return nil
}

// MemoryFromRecord converts a record for prompts.
func MemoryFromRecord(r memory.Record) prompt.Memory {
	importance := "normal"
	switch {
	case r.Importance >= .7:
		importance = "high"
	case r.Importance > 0 && r.Importance < .3:
		importance = "low"
	}
	who := r.Name
	if r.Kind != memory.KindMessage { // the person is the subject, not the author
		who = cmp.Or(who, r.Person)
	}
	return prompt.Memory{Key: r.ID, Text: r.Text, Importance: importance, Person: who, At: r.At}
}

// publicChats returns the latest messages of the public chats except here, the latest chat first.
func (b sceneBuilder) publicChats(ctx context.Context, now time.Time, here *Chat) (sessions []prompt.Session, err error) {
	for _, c := range b.engine.Chats() {
		if !c.Public() || c == here {
			continue
		}
		past, err := b.engine.Memory.Recent(ctx, c.Space, publicMessages)
		if err != nil {
			return nil, err
		}
		s := prompt.Session{Chat: c.ID, Name: c.Name()}
		for _, rec := range past {
			if now.Sub(rec.At) < publicAge && (rec.Label.IsZero() || rec.Label.ReadableFrom(c.Space)) && !b.engine.Tombstones.Covers(c.ID, rec.Person, rec.At) {
				s.Messages = append(s.Messages, MessageFromRecord(c, rec))
			}
		}
		if len(s.Messages) > 0 {
			sessions = append(sessions, s)
		}
	}
	last := func(s prompt.Session) time.Time { return s.Messages[len(s.Messages)-1].At }
	slices.SortStableFunc(sessions, func(x, y prompt.Session) int { return last(y).Compare(last(x)) })
	return sessions[:min(maxPublicChats, len(sessions))], nil
}
