package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/onebot"
)

const (
	maxText       = 2000 // characters of a stored message
	maxName       = 60
	maxQuote      = 50
	maxParts      = 1000            // segments of a message that are read
	lookupTimeout = 3 * time.Second // of messages and forwards that a message refers to
)

// handle handles an event. Events of one chat arrive one after another.
func (a *account) handle(ctx context.Context, _ *onebot.Bot, e onebot.Event) {
	a.checkLink()
	if a.isOtherAccount(e.EventSelfID()) {
		return
	}
	switch e := e.(type) {
	case *onebot.GroupMessage, *onebot.PrivateMessage:
		a.receive(ctx, e)
	case *onebot.GroupRecall:
		a.recalled(chat{id: e.GroupID}, e.MessageID)
	case *onebot.FriendRecall:
		a.recalled(chat{private: true, id: e.UserID}, e.MessageID)
	case *onebot.Heartbeat:
		a.setOnline(e.Online)
	case *onebot.BotOffline:
		a.setOnline(false)
	case *onebot.BotOnline:
		a.setOnline(true)
	case *onebot.Dropped: // the queue overflowed; the history restores the messages
		if r := a.chats.find(chat{private: e.GroupID == 0, id: max(e.GroupID, e.UserID)}); r != nil && r.beginBackfill() {
			a.wake()
		}
	}
}

// receive stores a message of an allowed chat.
func (a *account) receive(ctx context.Context, e onebot.Event) {
	c, _, _ := chatOf(e)
	if !a.o.allowed(c) || onebot.Classify(e) == onebot.ClassIgnored {
		return
	}
	r := a.chats.open(c)
	if r.beginFirstBackfill() {
		a.wake()
	}
	if g, ok := e.(*onebot.GroupMessage); ok && g.GroupName != "" {
		a.chats.setName(c, strings.Clone(line(visible(g.GroupName), maxName)))
	}
	m := a.newMessage(ctx, r, e, new(3))
	if m.text == "" || !r.add(m) {
		return
	}
	if !m.self {
		a.chats.notifyWaiters()
		a.chatChanged(c)
	}
	a.summarizeDue(r)
}

func (a *account) recalled(c chat, id int64) {
	if r := a.chats.find(c); r != nil {
		r.remove(onebot.MessageKey(id))
	}
}

// newMessage converts an event to a stored message, which keeps no memory of the event's frame. asks is the number of
// forwards that may still be fetched; each one decrements it.
func (a *account) newMessage(ctx context.Context, r *chatState, e onebot.Event, asks *int) message {
	_, who, own := chatOf(e)
	at := e.EventTime()
	if at.IsZero() {
		at = time.Now()
	}
	id, parts, from := messageParts(e)
	m := message{id: id, sender: who, self: own, at: at.Unix()}
	if _, group := e.(*onebot.GroupMessage); group && !own {
		m.atMe = parts.Mentions(e.EventSelfID()) || parts.MentionsAll()
	}
	m.name = unique.Make(line(visible(from.Name()), maxName)).Value() // few people send most messages
	for _, s := range parts {
		if id, ok := s.QuotedID(); ok {
			m.quotes = id
		}
	}
	m.text = strings.Clone(a.render(ctx, r, parts, asks))
	return m
}

// messageParts returns the id, content and sender of a message.
func messageParts(e onebot.Event) (id int64, parts onebot.Message, from onebot.Sender) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return e.MessageID, e.Message, e.Sender
	case *onebot.PrivateMessage:
		return e.MessageID, e.Message, e.Sender
	}
	return 0, nil, from
}

// render returns the text of a message with names in mentions, the quoted text, and forwards.
func (a *account) render(ctx context.Context, r *chatState, parts onebot.Message, asks *int) string {
	parts = a.flatten(ctx, cleanMentions(parts[:min(len(parts), maxParts)]), asks)
	quotes := 0 // a quote may need a request, and real messages have at most one
	text := parts.TextWith(onebot.TextOptions{
		LookupName: func(id int64) string {
			if self, nickname := a.self(); id == self {
				return nickname
			}
			return r.nameOf(id)
		},
		LookupQuote: func(id int64) (from, text string, ok bool) {
			if quotes++; quotes > 1 {
				return "", "", false
			}
			return a.quotedMessage(ctx, r, id)
		},
		MaxQuoteRunes: maxQuote,
	})
	return clip.Ellipsis(strings.TrimSpace(visible(text)), maxText)
}

// cleanMentions puts the names in mentions on one line, because people choose them.
func cleanMentions(parts onebot.Message) onebot.Message {
	for i, s := range parts {
		name := s.Param("name")
		clean := line(visible(name), maxName)
		if s.Type != "at" || clean == name {
			continue
		}
		if data, err := json.Marshal(map[string]string{"qq": s.Param("qq"), "name": clean}); err == nil {
			parts = slices.Clone(parts)
			parts[i] = onebot.Segment{Type: "at", Data: data}
		}
	}
	return parts
}

// quotedMessage returns the sender and text of a quoted message of this chat.
func (a *account) quotedMessage(ctx context.Context, r *chatState, id int64) (from, text string, ok bool) {
	if m, ok := r.message(onebot.MessageKey(id)); ok {
		return m.speaker(), m.text, true
	}
	c, m, ok := a.fetchMessage(ctx, id)
	// An own private message may lack its recipient. The id came from this chat.
	return m.speaker(), m.text, ok && (c == r.chat || c.private && c.id == 0 && r.chat.private)
}

// fetchMessage fetches a message that is not stored.
func (a *account) fetchMessage(ctx context.Context, id int64) (c chat, m message, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	e, err := a.bot.GetMsg(ctx, id)
	if err != nil {
		return chat{}, message{}, false
	}
	_, parts, from := messageParts(e)
	c, m.sender, m.self = chatOf(e)
	m.name, m.text = line(visible(from.Name()), maxName), parts[:min(len(parts), maxParts)].Text()
	return c, m, true
}
