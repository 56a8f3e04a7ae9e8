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

// A Sleeper is a being that no process acts for, because it has nothing to do. The row of a sleeper is all that remains of its bot.
type Sleeper struct {
	Being string
	Left  time.Duration // time until it must be woken, when the database answered; 0: now
}

// A Waker says which processes wake a sleeper.
type Waker struct {
	Group   string // being of the processes that wake it; they find it by [DB.Sleepers]
	Channel string // of NOTIFY, for the payload "free " and the name of the being when it must be woken early; "" for none
}

// An AsleepError is returned by [DB.ClaimAwake].
type AsleepError struct{ Sleeper Sleeper }

// Error names the being.
func (e *AsleepError) Error() string {
	return fmt.Sprintf("postgres: %q sleeps for another %v", e.Sleeper.Being, e.Sleeper.Left.Round(time.Millisecond))
}

const (
	// an event of a [Relay] that is being published is either seen by the sleeping bot, or sees that the bot sleeps
	waitPublishedSQL = `SELECT pg_advisory_xact_lock($1, hashtext($2))`
	hasInboxSQL      = `SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'inbox')`
	inboxWaitsSQL    = `SELECT EXISTS (SELECT 1 FROM {s}.inbox WHERE being = $1)`
	sleepSQL         = `INSERT INTO {s}.sleepers (being, grp, channel, wake_at) VALUES ($1, $2, $3, clock_timestamp() + $4)
		ON CONFLICT (being) DO UPDATE SET grp = excluded.grp, channel = excluded.channel, wake_at = excluded.wake_at`
	sleepersSQL = `SELECT being, greatest(wake_at, clock_timestamp()) - clock_timestamp() FROM {s}.sleepers WHERE grp = $1`
	sleeperSQL  = `SELECT greatest(wake_at, clock_timestamp()) - clock_timestamp() FROM {s}.sleepers WHERE being = $1`

	lockLeaseSQL  = `SELECT FROM {s}.leases WHERE being = $1 AND name = '' FOR UPDATE`
	claimAwakeSQL = `INSERT INTO {s}.leases AS l (being, name, owner, epoch, until)
		SELECT $1, $2, $3, 1, clock_timestamp() + $4 WHERE NOT EXISTS (SELECT FROM {s}.sleepers WHERE being = $1 AND wake_at > clock_timestamp())
		ON CONFLICT (being, name) DO UPDATE SET owner = excluded.owner, epoch = l.epoch + 1, until = clock_timestamp() + $4
		WHERE l.until < clock_timestamp() RETURNING owner, epoch, until - clock_timestamp()`
	wokenSQL = `DELETE FROM {s}.sleepers WHERE being = $1 AND EXISTS (SELECT FROM {s}.leases WHERE being = $1 AND name = '' AND until > clock_timestamp())`
)

// sleepClass is the first key of the advisory locks of beings that fall asleep: "hrsl". Migrations have it as 1752331116.
const sleepClass = 0x6872736c

// longest limits a sleep, so that a time is never infinite.
const longest = 100 * 365 * 24 * time.Hour

// Sleep ends the lease of the whole being and notes that it sleeps for d, in one transaction. It returns how long the being may
// sleep: 0 if an event of a [Relay] waits for it. A [Relay] wakes it for each event, and when its account connects. If somebody else
// has claimed the being, the error is [ErrFenced]. Like [DB.Claim] it is not repeated after a lost connection.
func (db *DB) Sleep(ctx context.Context, f Fence, by Waker, d time.Duration) (left time.Duration, err error) {
	if f.Lease != "" || memory.ValidateKey(by.Group) != nil || !isAddress(by.Channel) {
		return 0, fmt.Errorf("postgres: sleep under lease %q in the group %q: %w", f.Lease, by.Group, memory.ErrInvalid)
	}
	never := func(error) bool { return false }
	err = db.retry(ctx, never, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
			left, err = db.sleep(ctx, tx, f, by, min(max(d, 0), longest))
			return err
		})
	})
	return left, db.final(err)
}

func (db *DB) sleep(ctx context.Context, tx pgx.Tx, f Fence, by Waker, d time.Duration) (time.Duration, error) {
	var b pgx.Batch
	db.settings(&b, false)
	ended := false
	b.Queue(db.q.release, db.o.Being, f.Lease, f.Epoch).Query(func(rows pgx.Rows) error {
		ended = rows.Next()
		rows.Close()
		return rows.Err()
	})
	b.Queue(waitPublishedSQL, sleepClass, db.o.Schema+"."+db.o.Being)
	relayed := false
	b.Queue(hasInboxSQL, db.o.Schema).QueryRow(func(row pgx.Row) error { return row.Scan(&relayed) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return 0, err
	}
	if !ended {
		return 0, ErrFenced
	}
	waits := false
	if relayed {
		if err := tx.QueryRow(ctx, within(db.o.Schema, inboxWaitsSQL), db.o.Being).Scan(&waits); err != nil {
			return 0, err
		}
	}
	if waits {
		d = 0
	}
	_, err := tx.Exec(ctx, within(db.o.Schema, sleepSQL), db.o.Being, by.Group, by.Channel, d)
	if err == nil && d == 0 && by.Channel != "" {
		_, err = tx.Exec(ctx, notifySQL, by.Channel, wakePrefix+db.o.Being)
	}
	return d, err
}

// wakePrefix begins the payload of a notification for a sleeper. Migrations have it, too.
const wakePrefix = "free "

// Sleepers returns the beings that sleep in the group of this being.
func (db *DB) Sleepers(ctx context.Context) ([]Sleeper, error) {
	return read(ctx, db, func(rows pgx.Rows) (s Sleeper, err error) {
		var left pgtype.Interval
		err = rows.Scan(&s.Being, &left)
		s.Left = durationOf(left)
		return s, err
	}, within(db.o.Schema, sleepersSQL), db.o.Being)
}

// ClaimAwake is [DB.Claim] for the whole being, but leaves it alone if it sleeps. Then the error is an [AsleepError]. Claim wakes it.
func (db *DB) ClaimAwake(ctx context.Context, owner string, valid time.Duration) (Lease, error) {
	l, err := db.claim(ctx, "", owner, valid, within(db.o.Schema, claimAwakeSQL))
	var held *HeldError
	if !errors.As(err, &held) || held.Lease.Left > 0 {
		return l, err
	}
	asleep, err := read(ctx, db, func(rows pgx.Rows) (d time.Duration, err error) {
		var left pgtype.Interval
		err = rows.Scan(&left)
		return durationOf(left), err
	}, within(db.o.Schema, sleeperSQL), db.o.Being)
	if err == nil && len(asleep) == 1 {
		return Lease{}, &AsleepError{Sleeper{db.o.Being, asleep[0]}}
	}
	if err == nil {
		err = held // it has changed meanwhile
	}
	return Lease{}, err
}
