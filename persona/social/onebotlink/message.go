package onebotlink

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
	"github.com/hearth-bot/hearth/persona"
)

func (l *link) groupMessage(ctx context.Context, bot *onebot.Bot, e *onebot.GroupMessage) persona.Message {
	name := strings.Clone(e.Sender.Name()) // strings of an event share its frame, and a message outlives it
	l.names.add(group(e.GroupID), e.UserID, name)
	m := l.message(ctx, bot, group(e.GroupID), e.MessageID, e.Message, e.Time)
	m.ChatName = strings.Clone(e.GroupName)
	if m.ChatName == "" {
		m.ChatName = l.groupName(ctx, bot, e.GroupID)
	}
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), name, e.Own(), slices.Contains(l.o.Bots, e.UserID)
	return m
}

// privateMessage returns false for a message of the bot's account without a known receiver.
func (l *link) privateMessage(ctx context.Context, bot *onebot.Bot, e *onebot.PrivateMessage) (persona.Message, bool) {
	m := l.message(ctx, bot, private(e.PeerID()), e.MessageID, e.Message, e.Time)
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), strings.Clone(e.Sender.Name()), e.Own(), slices.Contains(l.o.Bots, e.UserID)
	if !m.Own {
		m.ChatName = m.Name
	}
	return m, e.PeerID() != 0
}

func (l *link) message(ctx context.Context, bot *onebot.Bot, chat persona.Chat, messageID int64, segments onebot.Message, at time.Time) persona.Message {
	m := persona.Message{ID: id(messageID), Chat: chat, At: at, AtMe: segments.Mentions(l.self.Load())}
	if m.AtMe {
		l.names.add(persona.Chat{}, l.self.Load(), l.selfName(ctx, bot))
	}
	m.Parts = l.reader(chat).read(segments)
	m.Text = persona.TextOf(m.Parts)
	for _, s := range segments {
		if who := s.Int("qq"); s.Type == "at" && who != 0 {
			m.Mentions = append(m.Mentions, id(who))
		}
	}
	m.ReplyTo, _ = segments.ReplyID()
	return m
}

// recentMessages reads a chat's history, page by page, back to a known message.
func (l *link) recentMessages(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) (past []persona.Message, err error) {
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
					m.Chat = chat // messages of the bot's account may lack the receiver
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
