package postgres_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vectorOptions returns a function that returns options for a new being on a server with pgvector: that of HEARTH_PGVECTOR, the common one,
// or a PGlite. All share one connection pool.
func vectorOptions(t testing.TB) func() postgres.Options {
	t.Helper()
	dsn := os.Getenv("HEARTH_PGVECTOR")
	switch {
	case dsn != "" && dsn != "required":
	case missing == nil && server.Exec(pgtest.Role, "CREATE EXTENSION IF NOT EXISTS vector") == nil:
		dsn = options(t).DSN
	default:
		lite, err := pgtest.StartPGlite("../..")
		if err != nil && dsn == "" {
			t.Skip("no server with pgvector: ", err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { lite.Close() })
		dsn = lite.DSN
	}
	pool, err := pgxpool.New(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return func() postgres.Options {
		return postgres.Options{Pool: pool, Being: unique("being"), AllowSuperuser: true}
	}
}

func openIndex(t testing.TB, db *postgres.DB, o postgres.IndexOptions) *postgres.Index {
	t.Helper()
	x, err := postgres.OpenIndex(t.Context(), db, o)
	require.NoError(t, err)
	return x
}

func TestIndex_Conformance(t *testing.T) {
	o := vectorOptions(t)
	for name, x := range map[string]postgres.IndexOptions{"exact": {}, "HNSW": {HNSW: 64}} {
		t.Run(name, func(t *testing.T) {
			memorytest.TestIndex(t, func(t *testing.T) memory.Index { return openIndex(t, open(t, o()), x) })
		})
	}
}

// An index has its vectors after a restart. Unchanged records are not written again, and vectors of records that the store no longer
// has are deleted.
func TestIndex_Restart(t *testing.T) {
	ctx := t.Context()
	o := vectorOptions(t)()
	db := open(t, o)
	var recs []memory.Record
	for i := range 5 {
		r := said(i)
		r.Vector = []float32{1, float32(i)}
		recs = append(recs, r)
	}
	require.NoError(t, db.Put(ctx, recs...))
	require.NoError(t, openIndex(t, db, postgres.IndexOptions{}).Put(ctx, recs...))
	require.NoError(t, db.Delete(ctx, group, "3"))

	x := openIndex(t, open(t, o), postgres.IndexOptions{})
	search := func(v ...float32) (ids []string) {
		found, err := x.Search(ctx, group, memory.Query{Vector: v}, 9)
		require.NoError(t, err)
		for _, c := range found {
			ids = append(ids, c.ID)
		}
		return ids
	}
	assert.Equal(t, []string{"0", "1", "2", "4"}, search(1, 0))
	lease, err := db.Claim(ctx, "", "a", minute)
	require.NoError(t, err)
	fenced := openIndex(t, db.Fenced(lease.Fence()), postgres.IndexOptions{})
	require.NoError(t, db.Release(ctx, lease.Fence()))
	_, err = db.Claim(ctx, "", "b", minute)
	require.NoError(t, err)
	assert.NoError(t, fenced.Put(ctx, recs[:3]...), "nothing to write")
	changed := recs[0]
	changed.Vector = []float32{0, 1}
	assert.ErrorIs(t, fenced.Put(ctx, changed), postgres.ErrFenced)
	require.NoError(t, x.Put(ctx, changed))
	assert.Equal(t, []string{"0", "4", "2", "1"}, search(0, 1))
}

// Two beings with the same spaces and IDs find only their own vectors, with and without HNSW.
func TestIndex_Beings(t *testing.T) {
	ctx := t.Context()
	o := vectorOptions(t)
	for _, hnsw := range []int{0, 2} {
		a, b := openIndex(t, open(t, o()), postgres.IndexOptions{HNSW: hnsw}), openIndex(t, open(t, o()), postgres.IndexOptions{HNSW: hnsw})
		r := said(1)
		r.Vector = []float32{1, 0}
		require.NoError(t, a.Put(ctx, r))
		found, err := b.Search(ctx, group, memory.Query{Vector: r.Vector}, 9)
		require.NoError(t, err)
		assert.Empty(t, found)
		require.NoError(t, b.Delete(ctx, group, "1"))
		found, err = a.Search(ctx, group, memory.Query{Vector: r.Vector}, 9)
		require.NoError(t, err)
		assert.Equal(t, []memory.Candidate{{ID: "1", Score: 1}}, found)
	}
}

// Vectors with components whose squares do not fit into a float32 have the same cosines.
func TestIndex_TinyAndHuge(t *testing.T) {
	ctx := t.Context()
	x := openIndex(t, open(t, vectorOptions(t)()), postgres.IndexOptions{})
	for i, scale := range []float32{1e-30, 1, 1e30} {
		r := said(i)
		r.Vector = []float32{scale, scale * float32(i)}
		require.NoError(t, x.Put(ctx, r))
	}
	found, err := x.Search(ctx, group, memory.Query{Vector: []float32{1e30, 0}}, 9)
	require.NoError(t, err)
	require.Len(t, found, 3)
	for i, c := range found {
		assert.Equal(t, fmt.Sprint(i), c.ID)
		assert.InDelta(t, 1/math.Sqrt(1+float64(i*i)), c.Score, 1e-6)
	}
}

// A Memory over the database finds the same records as one with memory/flat.
func TestIndex_SameAsFlat(t *testing.T) {
	ctx := t.Context()
	db := open(t, vectorOptions(t)())
	exact := flat.New()
	x := openIndex(t, db, postgres.IndexOptions{})
	recs := topicalRecords(300, 32, 3)
	require.NoError(t, x.Put(ctx, recs...))
	require.NoError(t, exact.Put(ctx, recs...))
	for i := range 20 {
		r := recs[i*7]
		want, err := exact.Search(ctx, r.Space, memory.Query{Vector: r.Vector}, 10)
		require.NoError(t, err)
		got, err := x.Search(ctx, r.Space, memory.Query{Vector: r.Vector}, 10)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for j := range want {
			assert.Equal(t, want[j].ID, got[j].ID)
			assert.InDelta(t, want[j].Score, got[j].Score, 1e-5)
		}
	}
}

func TestOpenIndex_Errors(t *testing.T) {
	o := options(t)
	db := open(t, o)
	for _, bad := range []postgres.IndexOptions{{HNSW: -1}, {HNSW: 2001}, {EfSearch: 1001}} {
		_, err := postgres.OpenIndex(t.Context(), db, bad)
		assert.ErrorContains(t, err, "IndexOptions")
	}
	name := "without_pgvector"
	require.NoError(t, server.Exec("postgres", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" OWNER "+pgtest.Role))
	o.DSN = server.DSN(pgtest.Role, name)
	_, err := postgres.OpenIndex(context.Background(), open(t, o), postgres.IndexOptions{})
	require.ErrorIs(t, err, postgres.ErrNoExtension)
	assert.ErrorContains(t, err, "CREATE EXTENSION")
}
