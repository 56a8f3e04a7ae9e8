package postgres

import (
	"context"
	"iter"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/storage"
)

// Put implements [memory.Store].
//
// All writes share the following rules. ctx can cancel a write until its COMMIT is sent; then it has no effect. If the connection
// is lost before, the write is repeated. If it is lost after that, the DB connects again and looks whether the transaction was
// committed. Only if it cannot do so within Options.Timeout, the error is [ErrUnclear]. You may repeat the call then, because
// all writes are idempotent. The next call of any kind first waits until the outcome is final, so that what it reads stays true.
func (db *DB) Put(ctx context.Context, recs ...memory.Record) error {
	return db.PutApply(ctx, nil, recs...)
}

// PutApply implements [memory.Transactor].
func (db *DB) PutApply(ctx context.Context, rows map[string][]byte, recs ...memory.Record) error {
	if db.closed.Load() {
		return ErrClosed
	}
	async := db.o.AsyncMessages && len(rows) == 0
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
		async = async && recs[i].Kind == memory.KindMessage && !recs[i].Space.IsSecret()
	}
	for k := range rows {
		if err := memory.ValidateKey(k); err != nil {
			return err
		}
	}
	if len(recs) == 0 && len(rows) == 0 {
		return ctx.Err()
	}
	statements := make([]statement, 0, len(rows)+len(recs))
	statements = db.applyStatements(statements, rows)
	for i := range recs {
		statements = append(statements, db.putStatement(&recs[i], len(recs)-1-i))
	}
	take, event := db.takeEvent(ctx, recs)
	if event == nil {
		return db.write(ctx, async, len(recs), statements)
	}
	err := db.write(ctx, async, len(recs), append(statements, take))
	if err == nil {
		event.noteDeleted()
	}
	return err
}

// putStatement stores a record. fromEnd is the number of records after it in the call, for its seq.
func (db *DB) putStatement(r *memory.Record, fromEnd int) statement {
	return statement{db.q.put, db.values(r, fromEnd)}
}

// values returns the parameters of a statement that stores a record.
func (db *DB) values(r *memory.Record, seq any) []any {
	return []any{
		db.o.Being, seq, string(r.Space.Base()), r.ID, string(r.Space), r.Kind, r.Text, r.Person, r.Name, r.ReplyTo, r.Own,
		list(r.Tags), r.Importance, nanos(r.At), list(r.Sources), r.Label.String(), storage.EncodeVector(r.Vector), r.Embedder,
	}
}

// Delete implements [memory.Store].
func (db *DB) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if db.closed.Load() {
		return ErrClosed
	}
	if ids = valid(ids); len(ids) == 0 || s.Validate() != nil {
		return ctx.Err()
	}
	return db.write(ctx, false, 0, []statement{{db.q.del, []any{db.o.Being, string(s.Base()), ids, string(s)}}})
}

// Get implements [memory.Store].
func (db *DB) Get(ctx context.Context, s memory.Space, ids ...string) ([]memory.Record, error) {
	return db.getRecords(ctx, db.q.get, s, ids)
}

// GetWithoutVectors implements [memory.VectorlessGetter].
func (db *DB) GetWithoutVectors(ctx context.Context, s memory.Space, ids ...string) ([]memory.Record, error) {
	return db.getRecords(ctx, db.q.getNoVectors, s, ids)
}

// getRecords returns the records with these IDs, in their order.
func (db *DB) getRecords(ctx context.Context, query string, s memory.Space, ids []string) ([]memory.Record, error) {
	ask := valid(ids)
	if len(ask) == 0 || s.Validate() != nil {
		return nil, ctx.Err()
	}
	found, err := read(ctx, db, scanRecord(s), query, db.o.Being, string(s.Base()), ask, string(s))
	if err != nil {
		return nil, err
	}
	by := make(map[string]*memory.Record, len(found))
	for i := range found {
		by[found[i].ID] = &found[i]
	}
	recs := make([]memory.Record, 0, len(found))
	for _, id := range ids {
		if r := by[id]; r != nil {
			recs = append(recs, r.Clone())
		}
	}
	return recs, nil
}

// pageSize is the number of records that a scan reads at once.
const pageSize = 256

// Scan implements [memory.Store].
func (db *DB) Scan(ctx context.Context, s memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	if s.Validate() != nil {
		return func(func(memory.Record, error) bool) {}
	}
	return storage.Scan(after, pageSize, func(after int64) ([]memory.Record, error) {
		return read(ctx, db, scanRecord(s), db.q.scan, db.o.Being, string(s), after, pageSize)
	})
}

// Tail implements [memory.Tailer].
func (db *DB) Tail(ctx context.Context, s memory.Space, kind string, n int) ([]memory.Record, error) {
	if n <= 0 || s.Validate() != nil || !isAddress(kind) {
		return nil, ctx.Err()
	}
	recs, err := read(ctx, db, scanRecord(s), db.q.tail, db.o.Being, string(s), kind, n)
	slices.Reverse(recs)
	return recs, err
}

// Spaces implements [memory.Store].
func (db *DB) Spaces(ctx context.Context) ([]memory.Space, error) {
	return read(ctx, db, scanText[memory.Space], db.q.spaces, db.o.Being)
}

// FindDerived implements [memory.DerivedFinder].
func (db *DB) FindDerived(ctx context.Context, s memory.Space, sources ...string) ([]string, error) {
	ask := valid(sources)
	if len(ask) == 0 || s.Validate() != nil {
		return nil, ctx.Err()
	}
	return read(ctx, db, scanText[string], db.q.derived, db.o.Being, string(s), ask)
}

// valid returns the IDs that a record can have. PostgreSQL rejects a statement with any other.
func valid(ids []string) []string {
	if !slices.ContainsFunc(ids, func(id string) bool { return !isID(id) }) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isID(id) })
}

func isID(id string) bool { return memory.ValidateKey(id) == nil }

func isAddress(s string) bool { return s == "" || isID(s) }
