package social

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Links makes one bot live on several platforms. Each link must have another [LinkFeatures.Platform]; Links panics otherwise.
// What belongs to a chat goes to the link of its platform. A person with accounts on two platforms is two people to the bot.
//
// Run returns when all links have ended, or when one fails. While one link is down, nothing is thought or sent on its platform.
// The owner is told, and the other platforms go on. EncodeImage is that of the first link that has
// one, so all links must understand its form. MessageKey applies those of all links. If two links have plugins, the bot uses
// the Tools of all instead.
func Links(all ...Link) Link {
	l := &links{of: map[string]home{}, down: map[string]bool{}}
	for _, one := range all {
		f := FeaturesOf(one)
		if _, twice := l.of[f.Platform]; twice || f.Platform == "" {
			panic(fmt.Sprintf("social: Links: platform %q is missing or there twice", f.Platform))
		}
		l.of[f.Platform] = home{one, f}
		l.all = append(l.all, home{one, f})
	}
	return l
}

// A home is a link with its features.
type home struct {
	Link
	LinkFeatures
}

type links struct {
	all []home
	of  map[string]home

	mu   sync.Mutex
	down map[string]bool // platforms whose link is disconnected
}

var (
	errNoLink = errors.New("social: no link has this platform")
	errDown   = errors.New("social: the link of this platform is disconnected")
)

// Run implements [Link].
func (l *links) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(l.all))
	for _, h := range l.all {
		go func() {
			ended <- h.Run(ctx, func(ctx context.Context, e persona.Event) {
				handle(ctx, l.note(h.Platform, e))
			})
		}()
	}
	var first error
	for range l.all {
		if err := <-ended; err != nil && first == nil {
			first = err
			stop()
		}
	}
	return first
}

// note keeps which links are down. It returns the event for the bot.
func (l *links) note(platform string, e persona.Event) persona.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case persona.Connected:
		l.down[platform] = false
	case persona.Disconnected:
		l.down[platform] = true
		e.Self.Platform = platform
		e.Others = slices.ContainsFunc(l.all, func(h home) bool { return !l.down[h.Platform] })
		return e
	}
	return e
}

func (l *links) isDown(platform string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down[platform]
}

// Send implements [Link].
func (l *links) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	h, ok := l.of[chat.Platform]
	if !ok {
		return "", errNoLink
	}
	return h.Send(ctx, chat, out)
}

// Features implements [FeatureProvider].
func (l *links) Features() LinkFeatures {
	f := LinkFeatures{
		Permit: l.permit, WaitToSend: l.waitToSend, WaitToSendPart: l.waitToSendPart, Typing: l.typing, RecentMessages: l.recentMessages, MessageKey: l.messageKey,
		Health: l.health, Online: l.online, Allowance: l.allowance, AnswerRequest: l.answerRequest, OpenPart: l.openPart, Message: l.message, Tools: l.tools, SendsTo: func(chat persona.Chat) persona.Sends { return l.of[chat.Platform].sends(chat) },
	}
	for _, h := range l.all {
		if f.EncodeImage == nil {
			f.EncodeImage = h.EncodeImage
		}
		f.Faces = append(f.Faces, h.Faces...)
		f.NeedsQuote = f.NeedsQuote || h.NeedsQuote
	}
	plugged := slices.DeleteFunc(slices.Clone(l.all), func(h home) bool { return h.Plugin == nil })
	if len(plugged) == 1 {
		f.Plugin = plugged[0].Plugin
	}
	return f
}

func (h home) sends(chat persona.Chat) persona.Sends {
	if h.SendsTo != nil {
		return h.SendsTo(chat)
	}
	return h.LinkFeatures.Sends
}

func (l *links) permit(now time.Time, chat persona.Chat, replyTo string) (left int, err error) {
	h, ok := l.of[chat.Platform]
	switch {
	case !ok:
		return 0, errNoLink
	case l.isDown(chat.Platform):
		return 0, errDown
	case h.Permit == nil:
		return math.MaxInt, nil
	}
	return h.Permit(now, chat, replyTo)
}

// health returns the states of all links. Of a link that does not report one it has what the link's events have told.
func (l *links) health() (all []trace.LinkHealth) {
	for _, h := range l.all {
		if h.Health != nil {
			all = append(all, h.Health()...)
			continue
		}
		l.mu.Lock()
		down, known := l.down[h.Platform]
		l.mu.Unlock()
		all = append(all, trace.LinkHealth{Self: persona.Account{Platform: h.Platform}, Online: known && !down})
	}
	return all
}

func (l *links) allowance(now time.Time, chat persona.Chat) (a trace.Allowance, ok bool) {
	if allowance := l.of[chat.Platform].Allowance; allowance != nil {
		return allowance(now, chat)
	}
	return a, false
}

func (l *links) waitToSend(ctx context.Context, chat persona.Chat) error {
	if wait := l.of[chat.Platform].WaitToSend; wait != nil {
		return wait(ctx, chat)
	}
	return nil
}

func (l *links) waitToSendPart(ctx context.Context, chat persona.Chat) error {
	if wait := l.of[chat.Platform].WaitToSendPart; wait != nil {
		return wait(ctx, chat)
	}
	return l.waitToSend(ctx, chat)
}

func (l *links) online(platform string) bool {
	online := l.of[platform].Online
	return online == nil || online(platform)
}

func (l *links) typing(ctx context.Context, chat persona.Chat) error {
	if typing := l.of[chat.Platform].Typing; typing != nil {
		return typing(ctx, chat)
	}
	return nil
}

func (l *links) recentMessages(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error) {
	if recent := l.of[chat.Platform].RecentMessages; recent != nil {
		return recent(ctx, chat, known)
	}
	return nil, engine.ErrNoHistory
}

func (l *links) messageKey(id string) string {
	for _, h := range l.all {
		if h.MessageKey != nil {
			id = h.MessageKey(id)
		}
	}
	return id
}

func (l *links) answerRequest(ctx context.Context, r persona.Request, approve bool, reason string) error {
	if answer := l.of[r.From.Platform].AnswerRequest; answer != nil {
		return answer(ctx, r, approve, reason)
	}
	return errNoLink
}

func (l *links) openPart(ctx context.Context, m persona.Message, p persona.Part) (persona.Part, error) {
	if open := l.of[m.Chat.Platform].OpenPart; open != nil {
		return open(ctx, m, p)
	}
	return p, nil
}

func (l *links) message(ctx context.Context, chat persona.Chat, id string) (persona.Message, error) {
	if message := l.of[chat.Platform].Message; message != nil {
		return message(ctx, chat, id)
	}
	return persona.Message{}, errNoLink
}

func (l *links) tools(send SendFunc) (all []nit.Tool, err error) {
	for _, h := range l.all {
		if h.Tools == nil {
			continue
		}
		tools, err := h.Tools(send)
		if err != nil {
			return nil, err
		}
		all = append(all, tools...)
	}
	return all, nil
}
