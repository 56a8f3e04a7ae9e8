package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hearth-bot/hearth/memory/internal/storage"
)

// A stateRow is a row of the state.
type stateRow struct{ key, value []byte }

// Load implements [memory.State].
func (db *DB) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := read(ctx, db, func(rows pgx.Rows) (r stateRow, err error) {
		err = rows.Scan(&r.key, &r.value)
		return r, err
	}, db.q.load, db.o.Being, []byte(prefix), storage.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(rows))
	for _, r := range rows {
		out[string(r.key)] = r.value
	}
	return out, nil
}

// Apply implements [memory.State].
func (db *DB) Apply(ctx context.Context, rows map[string][]byte) error {
	return db.PutApply(ctx, rows)
}

// applyStatements appends the statements that write the rows.
func (db *DB) applyStatements(to []statement, rows map[string][]byte) []statement {
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if v := rows[k]; v == nil {
			to = append(to, statement{db.q.unset, []any{db.o.Being, []byte(k)}})
		} else {
			to = append(to, statement{db.q.set, []any{db.o.Being, []byte(k), v}})
		}
	}
	return to
}
