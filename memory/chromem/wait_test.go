package chromem

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/require"
)

// TestIndex_SpacesAreIndependent: a running search locks its own space only.
func TestIndex_SpacesAreIndependent(t *testing.T) {
	x := New()
	require.NoError(t, x.Put(t.Context(), memory.Record{ID: "1", Space: "a", Vector: []float32{1}}, memory.Record{ID: "1", Space: "b", Vector: []float32{1}}))
	busy := x.at("a")
	busy.mu.RLock() // a long search
	defer busy.mu.RUnlock()
	require.NoError(t, x.Put(t.Context(), memory.Record{ID: "2", Space: "b", Vector: []float32{1}}))
	require.NoError(t, x.Delete(t.Context(), "b", "1"))
	found, err := x.Search(t.Context(), "b", memory.Query{Vector: []float32{1}}, 9)
	require.NoError(t, err)
	require.Len(t, found, 1)
	_, err = x.Search(t.Context(), "a", memory.Query{Vector: []float32{1}}, 9)
	require.NoError(t, err)
}
