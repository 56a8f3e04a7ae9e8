package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A gateway takes the reverse WebSockets of a process, and gives each bot of the process its link: over the database to the process
// with its connection, or a forward WebSocket.
type gateway struct {
	o     options
	relay *postgres.Relay // nil without -gateway
	stop  context.CancelFunc
	all   sync.WaitGroup
}

// accountOf returns the account of a bot with a reverse WebSocket.
func accountOf(link string) (int64, bool) {
	n, err := strconv.ParseInt(link, 10, 64)
	return n, err == nil && n > 0
}

// openGateway serves reverse WebSockets until ctx ends, and the links until close.
func (o options) openGateway(ctx context.Context, pool *pgxpool.Pool, links map[string]string) (*gateway, error) {
	g := &gateway{o: o, stop: func() {}}
	if o.gateway == "" {
		return g, nil
	}
	beings := map[string]string{} // by account
	for being, link := range links {
		if n, ok := accountOf(link); ok {
			beings[remote.AccountName(n)] = being
		}
	}
	var err error
	g.relay, err = postgres.OpenRelay(ctx, postgres.RelayOptions{
		ID: o.id, Database: postgres.Options{Pool: pool}, Valid: o.lease,
		Being: func(account string) (string, bool) { being, ok := beings[account]; return being, ok },
	})
	if err != nil {
		return nil, err
	}
	gate, err := remote.NewGateway(remote.GatewayOptions{Relay: g.relay, Server: onebot.Options{Token: os.Getenv("ONEBOT_TOKEN"), Limiter: o.limiter()}})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.gateway)
	if err != nil {
		return nil, lang.Errorf("-gateway %s 用不了：%v", "-gateway %s: %v", o.gateway, err)
	}
	outliving, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = stop
	g.all.Go(func() { g.relay.Run(outliving) })
	g.all.Go(func() { gate.Run(ctx) })
	g.all.Go(func() {
		program.Serve(ctx, &http.Server{Handler: gate, ReadHeaderTimeout: 10 * time.Second}, l, time.Second)
	})
	return g, nil
}

func (g *gateway) close() {
	g.stop()
	g.all.Wait()
}

// link returns the link of a bot, and its source if the events of the account come over the database.
func (g *gateway) link(db *postgres.DB, address string) (social.Link, *remote.Source, error) {
	account, ok := accountOf(address)
	switch {
	case !ok:
		link, err := g.o.forward(address)
		return link, nil, err
	case g.relay == nil:
		return nil, nil, lang.Errorf("%s 用反向 WS，还要写 -gateway", "%s has a reverse WebSocket, which needs -gateway", db.Being())
	}
	source := remote.NewSource(g.relay.Owner(db, remote.AccountName(account)), account, remote.SourceOptions{})
	return onebotlink.New(source, onebotlink.Options{Self: account, Limiter: source.Limiter()}), source, nil
}
