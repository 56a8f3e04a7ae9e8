package social

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A Link connects a being to a platform. Package onebotlink makes one of a OneBot client or server; any other platform
// needs these two methods. What else its platform can do, a Link tells as a [FeatureProvider].
type Link interface {
	// Run hears until ctx ends, and returns nil then. It calls hear in order for each chat, several chats at once,
	// and never after it has returned.
	Run(ctx context.Context, hear func(context.Context, persona.Event)) error

	// Send sends at most once and returns the id of what was sent. An error that matches [ErrUnclear] may have been
	// delivered, and is never sent again.
	Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
}

// ErrUnclear is matched by the error of a [Link.Send] whose outcome nobody knows: the link dropped, or the time ran out,
// after the message had left.
var ErrUnclear = engine.ErrUnclear

// ErrNotConnected is what a [Link] returns as long as it knows of no account to act as. Its text is stored with the errand.
var ErrNotConnected = errors.New("social: no account is connected yet")

// A FeatureProvider is a [Link] whose platform can do more than hear and say.
type FeatureProvider interface {
	Features() LinkFeatures
}

// FeaturesOf returns the features of a link, none if it is no [FeatureProvider]. A link that wraps another one keeps all of them:
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

// LinkFeatures are what the platform of a [Link] can do besides hearing and saying. Each function may be nil: the platform
// cannot do that. [New] asks for them once.
type LinkFeatures struct {
	// WaitToSend bounds how fast messages are sent. It returns when the next message to the chat may leave. What it permits is
	// checked once more for freshness before it is sent.
	WaitToSend func(ctx context.Context, chat persona.Chat) error

	// WaitToSendPart returns when a further part of one reply may leave, which may be sooner than the next reply. Nil: Wait is
	// called for each part.
	WaitToSendPart func(ctx context.Context, chat persona.Chat) error

	// Typing shows people that the being is typing. It is called once for each part of a reply that is being typed
	// ([Options].Speech), and its ctx ends when the part is typed. Its error makes no difference to what is said.
	Typing func(ctx context.Context, chat persona.Chat) error

	// RecentMessages returns the newest messages of a chat, oldest first, the bot's own among them: a page of the history and, until
	// one holds a message for which known returns true, the pages before it, up to 800 messages in all. If known is nil, one
	// page is enough. With an error it returns the pages that it has. It fills the gaps after a restart, a lost connection or
	// an overflow, and settles sends that are unclear.
	RecentMessages func(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error)

	// MessageKey returns the form by which message ids are compared, for a platform that writes one id in several ways.
	MessageKey func(id string) string

	// AnswerRequest answers a [persona.Request], at most once; an error that matches [ErrUnclear] may have been an answer. Nil:
	// requests are left to the owner.
	AnswerRequest func(ctx context.Context, r persona.Request, approve bool, reason string) error

	// Tools returns tools of the platform, such as nit/qq's. They send by say, so that the being's limits hold for them.
	Tools func(say SendFunc) ([]nit.Tool, error)

	// Plugin returns the same tools as a plugin. With Options.Tools.Plugins it is loaded there while the being runs, and can be
	// switched off; Tools is not called then.
	Plugin func(say SendFunc) (nit.Plugin, error)

	// EncodeImage returns what the Image of a [persona.Outgoing] is for a picture. Nil: no sticker is sent.
	EncodeImage func(picture []byte) (image string, err error)
}
