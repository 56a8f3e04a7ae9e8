package qqbotlink

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// Limits of the media of one message.
const (
	maxPictures = 9    // further ones have no URL
	maxMediaURL = 2048 // bytes; longer URLs are ignored
)

// stateTimeout limits the question for the bot's state in a group, which delays the message that caused it.
const stateTimeout = 2 * time.Second

// message converts a message. ok is false for one that the bot must not see: its own, or the pairing code.
func (l *link) message(ctx context.Context, e *qqbot.Message) (m persona.Message, ok bool) {
	chat := chatOf(e.Chat)
	if e.Own || l.indexes.message(e.Index).own || l.indexes.index(e.ID) != "" && l.indexes.message(l.indexes.index(e.ID)).own {
		return m, false
	}
	if l.pair(e) {
		return m, false
	}
	l.windows.open(time.Now(), chat, e.ID, false, e.Time)
	l.indexes.add(known{id: strings.Clone(e.ID), index: strings.Clone(e.Index)})
	l.askState(ctx, chat)
	l.learnNames(chat, e)

	m = persona.Message{ID: e.ID, Chat: chat, From: e.Author.ID, Name: l.name(chat, e.Author.ID, e.Author.Username), At: e.Time, Bot: e.Author.Bot}
	if chat.Kind == persona.Private {
		m.ChatName = m.Name
	}
	m.AtMe = chat.Kind == persona.Group && e.ToMe()
	r := reader{l: l, chat: chat}
	m.Parts = r.read(e)
	m.Text = persona.TextOf(m.Parts)
	for _, at := range e.Mentions {
		switch {
		case at.You:
			m.Mentions = append(m.Mentions, l.self().ID)
		case at.ID != "":
			m.Mentions = append(m.Mentions, at.ID)
		}
	}
	if q := e.Quote; q != nil {
		m.ReplyTo, m.Quote = l.quote(&r, q)
	}
	return m, true
}

// askState asks once in an hour if the bot may speak first in a group. The answer also tells its id there.
func (l *link) askState(ctx context.Context, chat persona.Chat) {
	if !l.windows.needsState(time.Now(), chat) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, stateTimeout)
	defer stop()
	state, err := l.client.BotState(ctx, chat.ID)
	if err != nil {
		l.o.Logger.Debug("the bot's state in a group is unknown", "chat", chat, "err", err)
		return
	}
	l.windows.setProactive(chat, state.Proactive)
}

func (l *link) learnNames(chat persona.Chat, e *qqbot.Message) {
	l.names.add(chat, e.Author.ID, e.Author.Username)
	for _, at := range e.Mentions {
		if at.You {
			l.learnNick(strings.Clone(at.Username))
		} else {
			l.names.add(chat, at.ID, at.Username)
		}
	}
}

// quote converts the quoted message. id is that of the message, if it is known, or else its index.
func (l *link) quote(r *reader, q *qqbot.Quote) (id string, quote *persona.Quote) {
	of := l.indexes.message(q.Index)
	id = cmp.Or(of.id, q.Index)
	parts := append(r.content(q.Parts), r.files(q.Attachments)...)
	if len(parts) == 0 && !of.own { // the bot looks into its memory
		return id, nil
	}
	quote = &persona.Quote{ID: id, From: q.Author.ID, Own: of.own, Parts: parts, Text: persona.TextOf(parts)}
	switch {
	case of.own:
		quote.From, quote.Name = l.self().ID, l.nick()
	case q.Author.ID != "":
		quote.Name = l.name(r.chat, q.Author.ID, q.Author.Username)
	}
	return id, quote
}

// A reader converts the content of one message.
type reader struct {
	l        *link
	chat     persona.Chat
	pictures int // with a URL so far
}

// read converts a message without its quote. The platform cuts the bot's mention out, so it is put back at the beginning.
func (r *reader) read(e *qqbot.Message) []persona.Part {
	parts := r.content(e.Parts)
	switch e.Type {
	case qqbot.TypeRecord:
		parts = []persona.Part{forwarded(e)}
	case qqbot.TypeCard:
		if e.Card != nil {
			parts = []persona.Part{persona.Card{Label: cardLabels[e.Card.Type], Title: e.Card.Prompt, Description: e.Card.Name}}
		}
	}
	if r.chat.Kind == persona.Group && e.ToMe() && !mentionsBot(e.Parts) {
		parts = append([]persona.Part{r.me()}, parts...)
		if len(parts) > 1 && !strings.HasPrefix(persona.TextOf(parts[1:]), " ") {
			parts = append(parts[:1:1], append([]persona.Part{persona.Text(" ")}, parts[1:]...)...)
		}
	}
	return append(parts, r.files(e.Attachments)...)
}

// cardLabels are the kinds of cards in words.
var cardLabels = map[string]string{"miniapp": "小程序", "map": "位置", "contact_card": "名片", "video_share": "视频", "music_together": "一起听歌"}

// forwarded returns forwarded messages. The platform tells them as one text.
func forwarded(e *qqbot.Message) persona.Part {
	text := e.Text()
	if text == "" {
		return persona.Forward{}
	}
	return persona.Forward{Messages: []persona.Message{{Name: "转发", Text: text, Parts: []persona.Part{persona.Text(text)}, At: e.Time}}}
}

func mentionsBot(parts []qqbot.Part) bool {
	for _, p := range parts {
		if p.Mention != nil && p.Mention.You {
			return true
		}
	}
	return false
}

// me mentions the bot.
func (r *reader) me() persona.Part {
	return persona.Mention{ID: r.l.self().ID, Name: r.l.nick()}
}

// content converts text, mentions and faces.
func (r *reader) content(parts []qqbot.Part) []persona.Part {
	all := []persona.Part{} // known, if empty
	for _, p := range parts {
		switch {
		case p.Face != nil:
			name := strings.Trim(p.Face.Text, "[]")
			all = append(all, persona.Face{ID: cmp.Or(p.Face.ID, name, "?"), Name: name})
		case p.Mention == nil:
			all = append(all, persona.Text(p.Text))
		case p.Mention.You:
			all = append(all, r.me())
		case p.Mention.All:
			all = append(all, persona.Mention{})
		default:
			all = append(all, persona.Mention{ID: cmp.Or(p.Mention.ID, "?"), Name: r.l.name(r.chat, p.Mention.ID, p.Mention.Username)})
		}
	}
	return all
}

// files converts attachments.
func (r *reader) files(all []qqbot.Attachment) (parts []persona.Part) {
	for _, a := range all {
		switch a.Type {
		case qqbot.ImageFile:
			p := persona.Picture{}
			if r.pictures < maxPictures {
				p.URL = mediaURL(a.URL)
				r.pictures++
			}
			parts = append(parts, p)
		case qqbot.VoiceFile:
			parts = append(parts, persona.Voice{URL: mediaURL(cmp.Or(a.WAV, a.URL)), Transcript: a.Transcript})
		case qqbot.VideoFile:
			parts = append(parts, persona.Video{URL: mediaURL(a.URL)})
		default:
			parts = append(parts, persona.File{Name: a.Name, Size: a.Size, URL: mediaURL(a.URL)})
		}
	}
	return parts
}

// mediaURL returns a URL, or "" for one that is too long.
func mediaURL(url string) string {
	if len(url) > maxMediaURL {
		return ""
	}
	return url
}
