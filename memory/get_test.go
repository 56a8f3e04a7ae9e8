package memory_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMemory_Get: records come in the order of ids, and never from the counterpart.
func TestMemory_Get(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	require.NoError(t, m.Put(t.Context(),
		memory.Record{ID: "1", Space: "a", Text: "一"}, memory.Record{ID: "2", Space: "a", Text: "二"}, memory.Record{ID: "3", Space: memory.Space("a").Secret(), Text: "三"}))
	got, err := m.Get(t.Context(), "a", "2", "3", "1", "4")
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, []string{"二", "一"}, []string{got[0].Text, got[1].Text})
	got, err = m.Get(t.Context(), "a")
	assert.Empty(t, got)
	require.NoError(t, err)
	_, err = m.Get(t.Context(), "", "1")
	assert.ErrorIs(t, err, memory.ErrInvalid)
}
