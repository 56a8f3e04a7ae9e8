package sqlite

import (
	"context"
	"database/sql"
)

const (
	setSQL   = `INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
	unsetSQL = `DELETE FROM state WHERE key = ?`
	loadSQL  = `SELECT key, value FROM state WHERE key >= ?1 AND (?2 IS NULL OR key < ?2)` // bytes, not patterns
)

// Load implements [memory.State].
func (db *DB) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := db.r.QueryContext(ctx, loadSQL, []byte(prefix), after(prefix))
	if err != nil {
		return nil, db.known(err)
	}
	defer rows.Close()
	out := map[string][]byte{}
	for rows.Next() {
		var key, value sql.RawBytes
		if err := rows.Scan(&key, &value); err != nil {
			return nil, db.known(err)
		}
		out[string(key)] = append([]byte{}, value...)
	}
	return out, db.known(rows.Err())
}

// after is the first key that no longer begins with prefix; nil: there is none.
func after(prefix string) []byte {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
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
