package onebot

import (
	"context"
	"sync/atomic"
)

// A Caller calls an action of the API. params is marshalled to a JSON object (nil: none); the answer's data is
// unmarshalled into result (nil: not wanted; left alone when the data is null). A refusal is an [*APIError], a
// missing answer matches [ErrTimeout], [ErrDisconnected], [ErrUnclear] or the context's error.
type Caller interface {
	Call(ctx context.Context, action string, params, result any) error
}

// A Bot is one account: typed actions over a [Caller]. It stays the same over all its links; while there is none,
// calls fail with [ErrDisconnected]. All methods may be called concurrently.
//
// A Bot with any Caller of your own does for tests: &onebot.Bot{Caller: mine}.
type Bot struct {
	Caller
	Limiter *Limiter // spaces SendGroupMsg and SendPrivateMsg; nil: none; not to be changed while in use

	self atomic.Int64
}

// NewBot makes a bot that calls by c.
func NewBot(c Caller, selfID int64) *Bot {
	b := &Bot{Caller: c}
	b.self.Store(selfID)
	return b
}

// SelfID is the account's own id; 0 as long as no event told it.
func (b *Bot) SelfID() int64 { return b.self.Load() }
