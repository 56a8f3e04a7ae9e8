package flat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fill(t *testing.T, x *Index, s memory.Space, from, to, dims int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(from)))
	var recs []memory.Record
	for i := from; i < to; i++ {
		v := make([]float32, dims)
		for j := range v {
			v[j] = float32(rng.NormFloat64())
		}
		recs = append(recs, memory.Record{ID: fmt.Sprint(i), Space: s, Vector: v})
	}
	require.NoError(t, x.Put(t.Context(), recs...))
}

func names(from, to int) (ids []string) {
	for i := from; i < to; i++ {
		ids = append(ids, fmt.Sprint(i))
	}
	return ids
}

func seen(x *Index, s memory.Space) *view {
	v, _ := x.views.Load(s)
	shown, _ := v.(*view)
	return shown
}

// allocatedRows returns the number of rows that a space has memory for.
func allocatedRows(v *view) (rows int) {
	for _, f := range v.blocks {
		rows += f.rows()
	}
	return rows
}

// TestDelete_FreesMemory: after any deletions a space has memory for at most four times its records, and none when
// empty.
func TestDelete_FreesMemory(t *testing.T) {
	const n, dims = 20_000, 8
	for name, order := range map[string]func([]string){
		"oldest first": func([]string) {},
		"at random": func(ids []string) {
			rand.New(rand.NewPCG(3, 4)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			fill(t, x, "a", 0, n, dims)
			ids := names(0, n)
			order(ids)
			for len(ids) > 0 {
				assert.LessOrEqual(t, allocatedRows(seen(x, "a")), 4*len(ids)+minBlockRows)
				assert.LessOrEqual(t, x.spaces["a"].peak, 4*len(ids)+minBlockRows)
				some := ids[:(len(ids)+2)/3]
				require.NoError(t, x.Delete(t.Context(), "a", some...))
				ids = ids[len(some):]
			}
			assert.Nil(t, seen(x, "a"))
			assert.Empty(t, x.spaces)
		})
	}
}

// TestPut_ReplacingFreesRows puts the same records again and again.
func TestPut_ReplacingFreesRows(t *testing.T) {
	x := New()
	for range 200 {
		fill(t, x, "a", 0, 50, 4)
		require.LessOrEqual(t, allocatedRows(seen(x, "a")), 256)
	}
	assert.Equal(t, 50, seen(x, "a").count)
}

// TestIndex_ReleasesBlocks: after the last record is deleted and a search has ended, the garbage collector can free all
// blocks.
func TestIndex_ReleasesBlocks(t *testing.T) {
	x := New()
	fill(t, x, "a", 0, 100, 8)
	find(t, x, "a", 8)
	b := weak.Make(seen(x, "a").blocks[0].block)
	require.NoError(t, x.Delete(t.Context(), "a", names(0, 100)...))
	runtime.GC()
	assert.Nil(t, b.Value())
	runtime.KeepAlive(x)
}

func find(t *testing.T, x *Index, s memory.Space, dims int) []memory.Candidate {
	t.Helper()
	q := memory.Query{Vector: make([]float32, dims)}
	q.Vector[0] = 1
	cs, err := x.Search(t.Context(), s, q, 10)
	require.NoError(t, err)
	return cs
}

// TestView_IsImmutable: a running search is not affected by later changes.
func TestView_IsImmutable(t *testing.T) {
	x := New()
	fill(t, x, "a", 0, 5000, 4)
	old := seen(x, "a")
	ask := func() []memory.Candidate {
		cs, err := new(scratch).search(t.Context(), old, &memory.Query{Vector: []float32{1, 2, 3, 4}}, 5000, 1)
		require.NoError(t, err)
		return cs
	}
	want := ask()
	require.Len(t, want, 5000)
	fill(t, x, "a", 4000, 6000, 4)
	require.NoError(t, x.Delete(t.Context(), "a", names(0, 4500)...))
	fill(t, x, "a", 0, 7000, 4)
	require.NoError(t, x.Delete(t.Context(), "a", names(0, 7000)...))
	fill(t, x, "a", 0, 5000, 4)
	assert.Equal(t, want, ask())
}

// TestSearch_WorkersDoNotMatter: any number of workers gives the same result.
func TestSearch_WorkersDoNotMatter(t *testing.T) {
	x := New()
	fill(t, x, "a", 0, 30_000, 4)
	require.NoError(t, x.Delete(t.Context(), "a", names(9000, 11_000)...))
	v := seen(x, "a")
	require.Greater(t, len(v.blocks), 4)
	w := new(scratch)
	for i := range 4 {
		q := memory.Query{Vector: []float32{1, float32(i), -2, 1}}
		for _, k := range []int{1, 10, 1000} {
			want, err := w.search(t.Context(), v, &q, k, 1)
			require.NoError(t, err)
			require.Len(t, want, k)
			for _, workers := range []int{2, 3, len(v.blocks)} {
				got, err := w.search(t.Context(), v, &q, k, workers)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
	}
	assert.Equal(t, 1, v.workers())
	assert.LessOrEqual(t, (&view{count: 1 << 30, blocks: v.blocks}).workers(), runtime.GOMAXPROCS(0))
}

// TestSearch_DoesNotBlock searches during a write and another search.
func TestSearch_DoesNotBlock(t *testing.T) {
	x := New()
	fill(t, x, "a", 0, 20, 4)
	x.mu.Lock()
	defer x.mu.Unlock()
	assert.Len(t, find(t, x, "a", 4), 10)
	assert.Empty(t, find(t, x, "b", 4))
}

// TestPut_ReservesLength: during a Put, its spaces cannot start again with vectors of another length.
func TestPut_ReservesLength(t *testing.T) {
	x := New()
	recs := []memory.Record{{ID: "1", Space: "a", Vector: []float32{1, 2}}}
	firsts, err := validate(recs)
	require.NoError(t, err)
	require.NoError(t, x.reserve(firsts))
	other := memory.Record{ID: "2", Space: "a", Vector: []float32{1, 2, 3}}
	assert.ErrorIs(t, x.Put(t.Context(), other), memory.ErrVector)
	require.NoError(t, x.Put(t.Context(), recs...))
	require.NoError(t, x.Delete(t.Context(), "a", "1"))
	assert.ErrorIs(t, x.Put(t.Context(), other), memory.ErrVector)
	x.release(firsts)
	assert.Empty(t, x.spaces)
	assert.NoError(t, x.Put(t.Context(), other))
}

// TestSignature_NoFalseNegatives: the signature passes every matching record, for any time.
func TestSignature_NoFalseNegatives(t *testing.T) {
	x := New()
	for i, r := range oddTimes() {
		r.ID, r.Space, r.Vector = fmt.Sprint(i), "a", []float32{1}
		require.NoError(t, x.Put(context.Background(), r))
	}
	for _, since := range oddTimes() {
		for _, until := range oddTimes() {
			q := memory.Query{Vector: []float32{1}, Since: since.At, Until: until.At}
			want := 0
			for _, r := range oddTimes() {
				if q.Match(&r) {
					want++
				}
			}
			cs, err := x.Search(t.Context(), "a", q, 99)
			require.NoError(t, err)
			assert.Len(t, cs, want, "%v to %v", since.At, until.At)
		}
	}
}

func oddTimes() (recs []memory.Record) {
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Unix(0, 1), time.Unix(0, -1), time.Unix(1e9, 5e8), time.Unix(1e9, 5e8+1), time.Unix(1e9, 0),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Unix(1e9, 0).In(time.FixedZone("east", 8*3600)),
	} {
		recs = append(recs, memory.Record{At: at})
	}
	return recs
}
