package social

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// A Link is where a being meets people. [OneBot] makes one; any other platform is these two methods.
// A Link may have further powers: [Pacer], [PartPacer], [Typer], [Rememberer], [Identifier], [Answerer],
// [Tooled], [Plugged].
type Link interface {
	// Run hears until ctx ends, and returns nil then. It calls hear in order for each chat, several chats at once,
	// and never after it has returned.
	Run(ctx context.Context, hear func(context.Context, persona.Event)) error

	// Say sends at most once and returns the id of what was sent. An error that matches [ErrUnclear] may have been
	// delivered, and is never sent again.
	Say(ctx context.Context, chat persona.Chat, out persona.Out) (id string, err error)
}

// ErrUnclear is matched by the error of a [Link.Say] whose outcome nobody knows: the link dropped, or the time ran out,
// after the message had left.
var ErrUnclear = errors.New("social: it is unclear whether the message was delivered")

// A Pacer is a [Link] that bounds how fast it may send. Wait returns when the next message to the chat may leave.
// What it permits is checked once more for freshness before it is sent.
type Pacer interface {
	Wait(ctx context.Context, chat persona.Chat) error
}

// A Rememberer is a [Link] whose platform keeps a history. It fills the gaps after a restart, a lost connection or an
// overflow, and settles sends that are unclear.
type Rememberer interface {
	// Recent gives up to n of the newest messages of a chat, oldest first, the bot's own among them.
	Recent(ctx context.Context, chat persona.Chat, n int) ([]persona.Message, error)
}

// An Identifier is a [Link] whose platform writes one message id in several ways. Key gives the way to compare by.
type Identifier interface {
	Key(id string) string
}

// An Answerer is a [Link] whose platform has people ask for what the account can grant: see [persona.Request]. Answer
// answers at most once; an error that matches [ErrUnclear] may have been an answer. Without it requests are left to the
// owner.
type Answerer interface {
	Answer(ctx context.Context, r persona.Request, approve bool, reason string) error
}

// A Tooled is a [Link] that brings tools of its platform, such as nit/qq's. What they say goes through say, the being's
// mouth.
type Tooled interface {
	Tools(say func(ctx context.Context, chat persona.Chat, out persona.Out) (id string, err error)) ([]nit.Tool, error)
}

// A Plugged is a [Link] whose tools are a plugin, too. With Options.Plugins it is loaded there while the being runs,
// and can be switched off; Tools is not asked then.
type Plugged interface {
	Plugin(say func(ctx context.Context, chat persona.Chat, out persona.Out) (id string, err error)) (nit.Plugin, error)
}
