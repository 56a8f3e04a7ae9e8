package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// ownerRoom is the room of agent mode. No link ever hears from its chat.
func ownerRoom() *Chat {
	chat := persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
	return newRoom(chat, ownerScope(chat))
}

var errNotRunning = errors.New("social: the being does not run")

// Owner is a turn in agent mode.
func (b *Engine) Owner(ctx context.Context, text string) (reply string, err error) {
	return b.owner(ctx, text, nil)
}

func (b *Engine) owner(ctx context.Context, text string, deliver func(context.Context, string) error) (reply string, err error) {
	if err := b.Begun(ctx); err != nil {
		return "", err
	}
	j := &Job{Chat: b.Owners, Once: true}
	j.Enter = func(ctx context.Context) (func(), error) { return b.Owners.Turn.Unlock, b.Owners.enter(ctx, true) }
	j.Prepare = func(context.Context) (bool, error) {
		now := time.Now()
		j.Caller = b.OwnerMessage(now, text)
		j.Items = []persona.Message{j.Caller}
		j.Errand = persona.Errand{ID: "owner/" + j.Caller.ID, Kind: "owner", Chat: b.Owners.ID, At: now, Until: now.Add(b.Options.MaxAge), Last: j.Caller.ID}
		return true, nil
	}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.askOwner(ctx, deliver) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		return t.answerOwner(ctx, w, err)
	}
	done, err := b.Do(ctx, j)
	if done.Err != nil {
		return "", fmt.Errorf("social: owner's turn: %w", errors.Join(done.Err, err))
	}
	return done.Text, err
}

// askOwner holds the conversation of a turn in agent mode.
func (t *Turn) askOwner(ctx context.Context, deliver func(context.Context, string) error) (w Answer, err error) {
	now := t.At
	scene, err := t.Engine.OwnerScene(ctx, now, t)
	if err == nil {
		err = t.Engine.KeepOwner(ctx, t.Caller)
	}
	if err != nil {
		return w, err
	}
	k := &talk{Turn: t, deliver: deliver}
	if deliver != nil {
		t.outlet = stream.New(ctx, math.MaxInt, k.say)
	}
	reply, err := t.Converse(ctx, now, scene, t.Tools)
	if w.Text = reply.Text; deliver != nil {
		w.Text, err = k.finish(ctx, reply.Text, err)
	}
	return w, err
}

// answerOwner keeps the answer in the talk with the owner.
func (t *Turn) answerOwner(ctx context.Context, w *Answer, err error) (outcome string, _ error) {
	if err != nil {
		return "error: " + err.Error(), err
	}
	b := t.Engine
	if w.Text != "" {
		b.keepAnswer(ctx, w.Text)
	}
	b.Done(ctx, t.Chat, Done{Messages: 2})
	return "answered", nil
}

// Begun waits until the being runs.
func (b *Engine) Begun(ctx context.Context) error {
	select {
	case <-b.life.over:
		return errNotRunning
	default:
	}
	select {
	case <-b.life.ready:
		return nil
	case <-b.life.over:
		return errNotRunning
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotRunning, context.Cause(ctx))
	}
}

// OwnerScene is what an agent turn sees: the talk with the owner and the owner's memory.
func (b *Engine) OwnerScene(ctx context.Context, now time.Time, t *Turn) (persona.Scene, error) {
	s := persona.Scene{
		Chat: t.Chat.ID, Mode: persona.Agent, State: heartflow.Summoned.String(), Recent: t.Items, MasterPresent: true,
		Budget: b.Options.Turn.Tokens, Location: b.Options.Location, Prompts: b.Options.Prompts,
	}
	past, err := b.Memory.RecentTurns(ctx, memory.Owner, 3*b.Options.History, 4*b.Options.History)
	if err != nil {
		return s, err
	}
	s.History, s.Spare = b.Window(t.Chat, past)
	if _, err := (scenes{b}).addParts(ctx, now, t, &s); err != nil {
		return s, err
	}
	hits, err := b.Memory.Reader(memory.Owner).Recall(ctx, now, memory.Query{Text: cmp.Or(TextOf(t.Items), t.about()), Limit: recalls})
	for _, h := range hits {
		s.Owner = append(s.Owner, Recall(h.Record))
	}
	return s, err
}

// OwnerMessage returns a message of the owner's, with a key of its own.
func (b *Engine) OwnerMessage(now time.Time, text string) persona.Message {
	id := fmt.Sprintf("%d-%d", now.UnixNano(), b.Counters.ownerLines.Add(1))
	return persona.Message{ID: id, Key: id, Chat: b.Owners.ID, From: "owner", Name: "主人", At: now, Text: text}
}

// KeepOwner journals a message of the talk with the owner.
func (b *Engine) KeepOwner(ctx context.Context, m persona.Message) error {
	err := b.Memory.Keep(ctx, memory.Record{
		ID: m.ID, Space: memory.Owner, Kind: memory.Message, Text: ClipRecord(m.Text), Person: m.From, Name: m.Name, Own: m.Own, At: m.At,
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// NotifyOwner tells the owner what happened to the bot.
func (b *Engine) NotifyOwner(ctx context.Context, text string) {
	b.Log.Warn("the owner should know", "text", text)
	if b.Options.Notify == nil {
		return
	}
	if err := b.Options.Notify(ctx, text); err != nil {
		b.Log.Error("the owner was not told", "text", text, "err", err)
	}
}

// AppOpened notes that a window of the owner's is connected, until closed is called.
func (b *Engine) AppOpened() (closed func()) { return b.Router.AppOpened() }
