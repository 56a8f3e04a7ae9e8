package postgres

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/jackc/pgx/v5"
)

const (
	lastSeqSQL  = `SELECT coalesce((SELECT seq FROM {s}.beings WHERE being = $1), 0)`
	raiseSeqSQL = `UPDATE {s}.beings SET seq = greatest(seq, $2) WHERE being = $1`
)

// LastSeq implements [memory.Restorer].
func (db *DB) LastSeq(ctx context.Context) (uint64, error) {
	last, err := read(ctx, db, func(rows pgx.Rows) (last int64, err error) {
		err = rows.Scan(&last)
		return last, err
	}, within(db.o.Schema, lastSeqSQL), db.o.Being)
	if err != nil {
		return 0, err
	}
	return uint64(last[0]), nil
}

// Restore implements [memory.Restorer]. See [DB.Put] for failures.
func (db *DB) Restore(ctx context.Context, last uint64, recs ...memory.Record) error {
	if db.closed.Load() {
		return ErrClosed
	}
	statements := []statement{{within(db.o.Schema, raiseSeqSQL), []any{db.o.Being, int64(last)}}}
	restore := within(db.o.Schema, restoreSQL())
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
		if recs[i].Seq == 0 || recs[i].Seq > last || last > math.MaxInt64 {
			return fmt.Errorf("postgres: restore record %q with Seq %d of %d: %w", recs[i].ID, recs[i].Seq, last, memory.ErrInvalid)
		}
		statements = append(statements, statement{restore, db.values(&recs[i], int64(recs[i].Seq))})
	}
	return db.write(ctx, false, 0, statements)
}

// restoreSQL returns putSQL with a given seq.
func restoreSQL() string {
	return strings.NewReplacer("(SELECT seq FROM {s}.beings WHERE being = $1) - $2", "$2", "SET space", "SET seq = excluded.seq, space").Replace(putSQL)
}
