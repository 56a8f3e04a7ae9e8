package onebot

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// A Caller calls an action of the API. params is marshaled to a JSON object; nil means none. The data of the response
// is unmarshaled into result; nil discards it, and null data leaves result unchanged. If the implementation refuses
// the call, the error is an [*APIError]. If there is no response, it matches [ErrTimeout], [ErrDisconnected],
// [ErrUnclear] or the context's error.
type Caller interface {
	Call(ctx context.Context, action string, params, result any) error
}

// A Bot is one account: typed actions over a [Caller]. It stays the same across all links of the account. While there
// is no link, calls fail with [ErrDisconnected]. All methods may be called concurrently.
//
// For tests, a Bot may use your own Caller: &onebot.Bot{Caller: mine}.
type Bot struct {
	Caller
	Limiter *Limiter // rate limit of the Send methods; nil: none; do not change it while in use

	self  atomic.Int64
	known sync.Map // the name of an action here → the name that the implementation knows
}

// NewBot returns a bot that calls actions by c.
func NewBot(c Caller, selfID int64) *Bot {
	b := &Bot{Caller: c}
	b.self.Store(selfID)
	return b
}

// SelfID returns the account's id; 0 until an event contains it.
func (b *Bot) SelfID() int64 { return b.self.Load() }

// callAny calls an action that has several names by the first one that the implementation knows. It remembers the name
// and tries it first from then on.
func (b *Bot) callAny(ctx context.Context, params, result any, names ...string) (err error) {
	first := names[0]
	if name, ok := b.known.Load(first); ok {
		names = append([]string{name.(string)}, names...)
	}
	for _, name := range names {
		if err = b.Call(ctx, name, params, result); !errors.Is(err, ErrUnknownAction) {
			b.known.Store(first, name)
			return err
		}
	}
	return err
}
