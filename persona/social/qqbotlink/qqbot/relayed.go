package qqbot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona/relay"
)

// storeTimeout limits the time to store an event before it is acknowledged.
const storeTimeout = 5 * time.Second

// Forward is like Run for a bot that runs in another process, or in this one: see [Client.Relayed]. An event is acknowledged when the
// relay has stored it. If that fails, the platform sends it again. account is the name of the bot's account in the relay.
func (w *Webhook) Forward(ctx context.Context, g relay.Gateway, account string) error {
	return w.run(ctx, nil, func(ctx context.Context, f frame, sig string) error {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		keys := append(f.keys(), "signature "+sig)
		e := w.c.inbox.self.decode(f, time.Now())
		_, message := e.(*Message)
		event := relay.Event{Key: digest(keys[0]), Body: f.raw, Message: message}
		if chat := e.conversation(); chat != "" {
			event.Chat = digest(chat)
		}
		return g.Publish(ctx, account, event)
	})
}

// digest returns a name of limited length.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// A Relayed receives the events that webhooks in any process have stored. It is a Source of package qqbotlink.
type Relayed struct {
	c     *Client
	owner relay.Owner
}

// Relayed returns the source of the events of [Webhook.Forward]. The client makes its calls itself. An event other than a message may
// be handled twice: after a crash, or if the platform sends it again.
func (c *Client) Relayed(owner relay.Owner) *Relayed { return &Relayed{c, owner} }

// Run passes events to h until ctx is done. Then it returns nil. When Run returns, all handlers have returned. It returns
// [relay.ErrFenced] if another process runs the bot now.
func (r *Relayed) Run(ctx context.Context, h Handler) error {
	if h == nil {
		return errors.New("qqbot: Relayed.Run needs a handler")
	}
	return r.owner.Run(ctx, relay.Handler{Event: func(ctx context.Context, stored relay.Event) error {
		f, ok := parseFrame(stored.Body)
		if !ok {
			return nil // it would fail each time
		}
		r.c.health.heard.Store(time.Now().UnixNano())
		if e, repeated := r.c.inbox.accept(f); !repeated {
			h(ctx, e)
		}
		return nil
	}})
}

// accept decodes an event that was stored. It reports the second event of a message.
func (b *inbox) accept(f frame) (e Event, repeated bool) {
	now := time.Now()
	b.received.Add(1)
	e = b.self.decode(f, now)
	if m, ok := e.(*Message); ok && b.pairs.second(now, m) {
		b.repeated.Add(1)
		return nil, true
	}
	return e, false
}
