package social

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// recalls is how many memories a turn is given.
const recalls = 5

// scene gathers what one turn may see: this chat's history and memories, and nothing of any other.
func (b *Being) scene(ctx context.Context, now time.Time, t *turn) (persona.Scene, error) {
	r, items := t.room, t.living()
	s := persona.Scene{
		Chat: r.chat, ChatName: r.title(), Mode: t.mode, State: t.verdict.State.String(), Recent: items,
		MasterPresent: b.router.MasterPresent(now, r.chat), Target: t.target(), Budget: b.opts.Turn.Tokens,
		Location: b.opts.Location, Prompts: b.opts.Prompts,
	}
	past, err := b.memory.Recent(ctx, r.space, b.opts.History+len(items)+remembered/4)
	if err != nil {
		return s, err
	}
	s.History = b.history(r, past, items)

	hits, err := b.memory.Reader(r.space).Recall(ctx, now, memory.Query{Text: words(items), Limit: recalls + len(s.History)})
	if err != nil {
		return s, err
	}
	s.Recall = b.unseen(hits, s.History, items)
	if b.opts.Redact != nil {
		if s.Owner, err = b.ownerMemories(ctx, now, items); err != nil {
			return s, err
		}
	}
	return s, nil
}

// history is what was said up to the batch's last message, the batch left out: what the bot itself said while the batch
// waited is part of it. What came after waits for the next one.
func (b *Being) history(r *room, past []memory.Record, items []persona.Message) (before []persona.Message) {
	batch := make(map[string]bool, len(items))
	for _, m := range items {
		batch[b.sight(m).recordID()] = true
	}
	end := len(past)
	for end > 0 && !batch[past[end-1].ID] {
		end--
	}
	if end == 0 { // none of it is in memory any more
		end = len(past)
	}
	for _, rec := range past[:end] {
		if !batch[rec.ID] {
			before = append(before, message(r, rec))
		}
	}
	return before[max(0, len(before)-b.opts.History):]
}

// unseen are the memories that the turn does not see anyway.
func (b *Being) unseen(hits []memory.Hit, history, items []persona.Message) []persona.Memory {
	shown := make(map[string]bool, len(history)+len(items))
	for _, ms := range [][]persona.Message{history, items} {
		for _, m := range ms {
			shown[b.sight(m).recordID()] = true
		}
	}
	var out []persona.Memory
	for _, h := range hits {
		if len(out) == recalls {
			break
		}
		if !shown[h.ID] {
			out = append(out, recalled(h.Record))
		}
	}
	return out
}

// ownerMemories are the owner's memories on the topic, masked before anything else sees them.
func (b *Being) ownerMemories(ctx context.Context, now time.Time, items []persona.Message) ([]persona.Memory, error) {
	hits, err := b.memory.Reader(memory.Owner).Recall(ctx, now, memory.Query{Text: words(items), Limit: recalls})
	if err != nil {
		return nil, err
	}
	var out []persona.Memory
	for _, h := range hits {
		if h.Text, err = b.opts.Redact(ctx, h.Text); err != nil {
			return nil, err
		}
		m := recalled(h.Record)
		m.Who = ""
		out = append(out, m)
	}
	return out, nil
}

func recalled(r memory.Record) persona.Memory {
	importance := "normal"
	switch {
	case r.Importance >= .7:
		importance = "high"
	case r.Importance > 0 && r.Importance < .3:
		importance = "low"
	}
	return persona.Memory{Text: r.Text, Importance: importance, Who: r.Name, At: r.At}
}

// target is the message to think of first: that of the last one who called.
func (t *turn) target() string {
	if !t.verdict.Called {
		return ""
	}
	return t.caller.ID
}

func words(items []persona.Message) string {
	var s strings.Builder
	for _, m := range items {
		s.WriteString(m.Text)
		s.WriteByte('\n')
	}
	return s.String()
}
