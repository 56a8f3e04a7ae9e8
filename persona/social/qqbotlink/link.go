package qqbotlink

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// platform is the Platform of all chats and accounts.
const platform = "qqbot"

// A Source receives the platform's events. *qqbot.Client (gateway), *qqbot.Webhook and *qqbot.Relayed (webhooks in any process) are
// Sources.
type Source interface {
	Run(ctx context.Context, h qqbot.Handler) error
}

// Options configure a link. The zero value is ready for production.
type Options struct {
	Source      Source   // receives events; nil: the client's gateway
	NoProactive bool     // the bot only replies, also where it may speak first
	Typing      bool     // shows that the bot is typing in private chats, which uses up one of the replies to a message
	Pairing     *Pairing // learns the openid of the owner; nil: none
	// ResendUnclear sends a reply whose outcome is unknown once more, with the same msg_id and msg_seq. The documents say that
	// the platform refuses it as a duplicate if the first one arrived, and the link then counts it as sent. Nobody has proved
	// this: at worst people see the message twice.
	ResendUnclear bool
	Logger        *slog.Logger // nil discards
}

type link struct {
	client  *qqbot.Client
	o       Options
	windows *windows
	names   *names
	indexes *indexes
	paired  atomic.Bool

	webhookSince atomic.Pointer[time.Time] // when Run began with a webhook; nil: it does not run, or there is a gateway

	nickname atomic.Pointer[string]
}

// New returns a link over a client of the official API.
func New(client *qqbot.Client, o Options) social.Link {
	if o.Source == nil {
		o.Source = client
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Pairing != nil {
		p := *o.Pairing
		o.Pairing = &p
	}
	return &link{client: client, o: o, windows: newWindows(time.Now(), o.NoProactive), names: newNames(), indexes: newIndexes()}
}

// Features returns the features of the platform.
func (l *link) Features() social.LinkFeatures {
	f := social.LinkFeatures{
		Platform: platform, Permit: l.windows.permit, Allowance: l.windows.allowance, Health: l.health, AnswerRequest: l.answerRequest, EncodeImage: encodeImage, Sends: persona.Sends{Voice: true, File: true},
	}
	if l.o.Source == Source(l.client) {
		f.Online = func(string) bool { return l.client.Connected() }
	}
	if l.o.Typing {
		f.Typing = l.typing
	}
	return f
}

// Run receives events until ctx ends.
func (l *link) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	if err := l.o.Pairing.check(); err != nil {
		return err
	}
	if l.o.Source != Source(l.client) { // a webhook has no session that begins
		now := time.Now()
		handle(ctx, l.connected(now))
		l.webhookSince.Store(&now)
		defer l.webhookSince.Store(nil)
	}
	err := l.o.Source.Run(ctx, func(ctx context.Context, e qqbot.Event) {
		if e := l.translate(ctx, e); e != nil {
			handle(ctx, e)
		}
	})
	if err != nil && ctx.Err() == nil {
		handle(ctx, persona.Disconnected{Self: l.self(), Reason: err.Error(), At: time.Now()})
	}
	return err
}

// self is the bot's account. Its ids in groups differ.
func (l *link) self() persona.Account {
	return persona.Account{Platform: platform, ID: l.client.AppID()}
}

func (l *link) connected(at time.Time) persona.Connected {
	return persona.Connected{Self: l.self(), Name: l.nick(), At: at}
}

// nick returns the bot's name, or "".
func (l *link) nick() string {
	if name := l.nickname.Load(); name != nil {
		return *name
	}
	return ""
}

func (l *link) learnNick(name string) {
	if name != "" {
		l.nickname.Store(&name)
	}
}

var errPlatform = errors.New("qqbotlink: the chat is on another platform")

func chatOf(c qqbot.Chat) persona.Chat {
	kind := persona.Private
	if c.Group {
		kind = persona.Group
	}
	return persona.Chat{Platform: platform, Kind: kind, ID: c.ID}
}

func group(id string) persona.Chat { return chatOf(qqbot.GroupChat(id)) }

// receiver returns where messages to a chat go.
func receiver(c persona.Chat) (qqbot.Chat, error) {
	if c.Platform != platform || c.Kind != persona.Group && c.Kind != persona.Private {
		return qqbot.Chat{}, errPlatform
	}
	return qqbot.Chat{Group: c.Kind == persona.Group, ID: c.ID}, nil
}

// fallbackName is the name of somebody whose name is unknown.
func fallbackName(openid string) string {
	return "成员·" + openid[max(len(openid)-4, 0):]
}

// name returns the name that somebody used in a chat, or a part of the openid.
func (l *link) name(chat persona.Chat, openid, told string) string {
	return cmp.Or(told, l.names.get(chat, openid), fallbackName(openid))
}
