package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A writer numbers the writes of a DB. Each write stores its number in its own transaction, so that the next connection can
// see whether it was committed.
type writer struct {
	id    [16]byte
	token chan struct{} // held during a write; waiting for it can be cancelled
	last  int64         // number of the last write; guarded by token
	doubt atomic.Bool   // the outcome of the last write is unclear
}

// batchSize is the number of statements that are sent at once.
const batchSize = 256

// A statement is part of a write.
type statement struct {
	sql  string
	args []any
}

// write runs statements in one transaction. It reserves seqs numbers for new records. ctx can cancel it until the COMMIT is
// sent, and then it has no effect. A lost connection is repeated. After the COMMIT it finds out whether that had an effect,
// and returns [ErrUnclear] if it cannot. With async it does not wait for the disk.
func (db *DB) write(ctx context.Context, async bool, seqs int, statements []statement) error {
	if db.closed.Load() {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.noteFailure(ctx, db.final(db.writeLocked(ctx, async, seqs, statements)))
}

func (db *DB) writeLocked(ctx context.Context, async bool, seqs int, statements []statement) error {
	release, err := db.exclusive(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := db.settleDoubtLocked(ctx); err != nil {
		return err
	}
	again := func(err error) bool { return isLost(err) && !errors.Is(err, ErrUnclear) }
	return db.retry(ctx, again, func(limited context.Context) error {
		return db.attempt(ctx, limited, async, seqs, statements)
	})
}

// exclusive waits for the other writes of this DB.
func (c *core) exclusive(ctx context.Context) (release func(), err error) {
	caller := ctx
	ctx, cancel := c.limit(ctx)
	defer cancel()
	select {
	case c.writer.token <- struct{}{}:
		return func() { <-c.writer.token }, nil
	case <-ctx.Done():
		return nil, blame(caller, ctx, ctx.Err())
	}
}

// errAgain means that the COMMIT surely had no effect.
var errAgain = fmt.Errorf("postgres: the commit was lost: %w", pgconn.ErrConnClosed)

// attempt runs the transaction once.
func (db *DB) attempt(caller, ctx context.Context, async bool, seqs int, statements []statement) error {
	c, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	db.writer.last++
	if err = db.send(ctx, c, async, seqs, statements); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		abort(ctx, c)
		return err
	}
	unhurried := context.WithoutCancel(caller) // from here on the outcome matters more than the time
	if err := db.commit(unhurried, c); err == nil || isRejected(err) {
		return err
	} else {
		return db.settleCommit(unhurried, c, err)
	}
}

// send sends everything except the COMMIT.
func (db *DB) send(ctx context.Context, c *pgxpool.Conn, async bool, seqs int, statements []statement) error {
	var b pgx.Batch
	b.Queue("begin")
	db.settings(&b, async)
	if db.fence != nil {
		b.Queue(db.q.fence, db.o.Being, db.fence.Lease, db.fence.Epoch).QueryRow(isHeld)
	}
	b.Queue(db.q.lock, db.o.Being, seqs, db.writer.id, db.writer.last)
	for {
		n := min(batchSize, len(statements))
		for _, s := range statements[:n] {
			b.Queue(s.sql, s.args...)
		}
		if err := c.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		if statements = statements[n:]; len(statements) == 0 {
			return nil
		}
		b = pgx.Batch{}
	}
}

func (db *DB) commit(ctx context.Context, c *pgxpool.Conn) error {
	ctx, cancel := db.limit(ctx)
	defer cancel()
	tag, err := c.Exec(ctx, "commit")
	if err == nil && tag.String() == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return err
}

// abort ends the transaction. If that fails, the pool closes the connection, and the server rolls back.
func abort(ctx context.Context, c *pgxpool.Conn) {
	if !c.Conn().IsClosed() && c.Conn().PgConn().TxStatus() != 'I' {
		c.Exec(ctx, "rollback")
	}
}

// settleCommit finds out whether a COMMIT without an answer had an effect. If it had none, the error allows a repetition.
func (db *DB) settleCommit(ctx context.Context, c *pgxpool.Conn, lost error) error {
	closing, cancel := context.WithTimeout(ctx, time.Millisecond)
	c.Conn().Close(closing) // the pool must not use it again
	cancel()
	committed, err := db.settle(ctx)
	switch {
	case err != nil:
		db.writer.doubt.Store(true)
		return fmt.Errorf("%w: %w; then: %w", ErrUnclear, lost, err)
	case committed:
		return nil
	}
	return errAgain
}

// settle waits until the last write is decided, and reports whether it was committed. It waits for the lock that the write
// holds. A transaction that lost its client ends by itself: the server sees the closed connection, or
// idle_in_transaction_session_timeout ends it.
func (db *DB) settle(ctx context.Context) (committed bool, err error) {
	err = db.retry(ctx, isLost, func(ctx context.Context) error {
		return db.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			defer abort(ctx, c)
			var write int64
			var b pgx.Batch
			b.Queue("begin")
			db.settings(&b, false)
			b.Queue(db.q.touch, db.o.Being)
			b.Queue(db.q.lastWrite, db.o.Being, db.writer.id).QueryRow(func(row pgx.Row) error {
				if err := row.Scan(&write); !errors.Is(err, pgx.ErrNoRows) {
					return err
				}
				return nil
			})
			b.Queue(db.q.forgetWriters, db.o.Being, db.writer.id)
			if err := c.SendBatch(ctx, &b).Close(); err != nil {
				return err
			}
			committed = write == db.writer.last && write > 0
			_, err := c.Exec(ctx, "commit") // it changes nothing that matters
			return err
		})
	})
	return committed, err
}

// settleDoubt waits until a write with an unclear outcome is decided.
func (db *DB) settleDoubt(ctx context.Context) error {
	if !db.writer.doubt.Load() {
		return nil
	}
	release, err := db.exclusive(ctx)
	if err != nil {
		return err
	}
	defer release()
	return db.settleDoubtLocked(ctx)
}

func (db *DB) settleDoubtLocked(ctx context.Context) error {
	if !db.writer.doubt.Load() {
		return nil
	}
	_, err := db.settle(ctx)
	if err == nil {
		db.writer.doubt.Store(false)
	}
	return err
}
