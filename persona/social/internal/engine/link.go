package engine

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Link connects the engine to a platform. Link and [Features] are documented in package social.
type Link interface {
	Run(ctx context.Context, handle func(context.Context, persona.Event)) error
	Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
}

// ErrUnclear is matched by the error of a [Link.Send] with an unknown outcome.
var ErrUnclear = errors.New("social: it is unclear whether the message was delivered")

// SendFunc sends a message, as [Link.Send] does.
type SendFunc = func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)

// Features are the optional functions of a [Link]. Each may be nil.
type Features struct {
	WaitToSend     func(ctx context.Context, chat persona.Chat) error
	WaitToSendPart func(ctx context.Context, chat persona.Chat) error
	Permit         func(now time.Time, chat persona.Chat, replyTo string) (left int, err error)
	Typing         func(ctx context.Context, chat persona.Chat) error
	RecentMessages func(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error)
	MessageKey     func(id string) string
	AnswerRequest  func(ctx context.Context, r persona.Request, approve bool, reason string) error
	Tools          func(send SendFunc) ([]nit.Tool, error)
	Plugin         func(send SendFunc) (nit.Plugin, error)
	EncodeImage    func(picture []byte) (image string, err error)
	OpenPart       func(ctx context.Context, m persona.Message, p persona.Part) (persona.Part, error)
	Message        func(ctx context.Context, chat persona.Chat, id string) (persona.Message, error)
	Health         func() []trace.LinkHealth
	Allowance      func(now time.Time, chat persona.Chat) (a trace.Allowance, ok bool)
	Platform       string
	SendsTo        func(chat persona.Chat) persona.Sends
	Sends          persona.Sends
	Faces          []persona.Face
	NeedsQuote     bool
	Online         func(platform string) bool
}

func (c *connection) setOnline(platform string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.online == nil {
		c.online, c.since = map[string]bool{}, map[string]time.Time{}
	}
	if on && !c.online[platform] {
		c.since[platform] = time.Now()
	}
	c.online[platform] = on
}

// Online returns whether each platform is connected, as the events and the link say.
func (c *connection) Online(f Features) map[string]bool {
	c.mu.Lock()
	online := maps.Clone(c.online)
	c.mu.Unlock()
	if online == nil {
		online = map[string]bool{}
		if f.Platform != "" {
			online[f.Platform] = false
		}
	}
	if f.Online != nil {
		for platform, on := range online {
			online[platform] = on && f.Online(platform)
		}
	}
	return online
}
