package postgres_test

import (
	"context"
	"log"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
)

// A process that may run on several machines claims its bot first. It renews the lease every few seconds, and stops when that fails.
// The password is in PGPASSWORD or ~/.pgpass.
func Example() {
	ctx := context.Background()
	db, err := postgres.Open(ctx, postgres.Options{DSN: "postgres://hearth@db/hearth", Being: "xiaolu"})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	lease, err := db.Claim(ctx, "", "machine 1", 15*time.Second)
	if err != nil {
		log.Fatal(err) // a *postgres.HeldError names the process that has it
	}
	defer db.Release(ctx, lease.Fence())
	store := db.Fenced(lease.Fence()) // also the Store of social.Options

	index, err := postgres.OpenIndex(ctx, store, postgres.IndexOptions{}) // needs pgvector; flat.New() needs nothing
	if err != nil {
		log.Fatal(err)
	}
	if _, err := memory.New(store, memory.Options{Indexes: []memory.Index{index}}); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Renew(ctx, lease.Fence(), 15*time.Second); err != nil {
		log.Fatal(err) // postgres.ErrFenced: another process has taken over, and all writes of store fail
	}
}
