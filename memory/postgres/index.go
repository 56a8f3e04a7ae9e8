package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/storage"
	"github.com/jackc/pgx/v5"
)

// An Index is a [memory.Index] of vectors in the database, with the extension pgvector. Use it if the vectors of a bot should not lie
// in the memory of each process. memory/flat is much faster, and an Index needs no loading: vectors that are stored already are not
// written again at the next start.
//
// Without [IndexOptions].HNSW a search compares all vectors of the space. The rank of vectors with nearly equal cosines may differ
// from memory/flat, because pgvector adds up float32.
//
// All methods may be called concurrently.
type Index struct {
	db                        *DB
	put, remove, del, known   string
	exact, approximate, tuned string
	hnsw                      int
}

var _ memory.Index = (*Index)(nil)

// IndexOptions configures an Index. The zero value searches exactly.
type IndexOptions struct {
	// HNSW is the number of dimensions of the embedder, at most 2000. OpenIndex then builds an approximate index over the vectors of
	// all beings, and PostgreSQL uses it for large spaces. It makes each write slower, and a search may miss records, the more so of
	// many with equal vectors. 0 means none.
	HNSW int

	// EfSearch is the number of candidates of HNSW; more find better and take longer. 0 means 100; at most 1000.
	EfSearch int
}

// Limits of pgvector.
const (
	maxDims        = 16000
	maxHNSWDims    = 2000
	maxEfSearch    = 1000
	defaultEf      = 100
	vectorsPerRead = 1000
)

// OpenIndex opens the vectors of db's being, and creates the table and the index if they are missing. It deletes the vectors of records
// that db no longer has. If pgvector is missing, the error matches [ErrNoExtension]. Close only db.
func OpenIndex(ctx context.Context, db *DB, o IndexOptions) (*Index, error) {
	if o.HNSW < 0 || o.HNSW > maxHNSWDims || o.EfSearch < 0 || o.EfSearch > maxEfSearch {
		return nil, fmt.Errorf("postgres: open index: IndexOptions %+v: at most %d dimensions and %d candidates", o, maxHNSWDims, maxEfSearch)
	}
	x, err := openIndex(ctx, db, o)
	if err != nil {
		return nil, fmt.Errorf("postgres: open index: %w", db.final(err))
	}
	return x, nil
}

func openIndex(ctx context.Context, db *DB, o IndexOptions) (*Index, error) {
	if db.closed.Load() {
		return nil, ErrClosed
	}
	extension, err := db.extension(ctx)
	if err != nil {
		return nil, err
	}
	text := func(statement string) string { return within(db.o.Schema, withExtension(extension, statement)) }
	p := part{vectorPart.name, make([]string, len(vectorPart.migrations))}
	for i, step := range vectorPart.migrations {
		p.migrations[i] = withExtension(extension, step)
	}
	if err := p.migrate(ctx, db.pool, db.o.Schema); err != nil {
		return nil, err
	}
	search := func(query, column, dims string) string {
		query = strings.ReplaceAll(query, "{distance}", distanceSQL)
		return text(strings.NewReplacer("{column}", column, "{dims}", dims).Replace(query))
	}
	x := &Index{db: db, put: text(vectorPutSQL), remove: text(vectorRemoveSQL), del: text(vectorDeleteSQL), known: text(vectorKnownSQL),
		exact: search(exactSQL, "vector", "cardinality($3::real[])"), hnsw: o.HNSW}
	if o.HNSW > 0 {
		dims := strconv.Itoa(o.HNSW)
		x.approximate = search(approximateSQL, "(vector::{v}.vector("+dims+"))", dims)
		ef := o.EfSearch
		if ef == 0 {
			ef = defaultEf
		}
		// pgvector goes on until enough candidates pass the filters; older versions ignore the second setting
		x.tuned = fmt.Sprintf(`SELECT set_config('hnsw.ef_search', '%d', true), set_config('hnsw.iterative_scan', 'strict_order', true)`, ef)
		name := pgx.Identifier{"vectors_hnsw_" + dims}.Sanitize()
		if err := db.createIndex(ctx, text(strings.NewReplacer("{name}", name, "{dims}", dims).Replace(hnswSQL))); err != nil {
			return nil, err
		}
	}
	return x, db.write(ctx, false, 0, []statement{{text(vectorStaleSQL), []any{db.o.Being}}})
}

