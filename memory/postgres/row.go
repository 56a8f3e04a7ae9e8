package postgres

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/storage"
	"github.com/jackc/pgx/v5"
)

// scanRecord reads a row of a record of the space.
func scanRecord(s memory.Space) func(pgx.Rows) (memory.Record, error) {
	return func(rows pgx.Rows) (memory.Record, error) {
		r := memory.Record{Space: s}
		var seq int64
		var at *int64
		var label string
		var vector []byte
		err := rows.Scan(&seq, &r.ID, &r.Kind, &r.Text, &r.Person, &r.Name, &r.ReplyTo, &r.Own, &r.Tags, &r.Importance, &at, &r.Sources, &label, &r.Embedder, &vector)
		if err != nil {
			return r, err
		}
		r.Seq, r.Tags, r.Sources, r.Vector = uint64(seq), unlist(r.Tags), unlist(r.Sources), storage.DecodeVector(vector)
		if at != nil {
			r.At = time.Unix(0, *at).UTC()
		}
		if err := r.Label.UnmarshalText([]byte(label)); err != nil {
			return r, fmt.Errorf("postgres: record %q in %q: %w", r.ID, string(s), err)
		}
		return r, nil
	}
}

// list returns an array for PostgreSQL; nil would be NULL.
func list(ss []string) []string {
	if ss == nil {
		return []string{}
	}
	return ss
}

func unlist(ss []string) []string {
	if len(ss) == 0 {
		return nil
	}
	return ss
}
