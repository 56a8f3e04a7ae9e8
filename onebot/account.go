package onebot

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// account is one account and its links: usually one link for calls and events, otherwise one for each. It is the
// Caller of its Bot.
type account struct {
	bot    Bot
	filter Filter

	mu     sync.Mutex           // guards attach, detach, lost and health
	api    atomic.Pointer[link] // link for calls; nil: none
	events atomic.Pointer[link] // link for events; nil: none
	lost   time.Time            // when a link dropped last; zero: never
	health accountHealth

	announcing sync.Mutex // held during Options.OnLink
}

func newAccount(selfID int64, o *Options) *account {
	a := &account{filter: o.Filter}
	a.bot.Caller, a.bot.Limiter = a, o.Limiter
	a.bot.self.Store(selfID)
	return a
}

// Call implements Caller.
func (a *account) Call(ctx context.Context, action string, params, result any) error {
	l, params, err := a.route(ctx, action, params)
	if err != nil {
		return err
	}
	began := time.Now()
	err = l.call(ctx, action, params, result)
	a.health.countCall(time.Since(began), err)
	return err
}

// route returns the link for a call and the parameters after the filter.
func (a *account) route(ctx context.Context, action string, params any) (*link, any, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, notWrittenError(action, err)
	}
	if a.filter != nil {
		var err error
		if params, err = a.filter.apply(ctx, a.bot.SelfID(), action, params); err != nil {
			return nil, nil, err
		}
	}
	l := a.api.Load()
	if l == nil {
		return nil, nil, notWrittenError(action, ErrDisconnected)
	}
	return l, params, nil
}

// attach adds a new link to the account. The newest link wins: links that lose their last role are returned, and the
// caller closes them.
func (a *account) attach(l *link, api, events bool) (old []*link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := [2]*link{a.api.Load(), a.events.Load()}
	a.health.up(roleOf(api, events), events)
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

// detach removes a link that ended with err, unless a newer one has replaced it. err is nil if Run has ended.
func (a *account) detach(l *link, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.api.CompareAndSwap(l, nil)
	a.health.down(l, a.events.CompareAndSwap(l, nil), err)
	a.lost = time.Now()
}

// logUp logs a new link, and how long the account was without it.
func (a *account) logUp(log *slog.Logger, about ...any) {
	a.mu.Lock()
	lost := a.lost
	a.mu.Unlock()
	if !lost.IsZero() {
		about = append(about, "down_for", time.Since(lost).Round(time.Second))
	}
	log.Info("onebot: link is up", about...)
}

// Connected reports whether there is a link.
func (a *account) Connected() bool { return a.api.Load() != nil || a.events.Load() != nil }