// createIndex creates an index, one process at a time. Only ctx limits it.
func (db *DB) createIndex(ctx context.Context, create string) error {
	return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		for _, statement := range []string{"SET LOCAL statement_timeout = 0", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d, 1)", lockClass), create} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// Put implements [memory.Index]. One unusable vector rejects the whole call with [memory.ErrVector]. A space may have vectors of several
// lengths; a query finds those of its own length. Records that are stored unchanged are not written again.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	for i := range recs {
		r := &recs[i]
		if err := r.Space.Validate(); err != nil {
			return err
		}
		if !isID(r.ID) || !isAddress(r.Person) || !isAddress(r.Kind) || !onlyAddresses(r.Tags) {
			return fmt.Errorf("postgres: index record %q in %q: %w", r.ID, string(r.Space), memory.ErrInvalid)
		}
		if len(r.Vector) > 0 && !memory.ValidVector(r.Vector) || len(r.Vector) > maxDims {
			return fmt.Errorf("postgres: index record %q with a vector of %d dimensions: %w", r.ID, len(r.Vector), memory.ErrVector)
		}
	}
	for len(recs) > 0 {
		n := min(vectorsPerRead, len(recs))
		if err := x.putSome(ctx, recs[:n]); err != nil {
			return err
		}
		recs = recs[n:]
	}
	return ctx.Err()
}

// A vectorKey identifies a row.
type vectorKey struct{ home, id string }

// putSome writes the records that differ from the stored ones. The last record of a key counts.
func (x *Index) putSome(ctx context.Context, recs []memory.Record) error {
	last := make(map[vectorKey]int, len(recs))
	var homes, ids []string
	seen := map[string]bool{}
	for i := range recs {
		key := vectorKey{string(recs[i].Space.Base()), recs[i].ID}
		last[key] = i
		ids = append(ids, key.id)
		if !seen[key.home] {
			seen[key.home] = true
			homes = append(homes, key.home)
		}
	}
	known, err := x.digests(ctx, homes, ids)
	if err != nil {
		return err
	}
	var statements []statement
	for i := range recs {
		r := &recs[i]
		key := vectorKey{string(r.Space.Base()), r.ID}
		if last[key] != i {
			continue
		}
		digest, stored := known[key]
		if len(r.Vector) == 0 {
			if stored {
				statements = append(statements, statement{x.remove, []any{x.db.o.Being, key.home, key.id}})
			}
		} else if now := digestOf(r); !stored || digest != now {
			statements = append(statements, statement{x.put, []any{
				x.db.o.Being, key.home, key.id, string(r.Space), r.Person, r.Kind, list(r.Tags), nanos(r.At), now, unit(r.Vector),
			}})
		}
	}
	if len(statements) == 0 {
		return nil
	}
	return x.db.write(ctx, false, 0, statements)
}

// digests returns the digests of the stored rows.
func (x *Index) digests(ctx context.Context, homes, ids []string) (map[vectorKey]int64, error) {
	type stored struct {
		key    vectorKey
		digest int64
	}
	rows, err := read(ctx, x.db, func(rows pgx.Rows) (s stored, err error) {
		err = rows.Scan(&s.key.home, &s.key.id, &s.digest)
		return s, err
	}, x.known, x.db.o.Being, homes, ids)
	if err != nil {
		return nil, err
	}
	known := make(map[vectorKey]int64, len(rows))
	for _, s := range rows {
		known[s.key] = s.digest
	}
	return known, nil
}

// digestOf returns a hash of all that the index stores of a record.
func digestOf(r *memory.Record) int64 {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %v ", r.Space, r.Person, r.Kind, r.Tags, r.At.UnixNano())
	h.Write(storage.EncodeVector(r.Vector))
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}

// Delete implements [memory.Index].
func (x *Index) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if ids = valid(ids); len(ids) == 0 || s.Validate() != nil {
		return ctx.Err()
	}
	return x.db.write(ctx, false, 0, []statement{{x.del, []any{x.db.o.Being, string(s.Base()), ids, string(s)}}})
}

func onlyAddresses(ss []string) bool {
	for _, s := range ss {
		if !isAddress(s) {
			return false
		}
	}
	return true
}

// unit returns a copy of v with the length 1, so that the inner product is the cosine, for tiny and huge vectors, too.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / length)
	}
	return u
}
