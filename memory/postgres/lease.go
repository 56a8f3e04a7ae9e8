package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// A Lease is the right to act for a being, or for a part of it, for some time. The clock of the database decides when it ends.
type Lease struct {
	Name  string
	Owner string        // the process that has claimed it last
	Epoch int64         // grows with each claim; see [Fence]
	Left  time.Duration // time until it ends, when the database answered; 0: it has ended
}

// Fence returns the fence of the lease.
func (l Lease) Fence() Fence { return Fence{l.Name, l.Epoch} }

// A HeldError is returned by [DB.Claim] if another claim is still valid.
type HeldError struct{ Lease Lease }

// Error names the owner.
func (e *HeldError) Error() string {
	return fmt.Sprintf("postgres: lease %q is held by %s for another %v", e.Lease.Name, e.Lease.Owner, e.Lease.Left.Round(time.Millisecond))
}

const (
	claimSQL = `INSERT INTO {s}.leases AS l (being, name, owner, epoch, until) VALUES ($1, $2, $3, 1, clock_timestamp() + $4)
		ON CONFLICT (being, name) DO UPDATE SET owner = excluded.owner, epoch = l.epoch + 1, until = clock_timestamp() + $4
		WHERE l.until < clock_timestamp() RETURNING owner, epoch, until - clock_timestamp()`
	takeOverSQL = `INSERT INTO {s}.leases AS l (being, name, owner, epoch, until) VALUES ($1, $2, $3, 1, clock_timestamp() + $4)
		ON CONFLICT (being, name) DO UPDATE SET owner = excluded.owner, epoch = l.epoch + 1, until = clock_timestamp() + $4
		RETURNING owner, epoch, until - clock_timestamp()`
	renewSQL = `UPDATE {s}.leases SET until = clock_timestamp() + $4 WHERE being = $1 AND name = $2 AND epoch = $3
		RETURNING owner, epoch, until - clock_timestamp()`
	releaseSQL = `UPDATE {s}.leases SET until = '-infinity' WHERE being = $1 AND name = $2 AND epoch = $3
		RETURNING owner, epoch, interval '0'`
	heldSQL = `SELECT name, owner, epoch, until - clock_timestamp() FROM {s}.leases WHERE being = $1 AND until > clock_timestamp() ORDER BY name`

	leaseSQL = `SELECT owner, epoch, greatest(until, clock_timestamp()) - clock_timestamp() FROM {s}.leases WHERE being = $1 AND name = $2`
)

// Claim takes a lease if it is free or has ended, and raises its epoch. It waits for the running write of the former owner. name
// is "" for the whole being, or the name of a part. owner is shown to others. If the lease is held, the error is a [HeldError]. A claim
// of the whole being ends its sleep, see [DB.Sleep].
//
// Claim is not repeated after a lost connection. If its answer is lost, the claim may be valid, and nobody has it until it ends.
func (db *DB) Claim(ctx context.Context, name, owner string, valid time.Duration) (Lease, error) {
	return db.claim(ctx, name, owner, valid, db.q.claim)
}

func (db *DB) claim(ctx context.Context, name, owner string, valid time.Duration, query string) (Lease, error) {
	if !isAddress(name) || !isAddress(owner) || valid <= 0 {
		return Lease{}, fmt.Errorf("postgres: claim lease %q by %q for %v: %w", name, owner, valid, memory.ErrInvalid)
	}
	l, err := db.claimQuery(ctx, name, query, owner, valid)
	if !errors.Is(err, memory.ErrNotFound) {
		return l, err
	}
	held, err := db.Lease(ctx, name)
	if errors.Is(err, memory.ErrNotFound) { // a sleeper whose lease was deleted
		held, err = Lease{Name: name}, nil
	}
	if err != nil {
		return Lease{}, err
	}
	return Lease{}, &HeldError{held}
}

// TakeOver takes a lease from whoever holds it, and raises its epoch. It waits for the running write of the former owner, which is
// fenced from then on. As with Claim, it is not repeated after a lost connection.
func (db *DB) TakeOver(ctx context.Context, name, owner string, valid time.Duration) (Lease, error) {
	if !isAddress(name) || !isAddress(owner) || valid <= 0 {
		return Lease{}, fmt.Errorf("postgres: take over lease %q by %q for %v: %w", name, owner, valid, memory.ErrInvalid)
	}
	return db.claimQuery(ctx, name, within(db.o.Schema, takeOverSQL), owner, valid)
}

