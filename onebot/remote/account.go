package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/relay"
)

// An account is one account at a gateway. It is attached to the relay while it has a connection.
type account struct {
	g    *Gateway
	bot  *onebot.Bot
	name string
	keys keys

	mu      sync.Mutex
	up      bool
	changed chan struct{}      // signals a change of up and each new connection
	stop    context.CancelFunc // ends serving the connection before; nil: none is served
	ready   chan struct{}      // closed while events may pass: the relay knows of the connection, or there is none

	beats beats
}

func newAccount(g *Gateway, bot *onebot.Bot, name string) *account {
	ready := make(chan struct{})
	close(ready)
	return &account{g: g, bot: bot, name: name, keys: newKeys(), changed: make(chan struct{}, 1), ready: ready}
}

// onLink notes that a connection has come up, or that the last one is down.
func (a *account) onLink(up bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up = up
	if up && isClosed(a.ready) {
		a.ready = make(chan struct{})
	}
	if a.stop != nil {
		a.stop()
	}
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// letEventsPass lets forward go on.
func (a *account) letEventsPass() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !isClosed(a.ready) {
		close(a.ready)
	}
}

// awaitReady waits until the relay knows of the connection that an event came from. Otherwise the bot would take itself for offline.
func (a *account) awaitReady(ctx context.Context) {
	a.mu.Lock()
	ready := a.ready
	a.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
	}
}

// run serves each connection until ctx ends.
func (a *account) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.changed:
		}
		inside, stop := a.begin(ctx)
		if inside == nil {
			a.letEventsPass()
			continue
		}
		a.serve(inside)
		stop()
	}
}

// begin returns a context for serving the newest connection; nil: there is none.
func (a *account) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.up {
		return nil, nil
	}
	ctx, a.stop = context.WithCancel(ctx)
	return ctx, a.stop
}

// closeTimeout limits the time to say that an account is not connected any more.
const closeTimeout = 5 * time.Second

// serve attaches the account and answers calls until ctx ends or another gateway has the account.
func (a *account) serve(ctx context.Context) {
	at, err := a.attach(ctx)
	if err != nil {
		return
	}
	a.letEventsPass()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := at.Serve(ctx, a.answer)
		if ctx.Err() != nil { // also if a newer connection came to this process: it must not be closed
			break
		}
		if errors.Is(err, relay.ErrReplaced) {
			a.g.log.Warn("onebot/remote: the account has connected to another process", "self_id", a.bot.SelfID())
			a.g.server.Disconnect(a.bot.SelfID())
			return
		}
		a.g.log.Warn("onebot/remote: cannot serve calls", "self_id", a.bot.SelfID(), "reason", err)
		_ = loop.Sleep(ctx, pause)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := at.Close(closing); err != nil {
		a.g.log.Warn("onebot/remote: the relay was not told that an account is disconnected", "self_id", a.bot.SelfID(), "reason", err)
	}
}

// A failed call to the relay is repeated after a pause, which doubles.
const (
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
)

// attach attaches the account. It fails only when ctx has ended.
func (a *account) attach(ctx context.Context) (at relay.Attachment, err error) {
	err = a.retry(ctx, "the relay does not take the connection", func() error {
		at, err = a.g.o.Relay.Attach(ctx, a.name)
		return err
	})
	return at, err
}

// retry calls f until it succeeds or ctx ends.
func (a *account) retry(ctx context.Context, problem string, f func() error) error {
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := f()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.g.log.Warn("onebot/remote: the relay fails, and is tried again", "what", problem, "self_id", a.bot.SelfID(), "reason", err)
		_ = loop.Sleep(ctx, pause)
	}
}

// answer calls an action, or waits for the rate limit.
func (a *account) answer(ctx context.Context, body []byte) []byte {
	var q request
	var r response
	if err := json.Unmarshal(body, &q); err != nil {
		r = responseOf(nil, fmt.Errorf("%w: %w", onebot.ErrBadParams, err))
	} else {
		r = responseOf(a.perform(ctx, q))
	}
	b, err := json.Marshal(r)
	if err != nil { // the data are no JSON
		b, _ = json.Marshal(responseOf(nil, err))
	}
	return b
}

func (a *account) perform(ctx context.Context, q request) (data json.RawMessage, err error) {
	switch w := q.Wait; {
	case w == nil:
		var params any
		if q.Params != nil {
			params = q.Params
		}
		err = a.bot.Call(ctx, q.Action, params, &data)
	case w.Part:
		err = a.bot.Limiter.WaitPart(ctx, w.Chat)
	default:
		err = a.bot.Limiter.Wait(ctx, w.Chat)
	}
	return data, err
}
