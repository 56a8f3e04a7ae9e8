package qqbotlink

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// maxSlots limits how many messages one message is offered as a reply to, each after a refusal of the one before.
const maxSlots = 3

// resendAfter is the wait before a reply with an unknown outcome is sent again.
const resendAfter = time.Second

var errVoice = errors.New("qqbotlink: the platform takes only SILK, MP3, WAV and OGG as voice")

// Send sends a message as a reply to out.ReplyTo, to another message that can be replied to, or without a reply where the bot may
// speak first. Its text is never read as a mention, a face or markdown.
func (l *link) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	to, err := receiver(chat)
	if err != nil {
		return "", err
	}
	m, err := l.compose(ctx, to, out)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		s, err := l.windows.take(time.Now(), chat, out.ReplyTo)
		if err != nil {
			return "", fmt.Errorf("%w: %w", social.ErrNotPermitted, err)
		}
		m.MsgID, m.EventID, m.Seq = "", "", 0
		if t := s.target; t != nil {
			m.Seq = s.seq
			if m.MsgID = t.id; t.event {
				m.MsgID, m.EventID = "", t.id
			}
		}
		id, err := l.send(ctx, to, m)
		kind, refused := qqbot.KindOf(err)
		if err == nil || !refused || errors.Is(err, qqbot.ErrUnclear) || !l.windows.refused(time.Now(), chat, s, kind) || n == maxSlots {
			return id, unclear(err)
		}
	}
}

// compose uploads what the message needs and returns it, without what it replies to.
func (l *link) compose(ctx context.Context, to qqbot.Chat, out persona.Outgoing) (m qqbot.Out, err error) {
	m = qqbot.Out{Text: out.Text, Quote: l.indexes.index(out.ReplyTo)}
	if out.MentionEveryone { // bots cannot mention everybody in groups
		m.Text = "@全体成员 " + m.Text
	}
	if to.Group {
		m.At = out.Mentions
	}
	var f qqbot.File
	switch {
	case out.Voice.Data != nil:
		if !isVoice(out.Voice.Data) {
			return m, errVoice
		}
		m = qqbot.Out{} // QQ shows a voice message alone
		f = qqbot.File{Type: qqbot.VoiceFile, Data: out.Voice.Data}
	case out.File.Data != nil:
		m = qqbot.Out{}
		f = qqbot.File{Type: qqbot.OtherFile, Data: out.File.Data, Name: out.File.Name}
	case out.Image != "":
		if f, err = readImage(out.Image); err != nil {
			return m, err
		}
	default:
		return m, nil
	}
	media, err := l.client.Upload(ctx, to, f)
	m.Media = media.Info
	return m, err
}

// send sends a message, and again if its outcome is unknown and the options say so.
func (l *link) send(ctx context.Context, to qqbot.Chat, m qqbot.Out) (string, error) {
	sent, err := l.client.Send(ctx, to, m)
	if errors.Is(err, qqbot.ErrUnclear) && l.o.ResendUnclear && m.MsgID != "" {
		sent, err = l.resend(ctx, to, m, err)
	}
	if err == nil {
		l.indexes.add(known{id: sent.ID, index: sent.Index, own: true})
	}
	return sent.ID, err
}

// resend sends a reply again. If the platform calls it a duplicate, the first one arrived, and its id stays unknown.
func (l *link) resend(ctx context.Context, to qqbot.Chat, m qqbot.Out, first error) (qqbot.Sent, error) {
	select {
	case <-time.After(resendAfter):
	case <-ctx.Done():
		return qqbot.Sent{}, first
	}
	sent, err := l.client.Send(ctx, to, m)
	if err == nil {
		return sent, nil
	}
	if kind, _ := qqbot.KindOf(err); kind == qqbot.KindDuplicate {
		return qqbot.Sent{ID: fmt.Sprintf("resent/%s/%d", m.MsgID, m.Seq)}, nil
	}
	return qqbot.Sent{}, first // the second says nothing about the first
}

// unclear makes an error of the client with an unknown outcome match social.ErrUnclear.
func unclear(err error) error {
	if errors.Is(err, qqbot.ErrUnclear) {
		return fmt.Errorf("%w: %w", social.ErrUnclear, err)
	}
	return err
}

// typing shows that the bot is typing. It uses up a reply, so at least two must be left.
func (l *link) typing(ctx context.Context, chat persona.Chat) error {
	to, err := receiver(chat)
	if err != nil || to.Group {
		return err
	}
	s, ok := l.windows.takeSpare(time.Now(), chat)
	if !ok {
		return nil
	}
	return l.client.Typing(ctx, to.ID, s.target.id, s.seq, time.Minute)
}

const base64Scheme = "base64://"

// encodeImage encodes a picture as part of the message.
func encodeImage(picture []byte) (string, error) {
	return base64Scheme + base64.StdEncoding.EncodeToString(picture), nil
}

// readImage reads the form of encodeImage, or a URL from which the platform fetches the picture.
func readImage(s string) (f qqbot.File, err error) {
	f.Type = qqbot.ImageFile
	data, encoded := strings.CutPrefix(s, base64Scheme)
	switch {
	case encoded:
		f.Data, err = base64.StdEncoding.DecodeString(data)
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		f.URL = s
	default:
		err = errors.New("want base64:// or a URL")
	}
	if err != nil {
		err = fmt.Errorf("qqbotlink: picture: %w", err)
	}
	return f, err
}

// isVoice reports whether data begins like a recording that the platform takes.
func isVoice(data []byte) bool {
	for _, magic := range []string{"#!SILK", "\x02#!SILK", "ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2", "RIFF", "OggS"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}
