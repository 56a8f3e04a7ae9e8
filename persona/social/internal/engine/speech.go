package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
	"github.com/hearth-bot/hearth/persona/speech"
)

// Speech is documented in package social.
type Speech struct {
	Split speech.Options
	Pace  speech.Pace

	Stickers      *speech.Stickers
	StickerChance float64

	Stream bool
}

// maxParts bounds what counts as one.
const maxParts = 8

// An utterance is a reply on its way out.
type utterance struct {
	turn  *Turn
	chat  persona.Chat
	head  persona.Out // what the first part carries beside its text
	whole string      // all that it says, as far as that is known when it begins
	said  int
	last  time.Time // when the last part had left
}

// speak says a reply, in one message or, with Options.Speech, in parts. said tells how many of them have left:
// where there are some, an error means that the rest was not said.
func (t *Turn) Speak(ctx context.Context, chat persona.Chat, out persona.Out) (said int, err error) {
	return t.utter(ctx, &utterance{turn: t, chat: chat, head: out}, 0)
}

// utter says what u has not said yet: all of it but its first items, taken of them.
func (t *Turn) utter(ctx context.Context, u *utterance, taken int) (said int, err error) {
	if u.head.Image != "" {
		err := u.say(ctx, u.head)
		return u.said, err
	}
	parts := []string{u.head.Text}
	if t.Engine.Options.Speech != nil && u.head.Text != "" {
		parts = t.parts(u.head.Text)
		parts = slices.DeleteFunc(parts[min(taken, len(parts)):], persona.IsSilence)
		parts = bounded(parts, maxParts-u.said)
	}
	if u.said == 0 {
		u.whole = strings.Join(parts, "\n")
	}
	for _, part := range parts {
		if err := u.say(ctx, persona.Out{Text: part}); err != nil {
			return u.said, err
		}
	}
	return u.said, nil
}

// open begins the answer to a batch, which is said while it is written where Options.Speech wants that. close ends it.
func (t *Turn) open(ctx context.Context) {
	u := &utterance{turn: t, chat: t.Chat.ID}
	t.utterance = u
	if s := t.Engine.Options.Speech; s == nil || !s.Stream {
		return
	}
	t.outlet = stream.New(ctx, maxParts-1, func(ctx context.Context, item string) error {
		if u.said == 0 {
			u.whole = item
		}
		return u.say(ctx, persona.Out{Text: item})
	})
}

// parts are what a text is said in: its items, or its sentences.
func (t *Turn) parts(text string) []string {
	items := stream.Items(text)
	if len(items) != 1 || items[0] != text {
		return items
	}
	o := t.Engine.Options.Speech.Split
	o.Seed = t.Chance("split").Uint64()
	return speech.Split(text, o)
}

// silent reports that there is nothing to say.
func (t *Turn) silent(w Answer) bool {
	if w.Text == "" || t.Engine.Options.Speech == nil {
		return w.Text == "" && w.Image == ""
	}
	return !slices.ContainsFunc(stream.Items(w.Text), func(item string) bool { return !persona.IsSilence(item) })
}

// bounded are at most so many parts, the last of which holds the rest.
func bounded(parts []string, most int) []string {
	if most = max(most, 1); len(parts) <= most {
		return parts
	}
	return append(parts[:most-1:most-1], strings.Join(parts[most-1:], "\n"))
}

// say types a part and says it.
func (u *utterance) say(ctx context.Context, out persona.Out) error {
	t := u.turn
	if u.said == 0 {
		out.ReplyTo, out.Mention, out.Everyone = u.head.ReplyTo, u.head.Mention, u.head.Everyone
	}
	err := t.types(ctx, u.chat, out.Text, u.last)
	if err == nil {
		_, err = t.Send(ctx, u.chat, out, u)
	}
	switch {
	case err == nil:
		u.said, u.last = u.said+1, time.Now()
	case u.said > 0:
		u.cut(said(out), err)
	}
	return err
}

// permitted asks whether the next part may leave: the first counts for all of them.
func (u *utterance) permitted(now time.Time) error {
	t := u.turn
	if err := t.Act(); err != nil {
		return err
	}
	if u.said == 0 {
		return t.Engine.permit(now, t, u.chat, u.whole)
	}
	if err := t.Halted(); err != nil {
		return err
	}
	return t.Engine.Attention.Continue(now, u.chat)
}

// cut tells that the rest is not said.
func (u *utterance) cut(next string, err error) {
	b := u.turn.Engine
	var why []heartflow.Code
	var refused *heartflow.Refused
	switch {
	case errors.As(err, &refused):
		why = append(why, refused.Code)
	case errors.Is(err, ErrRecalled):
		why = append(why, heartflow.WhyRecalled)
	}
	b.Counters.Cut.Add(1)
	b.Attention.Cut(time.Now(), u.chat, next, why...)
	b.Log.Warn("the rest of a reply was not said", "chat", u.chat, "said", u.said, "err", err)
}

// types waits as long as typing a part takes, and has the platform show that somebody types.
func (t *Turn) types(ctx context.Context, chat persona.Chat, part string, last time.Time) error {
	s := t.Engine.Options.Speech
	if s == nil {
		return nil
	}
	pace := s.Pace
	pace.Seed = t.Chance("pace").Uint64()
	now := time.Now()
	if arousal := t.Engine.Options.Arousal; arousal != nil {
		pace.Arousal += arousal(now, t.Chat)
	}
	wait := pace.Wait(part, t.Began, last, now)
	if wait <= 0 {
		return nil
	}
	defer t.Engine.typing(ctx, chat)()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// typing has the link show that somebody types, as far as it can, until the function that it returns is called.
func (b *Engine) typing(ctx context.Context, chat persona.Chat) (stop func()) {
	if b.Options.Features.Typing == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := b.Options.Features.Typing(ctx, chat); err != nil && ctx.Err() == nil {
			b.Log.Debug("it could not be shown that the being types", "chat", chat, "err", err)
		}
	}()
	return func() { cancel(); <-over }
}

// chance is the turn's own, for one matter: the same being and errand have the same.
func (t *Turn) Chance(matter string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", matter, t.ID)
	return rand.New(rand.NewPCG(t.Engine.Attention.Seed(), h.Sum64()))
}
