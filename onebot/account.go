package onebot

import (
	"context"
	"sync"
	"sync/atomic"
)

// account is one account and its links: usually one for both calls and events, else one for each. It is the Caller
// of its Bot.
type account struct {
	bot    Bot
	filter Filter

	mu     sync.Mutex           // for attach and detach
	api    atomic.Pointer[link] // where calls go; nil: nowhere
	events atomic.Pointer[link] // where events come from
}

func newAccount(selfID int64, o *Options) *account {
	a := &account{filter: o.Filter}
	a.bot.Caller, a.bot.Limiter = a, o.Limiter
	a.bot.self.Store(selfID)
	return a
}

// Call implements Caller.
func (a *account) Call(ctx context.Context, action string, params, result any) error {
	l, params, err := a.way(ctx, action, params)
	if err != nil {
		return err
	}
	return l.call(ctx, action, params, result)
}

// way gives the link that a call goes over, and the parameters that the filter lets through.
func (a *account) way(ctx context.Context, action string, params any) (*link, any, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, notWritten(action, err)
	}
	if a.filter != nil {
		var err error
		if params, err = a.filter.apply(ctx, a.bot.SelfID(), action, params); err != nil {
			return nil, nil, err
		}
	}
	l := a.api.Load()
	if l == nil {
		return nil, nil, notWritten(action, ErrDisconnected)
	}
	return l, params, nil
}

// attach gives the account a new link. The newest wins: what loses its last role is returned, to be closed.
func (a *account) attach(l *link, api, events bool) (old []*link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := [2]*link{a.api.Load(), a.events.Load()}
	if api {
		a.api.Store(l)
	}
	if events {
		a.events.Store(l)
	}
	for _, w := range was {
		if w != nil && w != a.api.Load() && w != a.events.Load() {
			old = append(old, w)
		}
	}
	return old
}

// detach takes a link away, where it was not replaced meanwhile.
func (a *account) detach(l *link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.api.CompareAndSwap(l, nil)
	a.events.CompareAndSwap(l, nil)
}

// connected tells whether there is any link.
func (a *account) connected() bool { return a.api.Load() != nil || a.events.Load() != nil }
