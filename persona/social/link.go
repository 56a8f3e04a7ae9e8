package social

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Link connects a bot to a platform. Package onebotlink has one for QQ over OneBot, and package qqbotlink one for the
// official QQ bot API. [Links] joins several. Any other platform needs these two methods. Further abilities of a platform are
// optional: see [FeatureProvider].
//
//	func (l myLink) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
//		for m := range l.messages(ctx) { // until ctx ends
//			handle(ctx, persona.Message{ID: m.ID, Chat: chat, From: m.UserID, Name: m.UserName, At: m.Time, Text: m.Text})
//		}
//		return nil
//	}
//
//	func (l myLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
//		return l.send(ctx, chat.ID, out.Text)
//	}
type Link interface {
	// Run receives events until ctx ends, and returns nil then. It calls handle in order for each chat, for several
	// chats at the same time, and never after it has returned. If it returns before ctx ends, [Bot.Run] fails.
	//
	// A [persona.Message] needs ID, Chat, From, At and Text. Leave Key empty. An event without a valid chat, id or time is
	// dropped, counted in Stats.Invalid, and logged if it is the first with this problem. [persona.Connected] is optional: the bot
	// then fetches messages that it missed, if the link has [LinkFeatures.RecentMessages].
	Run(ctx context.Context, handle func(context.Context, persona.Event)) error

	// Send sends a message at most once and returns its id. An error that matches [ErrUnclear] means that the message
	// may have been delivered: the bot never sends it again.
	Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
}

// ErrUnclear is matched by an error of [Link.Send] if the outcome is unknown: for example the connection broke after
// the message had left.
var ErrUnclear = engine.ErrUnclear

// ErrNotPermitted is matched by the error of a message that is not sent, because [LinkFeatures.Permit] does not permit it.
var ErrNotPermitted = engine.ErrNotPermitted

// ErrNotConnected is returned by a [Link] before its account is known. Jobs store its text.
var ErrNotConnected = errors.New("social: no account is connected yet")

// A FeatureProvider is a [Link] with optional features.
type FeatureProvider interface {
	Features() LinkFeatures
}

// FeaturesOf returns the features of a link, or none if it is no [FeatureProvider]. A link that wraps another one
// uses it to keep its features:
//
//	func (l wrapper) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }
func FeaturesOf(l Link) LinkFeatures {
	if f, ok := l.(FeatureProvider); ok {
		return f.Features()
	}
	return LinkFeatures{}
}

// SendFunc sends a message, as [Link.Send] does.
type SendFunc = func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)

// LinkFeatures are the optional functions of a [Link]. A nil function means that the platform cannot do it. [New]
// asks for them once.
type LinkFeatures struct {
	// WaitToSend is a rate limit: it returns when the next message to the chat may be sent. The bot checks staleness
	// again afterwards.
	WaitToSend func(ctx context.Context, chat persona.Chat) error

	// WaitToSendPart returns when a further part of the same reply may be sent, which may be earlier than the next
	// reply. Nil means WaitToSend.
	WaitToSendPart func(ctx context.Context, chat persona.Chat) error

	// Permit reports whether a message to a chat may be sent now, for a platform that permits replies only for some time and
	// in limited number. replyTo is the id of the message that it answers; "" for none. left is how many messages may be
	// sent now, and 0 means that there is no limit. An error says why none may be sent. Permit must return at once. The bot
	// asks it before it thinks about an answer, and again before each message: what is not permitted is not sent and not
	// retried. Send must still expect a refusal.
	Permit func(now time.Time, chat persona.Chat, replyTo string) (left int, err error)

	// Typing shows that the bot is typing. It is called once while the model writes a reply to a private chat, and once
	// for each part of a typed reply ([Reply].Speech). Its ctx ends when the reply is written or the part is typed. The
	// bot ignores its error.
	Typing func(ctx context.Context, chat persona.Chat) error

	// RecentMessages returns the newest messages of a chat, oldest first, the bot's own included. It reads one page
	// of the history, and earlier pages until one contains a message for which known returns true, up to 800 messages
	// in all. If known is nil, it reads one page. With an error it returns the pages that it has. The bot back-fills
	// gaps with it after a restart, a lost connection or an overflow, and looks up sends with an unknown outcome.
	RecentMessages func(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error)

	// MessageKey normalizes message ids for comparisons, for a platform that writes an id in several forms.
	MessageKey func(id string) string

	// AnswerRequest answers a [persona.Request], at most once. An error that matches [ErrUnclear] may have been an
	// answer. If it is nil, the owner gets the requests.
	AnswerRequest func(ctx context.Context, r persona.Request, approve bool, reason string) error

	// Tools returns the platform's tools, such as those of nit/qq. They send messages by send, so that the bot's
	// limits apply.
	Tools func(send SendFunc) ([]nit.Tool, error)

	// Plugin returns the same tools as a plugin. With Options.Tools.Plugins the bot loads it there while it runs, and
	// does not call Tools.
	Plugin func(send SendFunc) (nit.Plugin, error)

	// EncodeImage returns the Image of a [persona.Outgoing] for a picture. Without it the bot sends no stickers.
	EncodeImage func(picture []byte) (image string, err error)

	// OpenPart fetches the content of a part of a message that the event lacks: the Messages of a Forward, the URL of a File,
	// and of a Voice the Transcript if the platform has one, and otherwise the Audio or its URL. The bot calls it for messages
	// that a turn answers, and for the forwards in a forward. An error leaves the part as it is.
	OpenPart func(ctx context.Context, m persona.Message, p persona.Part) (persona.Part, error)

	// Message returns a message of a chat with its parts. The bot looks at the pictures, forwards and voice messages of
	// quoted messages with it.
	Message func(ctx context.Context, chat persona.Chat, id string) (persona.Message, error)

	// Health returns the state of each connection of the link. It must return at once. The bot does not need it: it is for
	// people, see [Bot.LinkHealth].
	Health func() []trace.LinkHealth

	// Allowance returns how many messages Permit permits in a chat. ok is false if there is no limit in the chat. It is for
	// people, see [Bot.Allowance].
	Allowance func(now time.Time, chat persona.Chat) (a trace.Allowance, ok bool)

	// Platform is the Platform of the link's chats, for [Links].
	Platform string

	// SendsTo returns what Send accepts in a chat, for a link to several platforms. Nil means Sends.
	SendsTo func(chat persona.Chat) persona.Sends

	Sends      persona.Sends  // what Send accepts beside text, mentions, quotes and pictures
	Faces      []persona.Face // faces that a [persona.Outgoing] may react with; the model chooses by name
	NeedsQuote bool           // a reply must quote the message that it answers, if there is one

	// Online reports whether the connection to the platform is up, for [Bot.Online]. It must return at once. Nil means that the
	// events [persona.Connected] and [persona.Disconnected] say all.
	Online func(platform string) bool
}
