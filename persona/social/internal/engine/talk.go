package engine

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// Talk is Owner for an answer that is heard while it is written.
func (b *Engine) Talk(ctx context.Context, text string, deliver func(ctx context.Context, item string) error) error {
	_, err := b.owner(ctx, text, deliver)
	return err
}

// hands has the items of an answer delivered while it is written; a nil deliver: it is returned.
func (t *Turn) hands(ctx context.Context, deliver func(context.Context, string) error) {
	if deliver == nil {
		return
	}
	t.outlet = newOutlet(ctx, math.MaxInt, func(ctx context.Context, item string) error {
		n, err := t.Commit(ctx, persona.Entry{Chat: t.Chat.ID, Text: item})
		if err != nil {
			return err
		}
		err = deliver(ctx, item)
		after, stop := Afterwards(ctx)
		defer stop()
		if err := t.Engine.Jobs.Result(after, time.Now(), t.ID, n, "", err, false); err != nil {
			t.Engine.Log.Error("that an item was delivered was not kept", "err", err)
		}
		if err == nil {
			t.told = append(t.told, item)
		}
		return err
	})
}

// handed delivers the rest of an answer, and gives it as it was delivered. What an answer that failed has delivered is kept.
func (t *Turn) handed(ctx context.Context, text string, err error) (string, error) {
	o := t.outlet
	if o == nil {
		return text, err
	}
	_, taken, cut := o.end(err != nil)
	if err == nil {
		err = cut
	}
	if err == nil {
		items := ItemsOf(text)
		for _, item := range items[min(taken, len(items)):] {
			if persona.IsSilence(item) {
				continue
			}
			if err = o.say(ctx, item); err != nil {
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
