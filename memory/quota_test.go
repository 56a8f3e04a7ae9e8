package memory_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMemory_Trim checks the order of eviction.
func TestMemory_Trim(t *testing.T) {
	fill := func() *memory.Memory {
		m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
		put(t, m, message(group, "seen1", "1234567890"), message(group, "seen2", "1234567890"))
		dream(t, m, night, func(context.Context, memory.DreamInput) ([]memory.Insight, error) { return nil, nil }, memory.DreamOptions{})
		fact := func(id string, importance float64) memory.Record {
			return memory.Record{ID: id, Space: group, Kind: memory.KindFact, Text: "1234567890", Importance: importance}
		}
		put(t, m, fact("vital", .9), fact("some", .5), fact("little", .1), fact("little too", .1), message(group, "new1", "1234567890"), message(group, "new2", "1234567890"), fact("most", 1))
		put(t, m, message(group.Secret(), "s", "x"), message(other, "o", "x"))
		return m
	}
	order := []string{"seen1", "seen2", "little", "little too", "some", "new1", "new2", "vital", "most"}
	for n := range len(order) {
		for _, q := range []memory.Quota{{Records: len(order) - n}, {Bytes: int64(10 * (len(order) - n))}, {Records: len(order) - n, Bytes: 1 << 20}} {
			if n == len(order) {
				continue
			}
			m := fill()
			went, err := m.Trim(t.Context(), group, q)
			require.NoError(t, err)
			assert.Equal(t, n, went, "%+v", q)
			assert.ElementsMatch(t, order[n:], recall(t, m.Reader(group), ""))
			assert.Len(t, recall(t, m.OwnerReader(group.Secret(), other), ""), 2, "by itself")
		}
	}
	m := fill()
	went, err := m.Trim(t.Context(), group, memory.Quota{})
	require.NoError(t, err)
	assert.Zero(t, went)
	_, err = m.Trim(t.Context(), group, memory.Quota{Records: -1})
	assert.ErrorIs(t, err, memory.ErrInvalid)
	_, err = m.Trim(t.Context(), "", memory.Quota{})
	assert.ErrorIs(t, err, memory.ErrInvalid)
}
