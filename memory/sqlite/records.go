package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/storage"
)

const (
	putSQL = `INSERT INTO records (home, id, space, kind, text, person, name, reply_to, own, tags, importance, at, sources, label, vector, embedder)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (home, id) DO UPDATE SET space = excluded.space, kind = excluded.kind, text = excluded.text, person = excluded.person,
		name = excluded.name, reply_to = excluded.reply_to, own = excluded.own, tags = excluded.tags, importance = excluded.importance,
		at = excluded.at, sources = excluded.sources, label = excluded.label, vector = excluded.vector, embedder = excluded.embedder`
	deleteSQL       = `DELETE FROM records WHERE home = ? AND id = ? AND space = ?`
	byIDClause      = ` FROM json_each(?) AS j CROSS JOIN records AS r ON r.home = ? AND r.id = j.value WHERE r.space = ?` // CROSS: look up the IDs first
	getSQL          = `SELECT ` + rowColumns + `, r.vector` + byIDClause
	getNoVectorsSQL = `SELECT ` + rowColumns + `, NULL` + byIDClause
	scanSQL         = `SELECT ` + rowColumns + `, r.vector FROM records AS r WHERE r.space = ? AND r.seq > ? ORDER BY r.seq LIMIT ?`
	tailSQL         = `SELECT ` + rowColumns + `, r.vector FROM records AS r WHERE r.space = ? AND r.kind = ? ORDER BY r.seq DESC LIMIT ?`

	derivedSQL = `SELECT r.id FROM records AS r WHERE r.space = ? AND r.sources <> ''
		AND EXISTS (SELECT 1 FROM json_each(r.sources) AS s WHERE s.value IN (SELECT value FROM json_each(?))) ORDER BY r.seq`

	authorsSQL = `SELECT space, person, name, sum(kind = 'message'), sum(kind <> 'message'),
		min(at) FILTER (WHERE kind = 'message'), max(at) FILTER (WHERE kind = 'message'), min(at) FILTER (WHERE kind <> 'message'), max(at) FILTER (WHERE kind <> 'message')
		FROM records WHERE person <> '' AND NOT own GROUP BY space, person, name`

	// jumps from space to space by the index, without reading the rows between
	spacesSQL = `WITH RECURSIVE s (name) AS (
		SELECT min(space) FROM records UNION ALL
		SELECT (SELECT min(space) FROM records WHERE space > s.name) FROM s WHERE s.name IS NOT NULL
	) SELECT name FROM s WHERE name IS NOT NULL`
)

// Put implements [memory.Store].
func (db *DB) Put(ctx context.Context, recs ...memory.Record) error {
	return db.PutApply(ctx, nil, recs...)
}

