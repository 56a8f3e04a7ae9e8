package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// read runs a query and scans its rows. It is repeated if the connection is lost. It first waits for a write with an
// unclear outcome.
func read[T any](ctx context.Context, db *DB, scan func(pgx.Rows) (T, error), query string, args ...any) ([]T, error) {
	return readAfter(ctx, db, "", scan, query, args...)
}

// readAfter runs another statement before the query, in the same transaction.
func readAfter[T any](ctx context.Context, db *DB, before string, scan func(pgx.Rows) (T, error), query string, args ...any) (out []T, err error) {
	if err := db.settleDoubt(ctx); err != nil {
		return nil, db.noteFailure(ctx, db.final(err))
	}
	err = db.retry(ctx, isLost, func(ctx context.Context) error {
		out = nil
		var b pgx.Batch
		db.settings(&b, false)
		if before != "" {
			b.Queue(before)
		}
		ahead := b.Len()
		b.Queue(query, args...)
		results := db.pool.SendBatch(ctx, &b) // one implicit transaction
		defer results.Close()
		for range ahead {
			if _, err := results.Exec(); err != nil {
				return err
			}
		}
		rows, err := results.Query()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			v, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, v)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, db.noteFailure(ctx, db.final(err))
	}
	return out, nil
}

// scanText reads the only column of a row.
func scanText[T ~string](rows pgx.Rows) (T, error) {
	var v string
	err := rows.Scan(&v)
	return T(v), err
}
