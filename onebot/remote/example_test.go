package remote_test

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Each machine runs the same program behind a load balancer. NapCat connects to any of them, and any of them runs the bot.
func Example() {
	ctx := context.Background()
	accounts := map[string]int64{"xiaolu": 10001, "ahua": 10002} // by bot
	host, _ := os.Hostname()
	pool, err := pgxpool.New(ctx, "postgres://hearth@db/hearth")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	relay, err := postgres.OpenRelay(ctx, postgres.RelayOptions{
		ID:       host,
		Database: postgres.Options{Pool: pool},
		Being: func(account string) (string, bool) {
			for being, id := range accounts {
				if remote.AccountName(id) == account {
					return being, true
				}
			}
			return "", false
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	go relay.Run(ctx) // receives notifications

	// the connections that come to this machine
	gateway, err := remote.NewGateway(remote.GatewayOptions{Relay: relay, Server: onebot.Options{Token: "secret"}})
	if err != nil {
		log.Fatal(err)
	}
	go gateway.Run(ctx)
	go http.ListenAndServe(":8080", gateway)

	// the bots that run on this machine
	err = owner.Run(ctx, owner.Options{
		ID: host, Beings: []string{"xiaolu", "ahua"}, Database: postgres.Options{Pool: pool},
		Act: func(ctx context.Context, db *postgres.DB) error {
			self := accounts[db.Being()]
			source := remote.NewSource(relay.Owner(db, remote.AccountName(self)), self, remote.SourceOptions{})
			bot, err := social.New(social.Options{
				Profile: persona.Profile{Name: db.Being()},
				Model:   modeltest.New(), // any llms.Model
				Storage: social.Storage{Store: db},
				Link:    onebotlink.New(source, onebotlink.Options{Self: self, Limiter: source.Limiter()}),
			})
			if err != nil {
				return err
			}
			return bot.Run(ctx)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
