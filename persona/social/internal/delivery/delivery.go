// Package delivery types replies, in parts, with stickers.
package delivery

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
	"github.com/hearth-bot/hearth/persona/speech"
)

// Speech is documented in package social.
type Speech struct {
	Split speech.SplitOptions
	Pace  speech.Pace

	Stickers      *speech.StickerPicker
	StickerChance float64

	Stream bool
}

// Options are Speech, and what it goes by.
type Options struct {
	Speech
	Arousal func(now time.Time, c *engine.Chat) float64 // how excited the mood of a chat makes the bot; nil: it has none
}

// A Delivery types replies, in parts, with a sticker behind them. Its methods may be called concurrently.
type Delivery struct {
	engine *engine.Engine
	o      Options
	cuts   atomic.Int64
}

// New returns a Delivery of an engine's replies.
func New(e *engine.Engine, o Options) *Delivery { return &Delivery{engine: e, o: o} }

// Cuts is how many replies there were whose rest was not said.
func (d *Delivery) Cuts() int64 { return d.cuts.Load() }

// maxParts bounds what counts as one.
const maxParts = 8

// Stream implements [engine.Delivery].
func (d *Delivery) Stream(ctx context.Context, u *engine.Utterance) *stream.Outlet {
	if !d.o.Stream {
		return nil
	}
	return stream.New(ctx, maxParts-1, func(ctx context.Context, item string) error {
		if u.Said == 0 {
			u.Whole = item
		}
		return d.say(ctx, u, persona.Outgoing{Text: item})
	})
}

// Silent implements [engine.Delivery].
func (d *Delivery) Silent(w engine.Answer) bool {
	if w.Text == "" {
		return w.Image == ""
	}
	return !slices.ContainsFunc(stream.Items(w.Text), func(item string) bool { return !prompt.IsSilence(item) })
}

// Say implements [engine.Delivery].
func (d *Delivery) Say(ctx context.Context, u *engine.Utterance, taken int) error {
	if u.Image != "" {
		return d.say(ctx, u, u.Outgoing)
	}
	parts := []string{""}
	switch {
	case u.Text == "" && u.Said > 0: // the items beside a call were all that there is to say
		parts = nil
	case u.Text != "":
		parts = d.parts(u)
		parts = slices.DeleteFunc(parts[min(taken, len(parts)):], prompt.IsSilence)
		parts = bounded(parts, maxParts-u.Said)
	}
	if u.Said == 0 {
		u.Whole = strings.Join(parts, "\n")
	}
	for _, part := range parts {
		if err := d.say(ctx, u, persona.Outgoing{Text: part}); err != nil {
			return err
		}
	}
	return d.adorn(ctx, u)
}

// parts are what a text is said in: its items, or its sentences.
func (d *Delivery) parts(u *engine.Utterance) []string {
	items := stream.Items(u.Text)
	if len(items) != 1 || items[0] != u.Text {
		return items
	}
	o := d.o.Split
	o.Seed = d.seed("split", u)
	return speech.Split(u.Text, o)
}

// bounded are at most so many parts, the last of which holds the rest.
func bounded(parts []string, most int) []string {
	if most = max(most, 1); len(parts) <= most {
		return parts
	}
	return append(parts[:most-1:most-1], strings.Join(parts[most-1:], "\n"))
}

// say types a part and sends it.
func (d *Delivery) say(ctx context.Context, u *engine.Utterance, out persona.Outgoing) error {
	if u.Said == 0 {
		out.ReplyTo, out.Mentions, out.MentionEveryone = u.ReplyTo, u.Mentions, u.MentionEveryone
	}
	err := d.types(ctx, u, out.Text)
	if err == nil {
		_, err = u.Send(ctx, out)
	}
	if err != nil && u.Said > 0 {
		d.cut(u, engine.OutText(out), err)
	}
	return err
}

// cut tells that the rest is not said.
func (d *Delivery) cut(u *engine.Utterance, next string, err error) {
	var why []heartflow.Code
	var refused *heartflow.RefusedError
	switch {
	case errors.As(err, &refused):
		why = append(why, refused.Code)
	case errors.Is(err, engine.ErrRetracted):
		why = append(why, heartflow.WhyRetracted)
	}
	d.cuts.Add(1)
	d.engine.Attention.LogUnsent(time.Now(), u.Chat, next, why...)
	d.engine.Log.Warn("the rest of a reply was not said", "chat", u.Chat, "said", u.Said, "err", err)
}

// types waits as long as typing a part takes, and has the platform show that somebody types.
func (d *Delivery) types(ctx context.Context, u *engine.Utterance, part string) error {
	pace := d.o.Pace
	pace.Seed = d.seed("pace", u)
	now := time.Now()
	if d.o.Arousal != nil {
		pace.Arousal += d.o.Arousal(now, u.Turn.Chat)
	}
	wait := pace.Wait(part, u.Turn.Began, u.Last, now)
	if wait <= 0 {
		return nil
	}
	defer d.typing(ctx, u.Chat)()
	if loop.Sleep(ctx, wait) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// typing has the link show that somebody types, as far as it can, until the function that it returns is called.
func (d *Delivery) typing(ctx context.Context, chat persona.Chat) (stop func()) {
	show := d.engine.Options.Features.Typing
	if show == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := show(ctx, chat); err != nil && ctx.Err() == nil {
			d.engine.Log.Debug("it could not be shown that the being types", "chat", chat, "err", err)
		}
	}()
	return func() { cancel(); <-over }
}

// seed is the turn's own, for one matter: the same bot and job have the same.
func (d *Delivery) seed(matter string, u *engine.Utterance) uint64 {
	return d.engine.Dice(matter + "/" + u.Turn.ID).Uint64()
}
