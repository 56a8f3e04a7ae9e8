package sqlite

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_RowRoundTrip reads records back exactly as stored.
func TestDB_RowRoundTrip(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	require.NoError(t, err)
	defer db.Close()
	at := time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	full := memory.Record{
		ID: "a\x1f|", Space: "s", Kind: "k", Text: "火锅\n", Person: "7", Name: "小明", ReplyTo: "b", Own: true, Tags: []string{"x", ""}, Importance: math.Nextafter(.7, 1),
		At: at, Sources: []string{"1", `"`}, Label: memory.Trusted("a b"), Vector: []float32{1, -.5}, Embedder: "e", Seq: 1,
	}
	empty := memory.Record{ID: "b", Space: "s", Kind: "k", Seq: 2}
	one := memory.Record{ID: "c", Space: "s", Kind: "k", Importance: 1, At: time.Date(1678, 1, 1, 0, 0, 0, 1, time.UTC), Seq: 3}
	put := []memory.Record{full, empty, one}
	require.NoError(t, db.Put(t.Context(), put...))

	got, err := db.Get(t.Context(), "s", full.ID, "b", "c")
	require.NoError(t, err)
	assert.Equal(t, put, got)
	got, err = db.Tail(t.Context(), "s", "k", 9)
	require.NoError(t, err)
	assert.Equal(t, put, got)
	put[0].Vector = nil
	got, err = db.GetWithoutVectors(t.Context(), "s", full.ID, "b", "c")
	require.NoError(t, err)
	assert.Equal(t, put, got)
	got, err = db.GetWithoutVectors(t.Context(), "s", "c", "nobody", full.ID, "c")
	require.NoError(t, err)
	assert.Equal(t, []memory.Record{one, put[0], one}, got)

	for _, broken := range []string{"tags = '{'", "sources = '[1]'"} {
		_, err = db.writer.c.ExecContext(t.Context(), "UPDATE records SET "+broken+" WHERE id = 'b'")
		require.NoError(t, err)
		_, err = db.Get(t.Context(), "s", "b")
		assert.ErrorIs(t, err, ErrCorrupt, broken)
		_, err = db.writer.c.ExecContext(t.Context(), "UPDATE records SET tags = '', sources = '' WHERE id = 'b'")
		require.NoError(t, err)
	}
}
