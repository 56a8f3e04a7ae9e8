package remote

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/relay"
)

// GatewayOptions configure a [Gateway]. Relay is required.
type GatewayOptions struct {
	Relay relay.Gateway
	// Account returns the name of an account in the relay, which the owner uses, too. If ok is false, the connection is closed.
	// nil: the decimal id.
	Account func(selfID int64) (account string, ok bool)
	// Server has the options of the server. Its OnLink is not used. A nil Limiter means one with its default options.
	Server onebot.Options
}

// A Gateway accepts connections of implementations ("reverse WebSocket") as a *onebot.Server does, for bots that run in any process.
// It is an http.Handler for any path. All methods may be called concurrently.
//
// If an account connects to another process, the newer connection wins, and this Gateway closes its own.
type Gateway struct {
	o      GatewayOptions
	log    *slog.Logger
	server *onebot.Server

	mu       sync.Mutex
	accounts map[int64]*account
	running  context.Context // of Run; nil: not running
	wg       sync.WaitGroup  // of the accounts
}

// NewGateway returns a gateway. Mount it as an http.Handler and call Run.
func NewGateway(o GatewayOptions) (*Gateway, error) {
	if o.Relay == nil {
		return nil, errors.New("onebot/remote: set GatewayOptions.Relay")
	}
	if o.Account == nil {
		o.Account = func(selfID int64) (string, bool) { return AccountName(selfID), true }
	}
	if o.Server.Limiter == nil {
		o.Server.Limiter = onebot.NewLimiter(onebot.LimiterOptions{})
	}
	g := &Gateway{o: o, log: cmp.Or(o.Server.Logger, slog.New(slog.DiscardHandler)), accounts: map[int64]*account{}}
	o.Server.OnLink = g.onLink
	g.server = onebot.NewServer(o.Server)
	return g, nil
}

// ServeHTTP upgrades the request to a connection and returns when the connection is closed.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.server.ServeHTTP(w, r) }

// Server returns the server of the connections, for its counters.
func (g *Gateway) Server() *onebot.Server { return g.server }

// Run carries events and calls until ctx is done, and closes all connections then. While Run is not running, connections are
// refused with HTTP status 503.
func (g *Gateway) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	g.mu.Lock()
	if g.running != nil {
		g.mu.Unlock()
		cancel()
		return errors.New("onebot/remote: Run is already running")
	}
	g.running = ctx
	g.mu.Unlock()
	defer func() {
		cancel()
		g.mu.Lock()
		g.running = nil
		clear(g.accounts)
		g.mu.Unlock()
		g.wg.Wait()
	}()
	return g.server.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if a := g.account(bot); a != nil {
			a.forward(ctx, e)
		}
	})
}

// account returns an account, and starts it at first. nil: Run has ended, or the account is not known.
func (g *Gateway) account(bot *onebot.Bot) *account {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := bot.SelfID()
	if a, ok := g.accounts[id]; ok || g.running == nil {
		return a
	}
	name, ok := g.o.Account(id)
	if !ok {
		return nil
	}
	a := newAccount(g, bot, name)
	g.accounts[id] = a
	ctx := g.running
	g.wg.Go(func() { a.run(ctx) })
	return a
}

// onLink is called when an account has connected or disconnected.
func (g *Gateway) onLink(bot *onebot.Bot, up bool) {
	a := g.account(bot)
	switch {
	case a != nil:
		a.onLink(up)
	case up:
		g.log.Warn("onebot/remote: an unknown account connects", "self_id", bot.SelfID())
		g.server.Disconnect(bot.SelfID())
	}
}