// PutApply implements [memory.Transactor].
func (db *DB) PutApply(ctx context.Context, rows map[string][]byte, recs ...memory.Record) error {
	if db.closed.Load() {
		return ErrClosed
	}
	full := db.o.SyncMessages || len(rows) > 0
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
		full = full || recs[i].Kind != memory.KindMessage || recs[i].Space.IsSecret()
	}
	for k := range rows {
		if err := memory.ValidateKey(k); err != nil {
			return err
		}
	}
	if len(recs) == 0 && len(rows) == 0 {
		return ctx.Err()
	}
	return db.withSentinel(db.writer.transact(ctx, full, func(inner context.Context) error {
		if err := db.writer.apply(inner, rows); err != nil {
			return err
		}
		for i := range recs {
			if _, err := db.writer.put.ExecContext(inner, values(&recs[i])...); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// values returns the parameters of putSQL.
func values(r *memory.Record) []any {
	var at sql.NullInt64
	if !r.At.IsZero() {
		at = sql.NullInt64{Int64: r.At.UnixNano(), Valid: true}
	}
	return []any{string(r.Space.Base()), r.ID, string(r.Space), r.Kind, r.Text, r.Person, r.Name, r.ReplyTo, r.Own, encodeList(r.Tags),
		r.Importance, at, encodeList(r.Sources), r.Label.String(), storage.EncodeVector(r.Vector), r.Embedder}
}

// Delete implements [memory.Store].
func (db *DB) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if db.closed.Load() {
		return ErrClosed
	}
	if len(ids) == 0 {
		return ctx.Err()
	}
	return db.withSentinel(db.writer.transact(ctx, true, func(inner context.Context) error {
		for _, id := range ids {
			if _, err := db.writer.del.ExecContext(inner, string(s.Base()), id, string(s)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Get implements [memory.Store].
func (db *DB) Get(ctx context.Context, s memory.Space, ids ...string) ([]memory.Record, error) {
	return db.getRecords(ctx, db.get, s, ids)
}

// GetWithoutVectors implements [memory.VectorlessGetter].
func (db *DB) GetWithoutVectors(ctx context.Context, s memory.Space, ids ...string) ([]memory.Record, error) {
	return db.getRecords(ctx, db.getNoVectors, s, ids)
}

// getRecords returns the records with these IDs, in their order.
func (db *DB) getRecords(ctx context.Context, stmt *sql.Stmt, s memory.Space, ids []string) ([]memory.Record, error) {
	if len(ids) == 0 {
		return nil, ctx.Err()
	}
	found, err := db.query(ctx, stmt, s, len(ids), encodeList(ids), string(s.Base()), string(s))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if slices.EqualFunc(found, ids, func(r memory.Record, id string) bool { return r.ID == id }) { // the usual case
		return found, nil
	}
	by := make(map[string]*memory.Record, len(found))
	for i := range found {
		by[found[i].ID] = &found[i]
	}
	recs := make([]memory.Record, 0, len(found))
	for _, id := range ids {
		if r := by[id]; r != nil { // JSON has changed an ID that is not UTF-8
			recs = append(recs, r.Clone())
		}
	}
	return recs, nil
}

// pageSize is the number of records that a scan reads at once.
const pageSize = 256

// Scan implements [memory.Store].
func (db *DB) Scan(ctx context.Context, s memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	return storage.Scan(after, pageSize, func(after int64) ([]memory.Record, error) {
		return db.query(ctx, db.scan, s, pageSize, string(s), after, pageSize)
	})
}

// Tail implements [memory.Tailer].
func (db *DB) Tail(ctx context.Context, s memory.Space, kind string, n int) ([]memory.Record, error) {
	n = max(n, 0)
	recs, err := db.query(ctx, db.tail, s, n, string(s), kind, n)
	slices.Reverse(recs)
	return recs, err
}

// Spaces implements [memory.Store].
func (db *DB) Spaces(ctx context.Context) ([]memory.Space, error) {
	return column[memory.Space](ctx, db, spacesSQL)
}

// FindDerived implements [memory.DerivedFinder].
func (db *DB) FindDerived(ctx context.Context, s memory.Space, sources ...string) ([]string, error) {
	ask := slices.DeleteFunc(slices.Clone(sources), func(id string) bool { return !utf8.ValidString(id) }) // JSON would change them
	if len(ask) == 0 {
		return nil, ctx.Err()
	}
	return column[string](ctx, db, derivedSQL, string(s), encodeList(ask))
}

// CountAuthors implements [memory.AuthorCounter].
func (db *DB) CountAuthors(ctx context.Context) (all []memory.AuthorEntry, err error) {
	rows, err := db.readers.QueryContext(ctx, authorsSQL)
	if err != nil {
		return nil, db.withSentinel(err)
	}
	defer rows.Close()
	for rows.Next() {
		var a memory.AuthorEntry
		var firstMessage, lastMessage, firstOther, lastOther sql.NullInt64
		if err := rows.Scan(&a.Space, &a.Person, &a.Name, &a.Messages, &a.Others, &firstMessage, &lastMessage, &firstOther, &lastOther); err != nil {
			return nil, db.withSentinel(err)
		}
		if a.Messages > 0 {
			firstOther, lastOther = firstMessage, lastMessage
		}
		if firstOther.Valid {
			a.First, a.Last = time.Unix(0, firstOther.Int64), time.Unix(0, lastOther.Int64)
		}
		all = append(all, a)
	}
	return all, db.withSentinel(rows.Err())
}

// column reads the only column of a query.
func column[T ~string](ctx context.Context, db *DB, query string, args ...any) (vs []T, err error) {
	rows, err := db.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.withSentinel(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, db.withSentinel(err)
		}
		vs = append(vs, T(v))
	}
	return vs, db.withSentinel(rows.Err())
}
