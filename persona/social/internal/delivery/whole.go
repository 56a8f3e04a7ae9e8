package delivery

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
	"github.com/hearth-bot/hearth/persona/speech"
)

// Voice configures replies as voice messages. It is documented in package social.
type Voice struct {
	Voicer   persona.Voicer
	Chance   float64
	MaxRunes int
}

// Long configures long and tabular replies. It is documented in package social.
type Long struct {
	Runes     int
	Renderer  func(ctx context.Context, markdown string) (picture []byte, err error)
	NoForward bool
}

const (
	defaultVoiceRunes = 60
	defaultLongRunes  = 600
	forwardRunes      = 400              // of one message of a forward
	wholeTimeout      = 20 * time.Second // to speak or to draw a text
)

// sendWhole sends a reply as a voice message, a picture or a merged forward, if it should be one. sent is false if it should
// not, or if that failed before anything was sent: the reply then goes out as text.
func (d *Delivery) sendWhole(ctx context.Context, u *engine.Utterance) (sent bool, err error) {
	var out persona.Outgoing
	var ok bool
	if d.shouldSpeak(u) {
		out, ok = d.spoken(ctx, u)
	} else if d.isLong(u.Text) {
		if out, ok = d.drawn(ctx, u); !ok {
			out, ok = d.forwarded(u)
		}
	}
	if !ok {
		return false, nil
	}
	u.FullText = out.Content()
	err = d.sendPart(ctx, u, out)
	if err == nil || u.SentCount > 0 || !u.Failed {
		return err == nil, err
	}
	d.engine.Log.Warn("a reply could not be sent in its form, and is sent as text", "chat", u.Chat, "err", err)
	return false, nil
}

// shouldSpeak reports whether a reply is a voice message: it is short and plain, and it answers a voice message or chance
// decides so.
func (d *Delivery) shouldSpeak(u *engine.Utterance) bool {
	v := d.o.Voice
	if v == nil || !d.engine.Options.Features.CanSend(u.Chat).Voice || len(u.Mentions) > 0 {
		return false
	}
	text := d.plain(u)
	if text == "" || utf8.RuneCountInString(text) > cmp.Or(v.MaxRunes, defaultVoiceRunes) || strings.Contains(text, "://") || strings.Contains(u.Text, "```") {
		return false
	}
	heard := slices.ContainsFunc(u.Turn.Caller.Parts, func(p persona.Part) bool { _, is := p.(persona.Voice); return is })
	return heard || d.engine.Rand("voice/"+u.Turn.ID).Float64() < v.Chance
}

// spoken returns the reply as a voice message.
func (d *Delivery) spoken(ctx context.Context, u *engine.Utterance) (out persona.Outgoing, ok bool) {
	text := d.plain(u)
	ctx, stop := context.WithTimeout(engine.WithTurn(ctx, u.Turn), wholeTimeout)
	defer stop()
	audio, err := d.speak(ctx, text)
	if err == nil && len(audio.Data) == 0 {
		err = errors.New("social: the Voicer returned no audio")
	}
	if err != nil {
		d.engine.Log.Warn("a reply could not be spoken, and is sent as text", "chat", u.Chat, "err", err)
		return out, false
	}
	return persona.Outgoing{Text: text, Voice: audio}, true
}

// speak asks the model for speech, or the Voicer.
func (d *Delivery) speak(ctx context.Context, text string) (audio persona.Audio, err error) {
	if model := d.engine.Models.For(models.PurposeSpeak); model != nil {
		data, kind, err := models.Speak(ctx, model, text)
		return persona.Audio{Data: data, Type: kind}, err
	}
	if d.o.Voice.Voicer == nil {
		return audio, errors.New("social: there is neither Models.Speak nor a Voicer")
	}
	defer func() {
		if p := recover(); p != nil {
			d.engine.Log.Error("the Voicer panicked", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("social: the Voicer panicked")
		}
	}()
	return d.o.Voice.Voicer.Speak(ctx, text)
}

// isLong reports whether a reply is long or has a table.
func (d *Delivery) isLong(text string) bool {
	most := cmp.Or(d.o.Long.Runes, defaultLongRunes)
	return most > 0 && utf8.RuneCountInString(text) > most || hasTable(text)
}

// hasTable reports whether a text has a table in Markdown: a row and below it the line of dashes.
func hasTable(text string) bool {
	row := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if row && strings.Contains(line, "--") && strings.Trim(line, "|-: ") == "" {
			return true
		}
		row = strings.HasPrefix(line, "|") && strings.Count(line, "|") > 2
	}
	return false
}

// drawn returns the reply as a picture of the host's Renderer.
func (d *Delivery) drawn(ctx context.Context, u *engine.Utterance) (out persona.Outgoing, ok bool) {
	encode := d.engine.Options.Features.EncodeImage
	if d.o.Long.Renderer == nil || encode == nil {
		return out, false
	}
	ctx, stop := context.WithTimeout(ctx, wholeTimeout)
	defer stop()
	picture, err := d.render(ctx, u.Text)
	if err == nil {
		out.Image, err = encode(picture)
	}
	if err != nil {
		d.engine.Log.Warn("a long reply could not be drawn", "chat", u.Chat, "err", err)
	}
	out.ImageText = d.plain(u)
	return out, err == nil && out.Image != ""
}

func (d *Delivery) render(ctx context.Context, text string) (picture []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.engine.Log.Error("the Renderer panicked", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("social: the Renderer panicked")
		}
	}()
	return d.o.Long.Renderer(ctx, text)
}

// forwarded returns the reply as a merged forward of the bot's own messages.
func (d *Delivery) forwarded(u *engine.Utterance) (out persona.Outgoing, ok bool) {
	if d.o.Long.NoForward || !d.engine.Options.Features.CanSend(u.Chat).Forward {
		return out, false
	}
	for _, text := range paragraphs(d.plain(u), forwardRunes) {
		out.Forward = append(out.Forward, persona.Message{From: d.engine.SelfIn(u.Chat), Name: d.engine.Options.Profile.Name, Text: text})
	}
	return out, len(out.Forward) > 0
}

// plain returns a reply as plain text. Its items are lines.
func (d *Delivery) plain(u *engine.Utterance) string {
	items := stream.Items(u.Text)
	for i := range items {
		items[i] = d.engine.PlainText(items[i])
	}
	return strings.TrimSpace(strings.Join(items, "\n"))
}

// paragraphs joins the lines of a text to pieces of at most most runes. A longer line is a piece of its own, cut at the end of
// sentences.
func paragraphs(text string, most int) (pieces []string) {
	piece, length := "", 0
	add := func() {
		if piece = strings.TrimSpace(piece); piece != "" {
			pieces = append(pieces, piece)
		}
		piece, length = "", 0
	}
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(line)
		if length+n > most {
			add()
		}
		if n > most {
			pieces = append(pieces, speech.Split(strings.TrimSpace(line), speech.SplitOptions{MaxParts: -1, MaxRunes: most, SplitChance: 1, DropPeriod: -1})...)
			continue
		}
		piece, length = piece+line, length+n
	}
	add()
	return pieces
}
