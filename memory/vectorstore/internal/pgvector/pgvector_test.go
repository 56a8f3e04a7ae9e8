package pgvector_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/vectorstores"
	"github.com/tmc/langchaingo/vectorstores/pgvector"
)

// All tests share one pool, because PGlite accepts one connection at a time. missing says why there is no server.
var (
	server  *pgxpool.Pool
	missing error
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	url := os.Getenv("HEARTH_PGVECTOR")
	required := url == "required"
	if url == "" || required {
		var stop func()
		url, stop, missing = start()
		defer stop()
	}
	if missing == nil {
		if server, missing = pgxpool.New(context.Background(), url); missing == nil {
			defer server.Close()
		}
	}
	if required && missing != nil {
		fmt.Fprintln(os.Stderr, "no server:", missing)
		return 1
	}
	return m.Run()
}

// start runs PGlite until the process is stopped.
func start() (url string, stop func(), err error) {
	stop = func() {}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", stop, err
	}
	if _, err := os.Stat("node_modules/@electric-sql/pglite-pgvector"); err != nil {
		return "", stop, err
	}
	cmd := exec.Command(node, "serve.js")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", stop, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", stop, err
	}
	if err := cmd.Start(); err != nil {
		return "", stop, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	port, err := bufio.NewReader(out).ReadString('\n')
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%s/postgres?sslmode=disable&pool_max_conns=1", strings.TrimSpace(port)), stop, err
}

// connect returns an empty database or skips the test.
func connect(t testing.TB) *pgxpool.Pool {
	if missing != nil {
		t.Skip("no server: ", missing)
	}
	drop := func() {
		_, err := server.Exec(context.Background(), "DROP TABLE IF EXISTS "+documents+", "+collections)
		require.NoError(t, err)
	}
	drop()
	t.Cleanup(drop)
	return server
}

const (
	documents   = "hearth_test_embedding"
	collections = "hearth_test_collection"
)

var indexes atomic.Int64

// open returns an index with its own collections.
func open(t testing.TB, pool *pgxpool.Pool, o vectorstore.Options) *vectorstore.Index {
	t.Helper()
	n := indexes.Add(1)
	x, err := vectorstore.New(func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
		return pgvector.New(ctx,
			pgvector.WithConn(pool),
			pgvector.WithEmbeddingTableName(documents),
			pgvector.WithCollectionTableName(collections),
			pgvector.WithCollectionName(fmt.Sprintf("test%d_%s", n, name)),
			pgvector.WithPreDeleteCollection(true),
			pgvector.WithEmbedder(vectorstore.Embedder{}))
	}, o)
	require.NoError(t, err)
	return x
}

// forget deletes by the IDs of the store.
func forget(pool *pgxpool.Pool) vectorstore.Options {
	return vectorstore.Options{Delete: func(ctx context.Context, _ string, docs []vectorstore.Document) error {
		ids := make([]string, len(docs))
		for i, d := range docs {
			ids[i] = d.ID
		}
		_, err := pool.Exec(ctx, "DELETE FROM "+documents+" WHERE uuid = ANY($1::uuid[])", ids)
		return err
	}}
}

func TestIndex_Conformance(t *testing.T) {
	pool := connect(t)
	for name, o := range map[string]vectorstore.Options{"deletes": forget(pool), "cannot forget": {}} {
		t.Run(name, func(t *testing.T) {
			memorytest.TestIndex(t, func(*testing.T) memory.Index { return open(t, pool, o) })
		})
	}

	// The database must contain only vectors and hashes.
	rows, err := pool.Query(t.Context(), "SELECT c.name, d.document, d.cmetadata::text FROM "+documents+" d JOIN "+collections+" c ON c.uuid = d.collection_id")
	require.NoError(t, err)
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var name, document, metadata string
		require.NoError(t, rows.Scan(&name, &document, &metadata))
		require.Regexp(t, `^test\d+_hearth_[0-9a-f]{32}$`, name)
		require.Regexp(t, `^[0-9a-f]{32}$`, document)
		require.Equal(t, "{}", metadata)
		seen++
	}
	require.NoError(t, rows.Err())
	assert.Greater(t, seen, 1000)
}

