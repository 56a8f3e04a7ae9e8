package engine

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// Talk is Owner for an answer that is heard while it is written.
func (b *Engine) Talk(ctx context.Context, text string, deliver func(ctx context.Context, item string) error) error {
	_, err := b.owner(ctx, text, deliver)
	return err
}

// A talk delivers the items of an answer to the owner.
type talk struct {
	*Turn
	deliver func(ctx context.Context, item string) error
	told    []string // items that were delivered
}

// say delivers an item.
func (t *talk) say(ctx context.Context, item string) error {
	n, err := t.Commit(ctx, persona.Entry{Chat: t.Chat.ID, Text: item})
	if err != nil {
		return err
	}
	err = t.deliver(ctx, item)
	after, stop := Afterwards(ctx)
	defer stop()
	if err := t.Engine.Jobs.Result(after, time.Now(), t.ID, n, "", err, false); err != nil {
		t.Engine.Log.Error("that an item was delivered was not kept", "err", err)
	}
	if err == nil {
		t.told = append(t.told, item)
	}
	return err
}

// finish delivers the rest of an answer, and gives it as it was delivered. What an answer that failed has delivered is kept.
func (t *talk) finish(ctx context.Context, text string, err error) (string, error) {
	taken, cut := t.outlet.Close(err != nil)
	if err == nil {
		err = cut
	}
	if err == nil {
		items := stream.Items(text)
		for _, item := range items[min(taken, len(items)):] {
			if persona.IsSilence(item) {
				continue
			}
			if err = t.say(ctx, item); err != nil {
				break
			}
		}
	}
	text = strings.Join(t.told, "\n")
	if err != nil && text != "" {
		after, stop := Afterwards(ctx)
		defer stop()
		t.Engine.keepAnswer(after, text)
	}
	return text, err
}

// keepAnswer journals what the owner was told.
func (b *Engine) keepAnswer(ctx context.Context, text string) {
	own := b.OwnerMessage(time.Now(), text)
	own.From, own.Name, own.Own = b.SelfID(), b.Options.Profile.Name, true
	if err := b.KeepOwner(ctx, own); err != nil {
		b.Log.Error("an answer to the owner was not kept", "err", err)
	}
}