// Renew extends a lease, even one that has just ended, if nobody else has claimed it. Otherwise the error is [ErrFenced].
func (db *DB) Renew(ctx context.Context, f Fence, valid time.Duration) (Lease, error) {
	if valid <= 0 {
		return Lease{}, fmt.Errorf("postgres: renew lease %q for %v: %w", f.Lease, valid, memory.ErrInvalid)
	}
	return orFenced(db.leaseQuery(ctx, f.Lease, db.q.renew, f.Epoch, valid))
}

// Release ends a lease, so that another process may claim it at once. If somebody else has claimed it, the error is [ErrFenced].
func (db *DB) Release(ctx context.Context, f Fence) error {
	_, err := orFenced(db.leaseQuery(ctx, f.Lease, db.q.release, f.Epoch))
	return err
}

// Lease returns a lease, also one that has ended. If it was never claimed, the error is [memory.ErrNotFound].
func (db *DB) Lease(ctx context.Context, name string) (Lease, error) {
	return db.leaseQuery(ctx, name, db.q.lease)
}

// Leases returns the leases of the being that have not ended, by name.
func (db *DB) Leases(ctx context.Context) ([]Lease, error) {
	return read(ctx, db, func(rows pgx.Rows) (l Lease, err error) {
		var left pgtype.Interval
		err = rows.Scan(&l.Name, &l.Owner, &l.Epoch, &left)
		l.Left = durationOf(left)
		return l, err
	}, within(db.o.Schema, heldSQL), db.o.Being)
}

// durationOf returns the time that is left, 0 if it has ended.
func durationOf(left pgtype.Interval) time.Duration {
	return max(0, time.Duration(left.Microseconds)*time.Microsecond+time.Duration(left.Days)*24*time.Hour)
}

func orFenced(l Lease, err error) (Lease, error) {
	if errors.Is(err, memory.ErrNotFound) {
		err = ErrFenced
	}
	return l, err
}

// claimQuery is leaseQuery for a claim. A claim of the whole being ends its sleep: it waits for a Sleep that is running, and deletes its row.
func (db *DB) claimQuery(ctx context.Context, name, query string, args ...any) (Lease, error) {
	if name != "" {
		return db.leaseQuery(ctx, name, query, args...)
	}
	return db.leaseBatch(ctx, name, func(b *pgx.Batch) { b.Queue(within(db.o.Schema, lockLeaseSQL), db.o.Being) }, query, args,
		func(b *pgx.Batch) { b.Queue(within(db.o.Schema, wokenSQL), db.o.Being) })
}

// leaseQuery runs a statement that returns at most one lease.
func (db *DB) leaseQuery(ctx context.Context, name, query string, args ...any) (Lease, error) {
	none := func(*pgx.Batch) {}
	return db.leaseBatch(ctx, name, none, query, args, none)
}

// leaseBatch runs a statement that returns at most one lease, and others in the same transaction.
func (db *DB) leaseBatch(ctx context.Context, name string, before func(*pgx.Batch), query string, args []any, after func(*pgx.Batch)) (l Lease, err error) {
	if !isAddress(name) {
		return l, fmt.Errorf("postgres: lease %q: %w", name, memory.ErrNotFound)
	}
	never := func(error) bool { return false }
	err = db.retry(ctx, never, func(ctx context.Context) error {
		l = Lease{}
		var b pgx.Batch
		db.settings(&b, false)
		before(&b)
		b.Queue(query, append([]any{db.o.Being, name}, args...)...).Query(func(rows pgx.Rows) (err error) {
			l, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (Lease, error) {
				l, left := Lease{Name: name}, pgtype.Interval{}
				err := row.Scan(&l.Owner, &l.Epoch, &left)
				l.Left = durationOf(left)
				return l, err
			})
			if errors.Is(err, pgx.ErrNoRows) {
				err = nil
			}
			return err
		})
		after(&b)
		err := db.pool.SendBatch(ctx, &b).Close()
		if err == nil && l.Epoch == 0 {
			err = fmt.Errorf("postgres: lease %q: %w", name, memory.ErrNotFound)
		}
		return err
	})
	if err != nil {
		return Lease{}, db.final(err)
	}
	return l, nil
}
