package outside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona/social"
)

// A bot holds a lease while it runs, so that no other process is the same bot. After a crash, the next one waits until it ends.
const (
	leaseValid = 15 * time.Second
	leaseRenew = 5 * time.Second
)

// openPostgres opens the database of a flag and claims the lease of the bot. If the lease is lost later, all writes fail.
func openPostgres(ctx context.Context, name, address string) (social.Store, func(), error) {
	o, err := check.PostgresOptions(name, address)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	db, err := postgres.Open(ctx, o)
	if err != nil {
		stop()
		return nil, nil, check.PostgresError(name, err)
	}
	lease, err := claim(ctx, db)
	if err != nil {
		stop()
		db.Close()
		return nil, nil, check.PostgresError(name, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for loop.Sleep(ctx, leaseRenew) == nil {
			if _, err := db.Renew(ctx, lease.Fence(), leaseValid); errors.Is(err, postgres.ErrFenced) {
				return
			}
		}
	}()
	return db.Fenced(lease.Fence()), func() {
		stop()
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), check.Timeout)
		defer cancel()
		db.Release(ctx, lease.Fence()) // otherwise it ends by itself
		db.Close()
	}, nil
}

// claim waits for the lease of a process that has crashed, and returns an error if a process renews it.
func claim(ctx context.Context, db *postgres.DB) (postgres.Lease, error) {
	host, _ := os.Hostname()
	owner := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	var first *postgres.HeldError
	for {
		lease, err := db.Claim(ctx, "", owner, leaseValid)
		var held *postgres.HeldError
		if !errors.As(err, &held) {
			return lease, err
		}
		if first == nil {
			first = held
		}
		if held.Lease.Epoch == first.Lease.Epoch && held.Lease.Left > first.Lease.Left { // renewed
			return lease, err
		}
		if err := loop.Sleep(ctx, min(held.Lease.Left+10*time.Millisecond, time.Second)); err != nil {
			return lease, err
		}
	}
}