// TestIndex_DeletesFromDatabase: with Options.Delete, the database keeps nothing of a deleted record.
func TestIndex_DeletesFromDatabase(t *testing.T) {
	ctx := t.Context()
	pool := connect(t)
	x := open(t, pool, forget(pool))
	var recs []memory.Record
	var ids []string
	for i := range 300 {
		ids = append(ids, fmt.Sprint(i))
		recs = append(recs, memory.Record{ID: ids[i], Space: "qq:group:1", Vector: []float32{1, float32(i)}})
	}
	require.NoError(t, x.Put(ctx, recs...))
	for i := range recs {
		recs[i].Space, recs[i].Vector = recs[i].Space.Secret(), []float32{float32(i), -1}
	}
	require.NoError(t, x.Put(ctx, recs...))
	count := func() (n int) {
		require.NoError(t, pool.QueryRow(ctx, "SELECT count(*) FROM "+documents).Scan(&n))
		return n
	}
	assert.Equal(t, 300, count(), "moved, not copied")
	require.NoError(t, x.Delete(ctx, recs[0].Space, ids...))
	assert.Zero(t, count())
}

// TestIndex_EmptyAfterRestart: an index over the collections of an earlier process starts empty.
func TestIndex_EmptyAfterRestart(t *testing.T) {
	ctx := t.Context()
	pool := connect(t)
	for range 3 {
		indexes.Store(0) // the same names again
		x := open(t, pool, vectorstore.Options{})
		require.NoError(t, x.Put(ctx, memory.Record{ID: "1", Space: "qq:group:1", Vector: []float32{1, 0}}))
		found, err := x.Search(ctx, "qq:group:1", memory.Query{Vector: []float32{1, 0}}, 9)
		require.NoError(t, err)
		require.Len(t, found, 1)
		assert.InDelta(t, 1, found[0].Score, 1e-6)
		var n int
		require.NoError(t, pool.QueryRow(ctx, "SELECT count(*) FROM "+documents).Scan(&n))
		assert.Equal(t, 1, n)
	}
}

// BenchmarkSearch finds ten of 1 000 records with 384 dimensions, through the index and through the plain store.
func BenchmarkSearch(b *testing.B) {
	pool := connect(b)
	rng := rand.New(rand.NewPCG(1, 1))
	recs := make([]memory.Record, 1000)
	for i := range recs {
		recs[i] = memory.Record{ID: fmt.Sprint(i), Space: "qq:group:1", Vector: make([]float32, 384)}
		for j := range recs[i].Vector {
			recs[i].Vector[j] = float32(rng.NormFloat64())
		}
	}
	var bare vectorstores.VectorStore
	x, err := vectorstore.New(func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
		store, err := pgvector.New(ctx, pgvector.WithConn(pool), pgvector.WithEmbeddingTableName(documents), pgvector.WithCollectionTableName(collections),
			pgvector.WithCollectionName(name), pgvector.WithPreDeleteCollection(true), pgvector.WithEmbedder(either{recs[0].Vector}))
		bare = store
		return store, err
	}, vectorstore.Options{})
	require.NoError(b, err)
	require.NoError(b, x.Put(b.Context(), recs...))
	q := memory.Query{Vector: recs[0].Vector}
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			found, err := x.Search(b.Context(), "qq:group:1", q, 10)
			require.NoError(b, err)
			require.Equal(b, "0", found[0].ID)
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			found, err := bare.SimilaritySearch(b.Context(), "bare", 10)
			require.NoError(b, err)
			require.Len(b, found, 10)
		}
	})
}

// either also embeds for the plain store.
type either struct{ query []float32 }

func (e either) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return vectorstore.Embedder{}.EmbedDocuments(ctx, texts)
}

func (e either) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if text == "bare" {
		return e.query, nil
	}
	return vectorstore.Embedder{}.EmbedQuery(ctx, text)
}
