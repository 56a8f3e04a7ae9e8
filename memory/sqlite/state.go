package sqlite

import (
	"context"
	"database/sql"

	"github.com/hearth-bot/hearth/memory/internal/storage"
)

const (
	setSQL   = `INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
	unsetSQL = `DELETE FROM state WHERE key = ?`
	loadSQL  = `SELECT key, value FROM state WHERE key >= ?1 AND (?2 IS NULL OR key < ?2)` // compares bytes, without patterns
)

// Load implements [memory.State].
func (db *DB) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := db.readers.QueryContext(ctx, loadSQL, []byte(prefix), storage.PrefixEnd(prefix))
	if err != nil {
		return nil, db.withSentinel(err)
	}
	defer rows.Close()
	out := map[string][]byte{}
	for rows.Next() {
		var key, value sql.RawBytes
		if err := rows.Scan(&key, &value); err != nil {
			return nil, db.withSentinel(err)
		}
		out[string(key)] = append([]byte{}, value...)
	}
	return out, db.withSentinel(rows.Err())
}

// Apply implements [memory.State].
func (db *DB) Apply(ctx context.Context, rows map[string][]byte) error {
	return db.PutApply(ctx, rows)
}

// apply writes rows within a transaction.
func (w *writer) apply(ctx context.Context, rows map[string][]byte) error {
	for k, v := range rows {
		var err error
		if v == nil {
			_, err = w.unset.ExecContext(ctx, []byte(k))
		} else {
			_, err = w.set.ExecContext(ctx, []byte(k), v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
