package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A step is a statement of a relay. scan, if not nil, reads each of its rows.
type step struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
}

// relayExec runs steps in one transaction and one round trip, and then announces a hint. The steps must be idempotent, because they
// are repeated if the connection is lost.
func (db *DB) relayExec(ctx context.Context, announce hint, steps ...step) error {
	return db.final(db.retry(ctx, isLost, func(ctx context.Context) error { return db.relayOnce(ctx, announce, steps...) }))
}

// relayOnce is relayExec without repetition.
func (db *DB) relayOnce(ctx context.Context, announce hint, steps ...step) error {
	var b pgx.Batch
	db.settings(&b, false)
	db.queueSteps(&b, announce, steps)
	return db.pool.SendBatch(ctx, &b).Close()
}

func (db *DB) queueSteps(b *pgx.Batch, announce hint, steps []step) {
	for _, s := range steps {
		q := b.Queue(within(db.o.Schema, s.sql), s.args...)
		if s.scan == nil {
			continue
		}
		q.Query(func(rows pgx.Rows) error {
			defer rows.Close()
			for rows.Next() {
				if err := s.scan(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	}
	if announce.channel != "" {
		b.Queue(notifySQL, announce.channel, announce.payload)
	}
}
