package social

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// ownerRoom is the room of agent mode. No link ever hears from its chat.
func ownerRoom() *room {
	r := newRoom(persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"})
	r.space = memory.Owner
	return r
}

var errNotRunning = errors.New("social: the being does not run")

// Owner is a turn in agent mode: the owner's own words, with every tool and the owner's memory. Only code can call it,
// so put it behind a terminal or an interface that you trust; nothing that people write in a chat leads here. It waits
// until [Being.Run] has begun. Turns of the owner run one after the other; what the being thinks in the background gives way
// to them.
func (b *Being) Owner(ctx context.Context, text string) (reply string, err error) {
	return b.owner(ctx, text, nil)
}

func (b *Being) owner(ctx context.Context, text string, deliver func(context.Context, string) error) (reply string, err error) {
	if err := b.begun(ctx); err != nil {
		return "", err
	}
	if err := b.master.enter(ctx, true); err != nil {
		return "", err
	}
	defer b.master.mind.unlock()

	now := time.Now()
	heard := b.ownerMessage(now, text)
	t := &turn{being: b, room: b.master, id: "owner/" + heard.ID, items: []persona.Message{heard}, caller: heard, mode: persona.Agent, cancel: func(error) {}}
	errand := persona.Errand{ID: t.id, Kind: "owner", Chat: heard.Chat, At: now, Until: now.Add(b.opts.MaxAge), Last: heard.ID}
	if err := b.errands.Take(ctx, now, errand); err != nil {
		return "", err
	}
	scene, err := b.ownerScene(ctx, now, t)
	if err == nil {
		err = b.keepOwner(ctx, heard)
	}
	var answer persona.Reply
	if err == nil {
		t.tools = t.view(nit.Principal{
			Mode: nit.ModeAgent, Sees: nit.L1 | nit.L2 | nit.L3, Platform: heard.Chat.Platform, Person: heard.From,
			Session: persona.SessionMaster, Turn: t.id,
		})
		t.hands(ctx, deliver)
		answer, err = t.converse(ctx, now, scene, t.tools)
		answer.Text, err = t.handed(ctx, answer.Text, err)
	}
	if err != nil {
		return "", fmt.Errorf("social: owner's turn: %w", errors.Join(err, t.done(ctx, "error: "+err.Error())))
	}
	if answer.Text != "" {
		b.keepAnswer(ctx, answer.Text)
	}
	b.dealt(b.master, false)
	b.talked(ctx, b.master, 2)
	return answer.Text, t.done(ctx, "answered")
}

// begun waits until the being runs.
func (b *Being) begun(ctx context.Context) error {
	select {
	case <-b.over:
		return errNotRunning
	default:
	}
	select {
	case <-b.ready:
		return nil
	case <-b.over:
		return errNotRunning
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotRunning, context.Cause(ctx))
	}
}

// ownerScene is what an agent turn sees: the talk with the owner and the owner's memory.
func (b *Being) ownerScene(ctx context.Context, now time.Time, t *turn) (persona.Scene, error) {
	s := persona.Scene{
		Chat: t.room.chat, Mode: persona.Agent, State: heartflow.Summoned.String(), Recent: t.items, MasterPresent: true,
		Budget: b.opts.Turn.Tokens, Location: b.opts.Location, Prompts: b.opts.Prompts,
	}
	past, err := b.memory.RecentTurns(ctx, memory.Owner, 3*b.opts.History, 4*b.opts.History)
	if err != nil {
		return s, err
	}
	s.History, s.Spare = b.window(t.room, past)
	if _, err := b.acquaint(ctx, t, &s); err != nil {
		return s, err
	}
	if err := b.keeps(ctx, now, t, &s); err != nil {
		return s, err
	}
	hits, err := b.memory.Reader(memory.Owner).Recall(ctx, now, memory.Query{Text: cmp.Or(words(t.items), t.about()), Limit: recalls})
	for _, h := range hits {
		s.Owner = append(s.Owner, recalled(h.Record))
	}
	return s, err
}

func (b *Being) ownerMessage(now time.Time, text string) persona.Message {
	id := fmt.Sprintf("%d-%d", now.UnixNano(), b.count.ownerLines.Add(1))
	return persona.Message{ID: id, Key: id, Chat: b.master.chat, From: "owner", Name: "主人", At: now, Text: text}
}

func (b *Being) keepOwner(ctx context.Context, m persona.Message) error {
	err := b.memory.Keep(ctx, memory.Record{
		ID: m.ID, Space: memory.Owner, Kind: memory.Message, Text: kept(m.Text), Person: m.From, Name: m.Name, Own: m.Own, At: m.At,
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}
