package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// NotifyOwner tells the owner what happened to the bot. What others wrote stands in it as [Line] gives it.
func (b *Engine) NotifyOwner(ctx context.Context, text string) {
	text = Visible(text)
	b.Log.Warn("the owner should know", "text", text)
	if b.Options.Notify == nil {
		return
	}
	if err := b.Options.Notify(ctx, text); err != nil {
		b.Log.Error("the owner was not told", "text", text, "err", err)
	}
}

// Line is what somebody wrote, as a notice quotes it in 「」: visible, in one line, and without these brackets.
func Line(text string) string {
	return strings.NewReplacer("「", "『", "」", "』").Replace(strings.Join(strings.Fields(Visible(text)), " "))
}

// Visible is a text without what cannot be seen and may turn around what can: a notice quotes what strangers wrote.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\u200d': // the joiner of emoji
			return r
		case r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}

// OwnerMessage returns a message of the owner's, with a key of its own.
func (b *Engine) OwnerMessage(now time.Time, text string) persona.Message {
	id := fmt.Sprintf("%d-%d", now.UnixNano(), b.Counters.ownerLines.Add(1))
	return persona.Message{ID: id, Key: id, Chat: b.Owners.ID, From: "owner", Name: "主人", At: now, Text: text}
}

// KeepOwner journals a message of the talk with the owner.
func (b *Engine) KeepOwner(ctx context.Context, m persona.Message, l memory.Label, sources ...string) error {
	err := b.Memory.Put(ctx, memory.Record{
		ID: m.ID, Space: memory.Owner, Kind: memory.KindMessage, Text: ClipRecord(m.Text), Person: m.From, Name: m.Name, Own: m.Own, At: m.At, Sources: sources, Label: l,
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// keepAnswer journals what the owner was told.
func (t *Turn) keepAnswer(ctx context.Context, text string) {
	b := t.Engine
	own := b.OwnerMessage(time.Now(), text)
	own.From, own.Name, own.Own = b.SelfID(), b.Options.Profile.Name, true
	if err := b.KeepOwner(ctx, own, t.Bear(DatumOwnerAnswer)); err != nil {
		b.Log.Error("an answer to the owner was not kept", "err", err)
	}
}
