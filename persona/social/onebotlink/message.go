package onebotlink

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
	"github.com/hearth-bot/hearth/persona"
)

func (l *link) groupMessage(ctx context.Context, bot *onebot.Bot, e *onebot.GroupMessage) persona.Message {
	l.names.learn(group(e.GroupID), e.UserID, e.Sender.Name())
	m := l.message(ctx, bot, group(e.GroupID), e.MessageID, e.Message, e.Time)
	m.ChatName = e.GroupName
	if m.ChatName == "" {
		m.ChatName = l.groupName(ctx, bot, e.GroupID)
	}
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.o.Bots, e.UserID)
	return m
}

// privateMessage answers false when the account itself said it and nobody tells to whom.
func (l *link) privateMessage(ctx context.Context, bot *onebot.Bot, e *onebot.PrivateMessage) (persona.Message, bool) {
	m := l.message(ctx, bot, private(e.PeerID()), e.MessageID, e.Message, e.Time)
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.o.Bots, e.UserID)
	if !m.Own {
		m.ChatName = m.Name
	}
	return m, e.PeerID() != 0
}

func (l *link) message(ctx context.Context, bot *onebot.Bot, chat persona.Chat, messageID int64, segments onebot.Message, at time.Time) persona.Message {
	m := persona.Message{ID: id(messageID), Chat: chat, At: at, AtMe: segments.Mentions(l.self.Load())}
	if m.AtMe {
		l.names.learn(persona.Chat{}, l.self.Load(), l.selfName(ctx, bot))
	}
	var said onebot.Message // what it answers is told apart, as the quote
	for _, s := range segments {
		if s.Type != "reply" {
			said = append(said, s)
		}
	}
	m.Text = said.TextWithNames(l.names.of(chat))
	m.Typed = !slices.ContainsFunc(said, func(s onebot.Segment) bool { return s.Type != "text" && s.Type != "face" })
	m.Pictures = pictures(said)
	for _, s := range segments {
		if who := s.Int("qq"); s.Type == "at" && who != 0 {
			m.Mentions = append(m.Mentions, id(who))
		}
	}
	m.ReplyTo, _ = segments.ReplyID()
	return m
}

// pictures are those of a message whose URL is told. Text is never read for them.
func pictures(m onebot.Message) (all []persona.Picture) {
	for _, s := range m {
		if media, ok := s.Media(); ok && s.Type == "image" && media.URL != "" && len(media.URL) <= maxPictureURL && len(all) < maxPictures {
			all = append(all, persona.Picture{URL: media.URL})
		}
	}
	return all
}

// What is kept of one message's pictures.
const (
	maxPictures   = 9
	maxPictureURL = 2048 // bytes; none that is longer is fetched
)

// recent reads a chat's history back to a message that is known.
func (l *link) recent(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) (past []persona.Message, err error) {
	bot := l.bot.Load()
	peer, err := numbers(chat.ID)
	if bot == nil || err != nil || chat.Platform != platform {
		return nil, errors.New("onebotlink: no history of " + chat.String())
	}
	for events, err := range history.Pages(ctx, bot, history.Chat{Private: chat.Kind != persona.Group, ID: peer[0]}, 0) {
		if err != nil {
			return past, err
		}
		var page []persona.Message
		for _, e := range events {
			switch e := e.(type) {
			case *onebot.GroupMessage:
				page = append(page, l.groupMessage(ctx, bot, e))
			case *onebot.PrivateMessage:
				if m, ok := l.privateMessage(ctx, bot, e); ok || m.Own {
					m.Chat = chat // what the account itself said may not tell to whom
					page = append(page, m)
				}
			}
		}
		past = slices.Concat(page, past)
		if known == nil || slices.ContainsFunc(page, known) {
			break
		}
	}
	return past, nil
}

// banned tells of the own account alone, and of the whole group being muted.
func (l *link) banned(e *onebot.GroupBan) persona.Event {
	if !e.Whole() && e.UserID != l.self.Load() {
		return nil
	}
	m := persona.BotMuted{Chat: group(e.GroupID), At: e.Time}
	switch {
	case e.Lifted():
	case e.Duration > 0:
		m.Until = e.Time.Add(e.Duration)
	default: // the whole group, until it is lifted
		m.Until = e.Time.Add(wholeMute)
	}
	return m
}

// gone tells of the account itself.
func (l *link) gone(e *onebot.GroupDecrease) persona.Event {
	if e.SubType != "kick_me" && e.UserID != l.self.Load() {
		return nil
	}
	left := persona.BotLeft{Chat: group(e.GroupID), At: e.Time}
	if e.OperatorID != e.UserID {
		left.By = id(e.OperatorID)
	}
	return left
}

// wholeMute is how long a mute of the whole group, which has no end, is believed in: whoever is away when it is lifted is
// not told. While it lasts hardly anybody can call, so trying too early costs little.
const wholeMute = time.Hour

// conversation is the chat that events were dropped of; the zero Chat for those of none.
func conversation(e *onebot.Dropped) persona.Chat {
	switch {
	case e.GroupID != 0:
		return group(e.GroupID)
	case e.UserID != 0:
		return private(e.UserID)
	}
	return persona.Chat{}
}
