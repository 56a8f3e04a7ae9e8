package onebot

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Middleware wraps a Handler. It may act before, after or instead of the handler.
type Middleware func(Handler) Handler

// Chain wraps a handler with middleware. The first middleware gets the event first.
//
//	onebot.Chain(answer, onebot.GroupOnly, onebot.NotOwn, onebot.AtMe, onebot.Command("/天气"))
func Chain(h Handler, around ...Middleware) Handler {
	for _, m := range slices.Backward(around) {
		h = m(h)
	}
	return h
}

// MultiHandler returns a handler that passes every event to all of hs, one after the other.
func MultiHandler(hs ...Handler) Handler {
	hs = slices.Clone(hs)
	return func(ctx context.Context, bot *Bot, e Event) {
		for _, h := range hs {
			h(ctx, bot, e)
		}
	}
}

// Only passes on the events for which want returns true.
func Only(want func(bot *Bot, e Event) bool) Middleware {
	return func(h Handler) Handler {
		return func(ctx context.Context, bot *Bot, e Event) {
			if want(bot, e) {
				h(ctx, bot, e)
			}
		}
	}
}

// GroupOnly passes on group messages.
func GroupOnly(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool { _, ok := e.(*GroupMessage); return ok })(h)
}

// PrivateOnly passes on private messages.
func PrivateOnly(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool { _, ok := e.(*PrivateMessage); return ok })(h)
}

// NotOwn passes on all events except messages from the bot's own account. A bot without it may reply to itself.
func NotOwn(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool { s := messageOf(e); return s == nil || !s.own })(h)
}

// AtMe passes on messages that mention the bot (@). Private messages need no mention but are not passed on without
// one: combine AtMe with [MultiHandler] and [PrivateOnly].
func AtMe(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool {
		s := messageOf(e)
		return s != nil && (*s.message).Mentions(e.EventSelfID())
	})(h)
}

// InGroup passes on messages in these groups.
func InGroup(ids ...int64) Middleware {
	ids = slices.Clone(ids)
	return Only(func(_ *Bot, e Event) bool {
		m, ok := e.(*GroupMessage)
		return ok && slices.Contains(ids, m.GroupID)
	})
}

// FromUser passes on messages from these users, in groups and in private.
func FromUser(ids ...int64) Middleware {
	ids = slices.Clone(ids)
	return Only(func(_ *Bot, e Event) bool {
		s := messageOf(e)
		return s != nil && slices.Contains(ids, s.user)
	})
}

// Command passes on messages that begin with a word such as "/help". A quote, mentions of the bot and spaces may
// precede the word, and a space or the end must follow it. As with http.StripPrefix, the handler gets a copy of the
// event: its Message is the rest without the mentions. Raw and RawMessage are unchanged.
func Command(word string) Middleware {
	return func(h Handler) Handler {
		return func(ctx context.Context, bot *Bot, e Event) {
			if rest := stripCommand(e, word); rest != nil {
				h(ctx, bot, rest)
			}
		}
	}
}

// Commands passes a message to the handler of its command, as [Command] does, and all other events to other. A nil
// other discards them.
func Commands(words map[string]Handler, other Handler) Handler {
	words = maps.Clone(words)
	return func(ctx context.Context, bot *Bot, e Event) {
		for word, h := range words { // at most one matches: a word ends at a space
			if rest := stripCommand(e, word); rest != nil {
				h(ctx, bot, rest)
				return
			}
		}
		if other != nil {
			other(ctx, bot, e)
		}
	}
}

// Recover recovers from a handler's panic, which would otherwise end the program. It calls panicked on the panicking
// goroutine.
func Recover(panicked func(bot *Bot, e Event, value any)) Middleware {
	return func(h Handler) Handler {
		return func(ctx context.Context, bot *Bot, e Event) {
			defer func() {
				if v := recover(); v != nil {
					panicked(bot, e, v)
				}
			}()
			h(ctx, bot, e)
		}
	}
}

// chatMessage holds the common fields of group and private messages.
type chatMessage struct {
	message *Message
	user    int64
	own     bool
}

// messageOf returns nil for events other than messages.
func messageOf(e Event) *chatMessage {
	switch e := e.(type) {
	case *GroupMessage:
		return &chatMessage{&e.Message, e.UserID, e.Own()}
	case *PrivateMessage:
		return &chatMessage{&e.Message, e.UserID, e.Own()}
	}
	return nil
}

// stripCommand returns a copy of the message without the command; nil if it does not begin with the command.
func stripCommand(e Event, word string) Event {
	s := messageOf(e)
	if s == nil {
		return nil
	}
	rest, ok := (*s.message).cutCommand(word, e.EventSelfID())
	if !ok {
		return nil
	}
	switch e := e.(type) {
	case *GroupMessage:
		c := *e
		c.Message = rest
		return &c
	case *PrivateMessage:
		c := *e
		c.Message = rest
		return &c
	}
	return nil
}

// cutCommand removes a command.
func (m Message) cutCommand(word string, self int64) (rest Message, ok bool) {
	for i, s := range m {
		text := strings.TrimLeftFunc(s.Param("text"), unicode.IsSpace)
		switch {
		case s.Type == "reply":
			rest = append(rest, s)
			continue
		case s.Type == "at" && s.Int("qq") == self, s.Type == "text" && text == "":
			continue
		case s.Type != "text":
			return nil, false
		}
		args, ok := strings.CutPrefix(text, word)
		if first, _ := utf8.DecodeRuneInString(args); !ok || args != "" && !unicode.IsSpace(first) {
			return nil, false
		}
		if args = strings.TrimLeftFunc(args, unicode.IsSpace); args != "" {
			rest = append(rest, Text(args))
		}
		return append(rest, m[i+1:]...), true
	}
	return nil, false
}
