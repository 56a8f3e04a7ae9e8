package flat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group = memory.Space("qq:group:1")

func TestIndex_Conformance(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return flat.New() })
}

func rec(id string, v ...float32) memory.Record {
	return memory.Record{ID: id, Space: group, Vector: v}
}

func find(t *testing.T, x memory.Index, s memory.Space, v ...float32) (ids []string) {
	t.Helper()
	cs, err := x.Search(t.Context(), s, memory.Query{Vector: v}, 99)
	require.NoError(t, err)
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	return ids
}

var badVectors = map[string][]float32{
	"NaN": {float32(math.NaN()), 1, 1}, "infinite": {1, float32(math.Inf(-1)), 1}, "zero": {0, 0, 0},
	"short": {1, 0}, "long": {1, 0, 0, 0}, "far too long": make([]float32, flat.MaxDimensions+1),
}

// TestPut_AllOrNone: an invalid record rejects all records of the call in all spaces.
func TestPut_AllOrNone(t *testing.T) {
	x := flat.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0), rec("2", 0, 1, 0)))
	elsewhere := memory.Record{ID: "1", Space: "other", Vector: []float32{1}}
	moved := memory.Record{ID: "2", Space: group.Secret(), Vector: []float32{1}}
	for name, bad := range badVectors {
		err := x.Put(t.Context(), rec("1"), moved, elsewhere, rec("new", 1, 0, 0), rec("1", bad...))
		assert.ErrorIs(t, err, memory.ErrVector, name)
		assert.ErrorIs(t, err, memory.ErrVector)
	}
	for _, bad := range []memory.Record{rec("", 1, 0, 0), {ID: "3"}, {ID: "3", Space: "a!!"}} {
		assert.ErrorIs(t, x.Put(t.Context(), rec("1"), moved, elsewhere, bad), memory.ErrInvalid)
	}
	assert.ErrorIs(t, x.Put(t.Context(), memory.Record{ID: "a", Space: "new", Vector: []float32{1}}, memory.Record{ID: "b", Space: "new", Vector: []float32{1, 2}}), memory.ErrVector, "within one call")
	assert.Equal(t, []string{"1", "2"}, find(t, x, group, 1, 0, 0))
	for _, s := range []memory.Space{group.Secret(), "other", "new", "", "a!!"} {
		assert.Empty(t, find(t, x, s, 1), "%q", s)
	}
}

func TestSearch_InvalidQuery(t *testing.T) {
	x := flat.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	for name, bad := range badVectors {
		cs, err := x.Search(t.Context(), group, memory.Query{Vector: bad}, 9)
		assert.ErrorIs(t, err, memory.ErrVector, name)
		assert.Empty(t, cs)
	}
	for _, q := range []memory.Query{{}, {Text: "words"}, {Vector: []float32{}}} {
		cs, err := x.Search(t.Context(), group, q, 9)
		assert.NoError(t, err)
		assert.Empty(t, cs)
	}
}

func TestIndex_Cancelled(t *testing.T) {
	x := flat.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1)))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	assert.ErrorIs(t, x.Put(ctx, rec("2", 1)), context.Canceled)
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), context.Canceled)
	_, err := x.Search(ctx, group, memory.Query{Vector: []float32{1}}, 1)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"1"}, find(t, x, group, 1))
}

// TestPut_NewLengthAfterEmptied: an emptied space accepts vectors of another model.
func TestPut_NewLengthAfterEmptied(t *testing.T) {
	x := flat.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	require.NoError(t, x.Put(t.Context(), rec("1")))
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	assert.Equal(t, []string{"1"}, find(t, x, group, 1, 0, 0))
}

// TestSearch_TiesByID: equal vectors are ordered by ID, for any k and any order of insertion.
func TestSearch_TiesByID(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		x := flat.New()
		for _, i := range rng.Perm(1000) {
			require.NoError(t, x.Put(t.Context(), rec(fmt.Sprintf("%03d", i), 3, 4, 5)))
		}
		for k := 1; k < 1000; k += 111 {
			cs, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 1, 1}}, k)
			require.NoError(t, err)
			for i, c := range cs {
				require.Equal(t, fmt.Sprintf("%03d", i), c.ID)
			}
		}
	}
}

// TestSearch_DuringWrites: concurrent searches find each remaining record once. They never find a record deleted
// before, or one of another space.
func TestSearch_DuringWrites(t *testing.T) {
	const stay = 40
	x := flat.New()
	for i := range stay {
		require.NoError(t, x.Put(t.Context(), rec(fmt.Sprint("stay", i), 1, float32(i))))
	}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for w := range 2 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(w)))
			for range 150 {
				id := fmt.Sprint("w", w, "-", rng.IntN(100))
				r := rec(id, 1, rng.Float32())
				if rng.IntN(3) == 0 {
					r.Space = group.Secret()
				}
				assert.NoError(t, x.Put(t.Context(), r, rec(fmt.Sprint("stay", rng.IntN(stay)), 1, 1)))
				if rng.IntN(2) == 0 {
					assert.NoError(t, x.Delete(t.Context(), r.Space, id))
					assert.NotContains(t, find(t, x, r.Space, 1, 1), id)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for {
				cs, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 1}}, 500)
				assert.NoError(t, err)
				seen := map[string]bool{}
				stayed := 0
				for _, c := range cs {
					assert.False(t, seen[c.ID], "twice")
					seen[c.ID] = true
					if c.ID[0] == 's' {
						stayed++
					}
				}
				assert.Equal(t, stay, stayed)
				for _, id := range find(t, x, group.Secret(), 1, 1) {
					assert.NotContains(t, id, "stay")
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}
