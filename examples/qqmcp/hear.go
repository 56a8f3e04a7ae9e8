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
	maxText  = 2000 // characters of a message that are kept
	maxName  = 60
	maxQuote = 50
	maxParts = 1000            // of a message that are looked at; nobody types as many
	askTime  = 3 * time.Second // for what one message refers to
)

// handle takes an event. Those of one chat come one after the other.
func (a *account) handle(ctx context.Context, _ *onebot.Bot, e onebot.Event) {
	a.noticeLink()
	if a.foreign(e.EventSelfID()) {
		return
	}
	switch e := e.(type) {
	case *onebot.GroupMessage, *onebot.PrivateMessage:
		a.hear(ctx, e)
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
	case *onebot.Dropped: // there was too much at once: the history has it
		if r := a.rooms.room(chat{private: e.GroupID == 0, id: max(e.GroupID, e.UserID)}); r != nil && r.catch() {
			a.wake()
		}
	}
}

// hear keeps a message of a chat that is allowed.
func (a *account) hear(ctx context.Context, e onebot.Event) {
	c, _, _ := chatOf(e)
	if !a.o.allowed(c) || onebot.Classify(e) == onebot.ClassIgnored {
		return
	}
	r := a.rooms.open(c)
	if r.begin() {
		a.wake()
	}
	if g, ok := e.(*onebot.GroupMessage); ok && g.GroupName != "" {
		a.rooms.name(c, strings.Clone(line(visible(g.GroupName), maxName)))
	}
	m := a.message(ctx, r, e, new(3))
	if m.text == "" || !r.hear(m) {
		return
	}
	if !m.self {
		a.rooms.tell()
		a.notify(c)
	}
	a.compress(r)
}

func (a *account) recalled(c chat, id int64) {
	if r := a.rooms.room(c); r != nil {
		r.recall(onebot.MessageKey(id))
	}
}

// message makes what is kept of an event. Nothing of the event's frame is held on to. asks is how many forwards may
// be asked for; each one counts it down.
func (a *account) message(ctx context.Context, r *room, e onebot.Event, asks *int) message {
	_, who, own := chatOf(e)
	at := e.EventTime()
	if at.IsZero() {
		at = time.Now()
	}
	id, parts, from := body(e)
	m := message{id: id, sender: who, self: own, at: at.Unix()}
	if _, group := e.(*onebot.GroupMessage); group && !own {
		m.atMe = parts.Mentions(e.EventSelfID()) || parts.MentionsAll()
	}
	m.name = unique.Make(line(visible(from.Name()), maxName)).Value() // a few people say most
	for _, s := range parts {
		if id, ok := s.QuotedID(); ok {
			m.quotes = id
		}
	}
	m.text = strings.Clone(a.render(ctx, r, parts, asks))
	return m
}

// body gives what a message consists of.
func body(e onebot.Event) (id int64, parts onebot.Message, from onebot.Sender) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return e.MessageID, e.Message, e.Sender
	case *onebot.PrivateMessage:
		return e.MessageID, e.Message, e.Sender
	}
	return 0, nil, from
}

// render makes the text of a message: who is mentioned by name, what is quoted, and what was forwarded.
func (a *account) render(ctx context.Context, r *room, parts onebot.Message, asks *int) string {
	parts = a.flatten(ctx, tame(parts[:min(len(parts), maxParts)]), asks)
	quotes := 0 // each may have to be asked for; people can make one
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
			return a.quoted(ctx, r, id)
		},
		MaxQuoteRunes: maxQuote,
	})
	return clip.Ellipsis(strings.TrimSpace(visible(text)), maxText)
}

// tame puts the names in mentions on one line: they are what people call themselves.
func tame(parts onebot.Message) onebot.Message {
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

// quoted gives what a message of this chat said, and who said it.
func (a *account) quoted(ctx context.Context, r *room, id int64) (from, text string, ok bool) {
	if m, ok := r.message(onebot.MessageKey(id)); ok {
		return m.speaker(), m.text, true
	}
	c, m, ok := a.fetch(ctx, id)
	// An own private message may not tell to whom it was said; the id came from this chat.
	return m.speaker(), m.text, ok && (c == r.chat || c.private && c.id == 0 && r.chat.private)
}

// fetch asks QQ for a message that is not kept, and gives who said what in it.
func (a *account) fetch(ctx context.Context, id int64) (c chat, m message, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	e, err := a.bot.GetMsg(ctx, id)
	if err != nil {
		return chat{}, message{}, false
	}
	_, parts, from := body(e)
	c, m.sender, m.self = chatOf(e)
	m.name, m.text = line(visible(from.Name()), maxName), parts[:min(len(parts), maxParts)].Text()
	return c, m, true
}
