// Package delivery sends replies in several parts at typing speed, with stickers.
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

type Speech struct {
	Split speech.SplitOptions
	Pace  speech.Pace

	Stickers      *speech.StickerPicker
	StickerChance float64

	Stream bool
	Voice  *Voice
	Long   Long
}

// Options configure a Delivery. The fields of Speech are documented in package social.
type Options struct {
	Speech
	Arousal func(now time.Time, c *engine.Chat) float64 // arousal of the chat's mood, which speeds up typing; nil: 0
}

// A Delivery sends replies in parts, each after its typing time, and a sticker after them. Its methods may be called
// concurrently.
type Delivery struct {
	engine    *engine.Engine
	o         Options
	truncated atomic.Int64
}

// New returns a Delivery for the replies of an engine.
func New(e *engine.Engine, o Options) *Delivery { return &Delivery{engine: e, o: o} }

// Cuts returns how many replies were sent only in part.
func (d *Delivery) Cuts() int64 { return d.truncated.Load() }

// maxParts limits the parts of one reply. All of them count as one message in the rate limits.
const maxParts = 8

// Stream implements [engine.Delivery].
func (d *Delivery) Stream(ctx context.Context, u *engine.Utterance) *stream.Outlet {
	if !d.o.Stream {
		return nil
	}
	return stream.New(ctx, maxParts-1, func(ctx context.Context, item string) error {
		if u.SentCount == 0 {
			u.FullText = item
		}
		if item = d.engine.PlainText(item); item == "" {
			return nil
		}
		return d.sendPart(ctx, u, persona.Outgoing{Text: item})
	})
}

// IsSilent implements [engine.Delivery].
func (d *Delivery) IsSilent(w engine.Answer) bool {
	if w.Text == "" {
		return w.IsEmpty()
	}
	return !slices.ContainsFunc(stream.Items(w.Text), func(item string) bool { return !prompt.IsSilence(d.engine.PlainText(item)) })
}

// Deliver implements [engine.Delivery].
func (d *Delivery) Deliver(ctx context.Context, u *engine.Utterance, taken int) error {
	if u.Text == "" && !u.IsEmpty() { // a picture or a reaction
		return d.sendPart(ctx, u, u.Outgoing)
	}
	if taken == 0 && u.SentCount == 0 {
		if sent, err := d.sendWhole(ctx, u); sent || err != nil {
			return err
		}
	}
	parts := []string{""}
	switch {
	case u.Text == "" && u.SentCount > 0: // the streamed items were the whole text
		parts = nil
	case u.Text != "":
		parts = d.parts(u)
		parts = slices.DeleteFunc(parts[min(taken, len(parts)):], prompt.IsSilence)
		parts = limitParts(parts, min(maxParts-u.SentCount, d.permitted(u)))
	}
	if u.SentCount == 0 {
		u.FullText = strings.Join(parts, "\n")
	}
	for _, part := range parts {
		if err := d.sendPart(ctx, u, persona.Outgoing{Text: part}); err != nil {
			return err
		}
	}
	return d.sendSticker(ctx, u)
}

// parts splits a text into its items, or if it has none, into sentences.
func (d *Delivery) parts(u *engine.Utterance) []string {
	items := stream.Items(u.Text)
	if len(items) == 1 && items[0] == strings.TrimSpace(u.Text) {
		o := d.o.Split
		o.Seed = d.seed("split", u)
		if !strings.Contains(u.Text, "```") {
			return speech.Split(d.engine.PlainText(u.Text), o)
		}
		items = speech.Split(u.Text, o) // it cuts no code block
	}
	for i := range items {
		items[i] = d.engine.PlainText(items[i])
	}
	return items
}

// limitParts joins the last parts with newlines until at most most parts are left.
func limitParts(parts []string, most int) []string {
	if most = max(most, 1); len(parts) <= most {
		return parts
	}
	return append(parts[:most-1:most-1], strings.Join(parts[most-1:], "\n"))
}

// permitted returns how many messages the platform permits now; 0 for none.
func (d *Delivery) permitted(u *engine.Utterance) int {
	left, _ := u.Permitted(time.Now())
	return left
}

// sendPart waits for the typing time of a part and sends it.
func (d *Delivery) sendPart(ctx context.Context, u *engine.Utterance, out persona.Outgoing) error {
	if u.SentCount == 0 {
		out.ReplyTo, out.Mentions, out.MentionEveryone = u.ReplyTo, u.Mentions, u.MentionEveryone
	}
	err := d.waitTyping(ctx, u, out.Text)
	if err == nil {
		_, err = u.Send(ctx, out)
	}
	if err != nil && u.SentCount > 0 {
		d.logUnsent(u, out.Content(), err)
	}
	return err
}

// logUnsent records that the rest of a reply was not sent.
func (d *Delivery) logUnsent(u *engine.Utterance, next string, err error) {
	var why []heartflow.Code
	var refused *heartflow.RefusedError
	switch {
	case errors.As(err, &refused):
		why = append(why, refused.Code)
	case errors.Is(err, engine.ErrRetracted):
		why = append(why, heartflow.WhyRetracted)
	case errors.Is(err, engine.ErrNotPermitted):
		why = append(why, heartflow.WhyNoWindow)
	}
	d.truncated.Add(1)
	d.engine.Attention.LogUnsent(time.Now(), u.Chat, next, why...)
	d.engine.Log.Warn("the rest of a reply was not sent", "chat", u.Chat, "sent", u.SentCount, "err", err)
}

// waitTyping waits for the time that typing a part takes. Meanwhile it shows the typing indicator.
func (d *Delivery) waitTyping(ctx context.Context, u *engine.Utterance, part string) error {
	pace := d.o.Pace
	pace.Seed = d.seed("pace", u)
	now := time.Now()
	if d.o.Arousal != nil {
		pace.Arousal += d.o.Arousal(now, u.Turn.Chat)
	}
	wait := pace.Wait(part, u.Turn.Began, u.LastSentAt, now)
	if wait <= 0 {
		return nil
	}
	defer d.engine.Options.Features.ShowTyping(ctx, d.engine.Log, u.Chat)()
	if loop.Sleep(ctx, wait) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// seed returns the seed of one random choice of a turn. It depends only on the bot's seed, the job and the purpose.
func (d *Delivery) seed(purpose string, u *engine.Utterance) uint64 {
	return d.engine.Rand(purpose + "/" + u.Turn.ID).Uint64()
}
