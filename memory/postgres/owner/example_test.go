package owner_test

import (
	"context"
	"log"
	"os"

	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Each machine runs the same program. Together they run three bots, each of them once.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://hearth@db/hearth")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	host, _ := os.Hostname()
	err = owner.Run(ctx, owner.Options{
		ID:       host,
		Beings:   []string{"xiaolu", "ahua", "lingling"},
		Database: postgres.Options{Pool: pool},
		Act: func(ctx context.Context, db *postgres.DB) error {
			log.Print("this machine is ", db.Being())
			<-ctx.Done() // here the bot runs with its memory in db
			return nil
		},
		OnError: func(being string, err error) { log.Print(being, ": ", err) },
	})
	if err != nil {
		log.Fatal(err)
	}
}
