package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// ownerRoom is the room of agent mode. No link ever hears from its chat.
func ownerRoom() *room {
	chat := persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
	return newRoom(chat, ownerScope(chat))
}

var errNotRunning = errors.New("social: the being does not run")

// Owner is a turn in agent mode.
func (b *Being) Owner(ctx context.Context, text string) (reply string, err error) {
	return b.owner(ctx, text, nil)
}

func (b *Being) owner(ctx context.Context, text string, deliver func(context.Context, string) error) (reply string, err error) {
	if err := b.begun(ctx); err != nil {
		return "", err
	}
	j := &job{room: b.master, once: true}
	j.enter = func(ctx context.Context) (func(), error) { return b.master.mind.unlock, b.master.enter(ctx, true) }
	j.prepare = func(context.Context) (bool, error) {
		now := time.Now()
		j.caller = b.ownerMessage(now, text)
		j.items = []persona.Message{j.caller}
		j.Errand = persona.Errand{ID: "owner/" + j.caller.ID, Kind: "owner", Chat: b.master.chat, At: now, Until: now.Add(b.opts.MaxAge), Last: j.caller.ID}
		return true, nil
	}
	j.ask = func(ctx context.Context, t *turn) (answer, error) { return t.askOwner(ctx, deliver) }
	j.deliver = func(ctx context.Context, t *turn, w *answer, err error) (string, error) {
		return t.answerOwner(ctx, w, err)
	}
	done, err := b.do(ctx, j)
	if done.err != nil {
		return "", fmt.Errorf("social: owner's turn: %w", errors.Join(done.err, err))
	}
	return done.text, err
}

// askOwner holds the conversation of a turn in agent mode.
func (t *turn) askOwner(ctx context.Context, deliver func(context.Context, string) error) (w answer, err error) {
	now := t.At
	scene, err := t.being.ownerScene(ctx, now, t)
	if err == nil {
		err = t.being.keepOwner(ctx, t.caller)
	}
	if err != nil {
		return w, err
	}
	t.hands(ctx, deliver)
	reply, err := t.converse(ctx, now, scene, t.tools)
	w.Text, err = t.handed(ctx, reply.Text, err)
	return w, err
}

// answerOwner keeps the answer in the talk with the owner.
func (t *turn) answerOwner(ctx context.Context, w *answer, err error) (outcome string, _ error) {
	if err != nil {
		return "error: " + err.Error(), err
	}
	b := t.being
	if w.Text != "" {
		b.keepAnswer(ctx, w.Text)
	}
	b.dealt(t.room, false)
	b.talked(ctx, t.room, 2)
	return "answered", nil
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
