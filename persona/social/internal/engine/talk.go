package engine

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// Talk is Owner for an answer that is heard while it is written.
func (b *Being) Talk(ctx context.Context, text string, deliver func(ctx context.Context, item string) error) error {
	_, err := b.owner(ctx, text, deliver)
	return err
}

// hands has the items of an answer delivered while it is written; a nil deliver: it is returned.
func (t *turn) hands(ctx context.Context, deliver func(context.Context, string) error) {
	if deliver == nil {
		return
	}
	t.outlet = newOutlet(ctx, math.MaxInt, func(ctx context.Context, item string) error {
		n, err := t.commit(ctx, persona.Entry{Chat: t.room.chat, Text: item})
		if err != nil {
			return err
		}
		err = deliver(ctx, item)
		after, stop := afterwards(ctx)
		defer stop()
		if err := t.being.errands.Result(after, time.Now(), t.ID, n, "", err, false); err != nil {
			t.being.log.Error("that an item was delivered was not kept", "err", err)
		}
		if err == nil {
			t.told = append(t.told, item)
		}
		return err
	})
}

// handed delivers the rest of an answer, and gives it as it was delivered. What an answer that failed has delivered is kept.
func (t *turn) handed(ctx context.Context, text string, err error) (string, error) {
	o := t.outlet
	if o == nil {
		return text, err
	}
	_, taken, cut := o.end(err != nil)
	if err == nil {
		err = cut
	}
	if err == nil {
		items := itemsOf(text)
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
		after, stop := afterwards(ctx)
		defer stop()
		t.being.keepAnswer(after, text)
	}
	return text, err
}

// keepAnswer journals what the owner was told.
func (b *Being) keepAnswer(ctx context.Context, text string) {
	own := b.ownerMessage(time.Now(), text)
	own.From, own.Name, own.Own = b.self(), b.opts.Profile.Name, true
	if err := b.keepOwner(ctx, own); err != nil {
		b.log.Error("an answer to the owner was not kept", "err", err)
	}
}
