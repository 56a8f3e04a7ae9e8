package sqlite

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hearth-bot/hearth/memory"
)

const (
	lastSeqSQL  = `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'records'`
	raiseSeqSQL = `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'records'`
	startSeqSQL = `INSERT INTO sqlite_sequence (name, seq) SELECT 'records', ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'records')`
)

// LastSeq implements [memory.Restorer].
func (db *DB) LastSeq(ctx context.Context) (last uint64, err error) {
	err = db.readers.QueryRowContext(ctx, lastSeqSQL).Scan(&last)
	return last, db.withSentinel(err)
}

// Restore implements [memory.Restorer].
func (db *DB) Restore(ctx context.Context, last uint64, recs ...memory.Record) error {
	if db.closed.Load() {
		return ErrClosed
	}
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
		if recs[i].Seq == 0 || recs[i].Seq > last || last > math.MaxInt64 {
			return fmt.Errorf("sqlite: restore record %q with Seq %d of %d: %w", recs[i].ID, recs[i].Seq, last, memory.ErrInvalid)
		}
	}
	return db.withSentinel(db.writer.transact(ctx, true, func(inner context.Context) error {
		for _, text := range [...]string{raiseSeqSQL, startSeqSQL} {
			if _, err := db.writer.c.ExecContext(inner, text, int64(last)); err != nil {
				return err
			}
		}
		restore, err := db.writer.c.PrepareContext(inner, restoreSQL())
		if err != nil {
			return err
		}
		defer restore.Close()
		for i := range recs {
			if _, err := restore.ExecContext(inner, append([]any{int64(recs[i].Seq)}, values(&recs[i])...)...); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// restoreSQL returns putSQL with a given seq.
func restoreSQL() string {
	return strings.NewReplacer("records (home,", "records (seq, home,", "VALUES (?,", "VALUES (?, ?,", "SET space", "SET seq = excluded.seq, space").Replace(putSQL)
}
