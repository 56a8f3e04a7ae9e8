package engine

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// A Link connects the engine to a platform. It is documented in package social, as [Features] are.
type Link interface {
	Run(ctx context.Context, hear func(context.Context, persona.Event)) error
	Say(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
}

// ErrUnclear is matched by the error of a [Link.Say] whose outcome nobody knows.
var ErrUnclear = errors.New("social: it is unclear whether the message was delivered")

// SayFunc sends a message, as [Link.Say] does.
type SayFunc = func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)

// Features are what the platform of a [Link] can do besides hearing and saying. Each function may be nil.
type Features struct {
	Wait        func(ctx context.Context, chat persona.Chat) error
	WaitPart    func(ctx context.Context, chat persona.Chat) error
	Typing      func(ctx context.Context, chat persona.Chat) error
	Recent      func(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error)
	Key         func(id string) string
	Answer      func(ctx context.Context, r persona.Request, approve bool, reason string) error
	Tools       func(say SayFunc) ([]nit.Tool, error)
	Plugin      func(say SayFunc) (nit.Plugin, error)
	EncodeImage func(picture []byte) (image string, err error)
}
