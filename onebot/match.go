package onebot

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Middleware makes a Handler that does something before, after or in place of another.
type Middleware func(Handler) Handler

// Chain puts middleware around a handler: the first one gets the event first.
//
//	onebot.Chain(answer, onebot.GroupOnly, onebot.NotOwn, onebot.AtMe, onebot.Command("/天气"))
func Chain(h Handler, around ...Middleware) Handler {
	for _, m := range slices.Backward(around) {
		h = m(h)
	}
	return h
}

// MultiHandler gives every event to all of the handlers, one after the other.
func MultiHandler(hs ...Handler) Handler {
	hs = slices.Clone(hs)
	return func(ctx context.Context, bot *Bot, e Event) {
		for _, h := range hs {
			h(ctx, bot, e)
		}
	}
}

// Only passes on the events that want says yes to.
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

// NotOwn passes on all but what the bot's account said itself. A bot without it may talk to itself.
func NotOwn(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool { s := saying(e); return s == nil || !s.own })(h)
}

// AtMe passes on messages that mention the bot by an @. What is said in private need not do so, and is not passed on
// without: [MultiHandler] and [PrivateOnly] help.
func AtMe(h Handler) Handler {
	return Only(func(_ *Bot, e Event) bool {
		s := saying(e)
		return s != nil && (*s.message).Mentions(e.EventSelfID())
	})(h)
}

// InGroup passes on messages of these groups.
func InGroup(ids ...int64) Middleware {
	ids = slices.Clone(ids)
	return Only(func(_ *Bot, e Event) bool {
		m, ok := e.(*GroupMessage)
		return ok && slices.Contains(ids, m.GroupID)
	})
}

// FromUser passes on messages of these people, the bot's owners, in groups and in private.
func FromUser(ids ...int64) Middleware {
	ids = slices.Clone(ids)
	return Only(func(_ *Bot, e Event) bool {
		s := saying(e)
		return s != nil && slices.Contains(ids, s.user)
	})
}

// Command passes on messages that begin with a word, such as "/help": behind a quote, mentions of the bot and spaces,
// and before a space or the end. In the manner of http.StripPrefix the handler gets a copy of the event whose Message
// is the rest, without the mentions; Raw and RawMessage stay.
func Command(word string) Middleware {
	return func(h Handler) Handler {
		return func(ctx context.Context, bot *Bot, e Event) {
			if rest := stripped(e, word); rest != nil {
				h(ctx, bot, rest)
			}
		}
	}
}

// Commands gives a message to the handler of the command that it begins with, as [Command] does, and all else to
// other (nil: nobody wants it).
func Commands(words map[string]Handler, other Handler) Handler {
	words = maps.Clone(words)
	return func(ctx context.Context, bot *Bot, e Event) {
		for word, h := range words { // one at most: a word ends at a space
			if rest := stripped(e, word); rest != nil {
				h(ctx, bot, rest)
				return
			}
		}
		if other != nil {
			other(ctx, bot, e)
		}
	}
}

// Recover keeps a handler's panic from ending the program; panicked is told of it, on the panicking goroutine.
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

// said is what the two kinds of messages have in common.
type said struct {
	message *Message
	user    int64
	own     bool
}

// saying is nil for what is no message.
func saying(e Event) *said {
	switch e := e.(type) {
	case *GroupMessage:
		return &said{&e.Message, e.UserID, e.Own()}
	case *PrivateMessage:
		return &said{&e.Message, e.UserID, e.Own()}
	}
	return nil
}

// stripped is a copy of the message without the command; nil when it does not begin with that.
func stripped(e Event, word string) Event {
	s := saying(e)
	if s == nil {
		return nil
	}
	rest, ok := (*s.message).cut(word, e.EventSelfID())
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

// cut takes a command off.
func (m Message) cut(word string, self int64) (rest Message, ok bool) {
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
