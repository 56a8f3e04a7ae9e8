package chromem_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group = memory.Space("qq:group:1")

func TestIndex_Conformance(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return chromem.New() })
}

func rec(id string, v ...float32) memory.Record {
	return memory.Record{ID: id, Space: group, Vector: v}
}

func find(t *testing.T, x memory.Index, q memory.Query, k int) (ids []string) {
	t.Helper()
	cs, err := x.Search(t.Context(), group, q, k)
	require.NoError(t, err)
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestIndex_HashCollision: on disk, chromem-go would store these two in one file.
func TestIndex_HashCollision(t *testing.T) {
	x := chromem.New()
	require.NoError(t, x.Put(t.Context(), rec("doc-17633", 1, 0), rec("doc-29150", 0, 1)))
	assert.Len(t, find(t, x, memory.Query{Vector: []float32{1, 1}}, 9), 2)
}

// TestPut_AllOrNone: one bad vector rejects the whole call, and queries keep working.
func TestPut_AllOrNone(t *testing.T) {
	inf := float32(math.Inf(-1))
	x := chromem.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	for name, bad := range map[string][]float32{"NaN": {float32(math.NaN()), 1, 1}, "infinite": {1, inf, 1}, "zero": {0, 0, 0}, "short": {1, 0}, "long": {1, 0, 0, 0}} {
		err := x.Put(t.Context(), rec("good "+name, 1, 0, 0), rec("bad "+name, bad...))
		assert.ErrorIs(t, err, memory.ErrVector, name)
	}
	assert.ErrorIs(t, chromem.New().Put(t.Context(), rec("a", 1, 2), rec("b", 1)), memory.ErrVector, "within one call")
	assert.ErrorIs(t, x.Put(t.Context(), rec("", 1, 0, 0)), memory.ErrInvalid)
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0, 0}}, 9))
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1}}, 9)
	assert.ErrorIs(t, err, memory.ErrVector)
}

func TestPut_ExtremeVectors(t *testing.T) {
	x := chromem.New()
	require.NoError(t, x.Put(t.Context(), rec("huge", math.MaxFloat32, math.MaxFloat32), rec("tiny", math.SmallestNonzeroFloat32, 0), rec("other", -1, 0)))
	cs, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1e38, 0}}, 9)
	require.NoError(t, err)
	require.Len(t, cs, 3)
	for i, want := range []struct {
		id    string
		score float64
	}{{"tiny", 1}, {"huge", math.Sqrt2 / 2}, {"other", -1}} {
		assert.Equal(t, want.id, cs[i].ID)
		assert.InDelta(t, want.score, cs[i].Score, 1e-6)
	}
}

// TestPut_NewLengthAfterEmptied: an emptied space accepts vectors of another model.
func TestPut_NewLengthAfterEmptied(t *testing.T) {
	x := chromem.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	require.NoError(t, x.Delete(t.Context(), group, "1"))
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0, 0}}, 9))
}

func TestSearch_WithoutVector(t *testing.T) {
	x := chromem.New()
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	for _, q := range []memory.Query{{}, {Text: "words"}, {Vector: []float32{0, 0}}, {Vector: []float32{float32(math.NaN()), 0}}} {
		assert.Empty(t, find(t, x, q, 9))
	}
}

// TestSearch_EqualsNaive compares with a plain scan on vectors with many ties.
func TestSearch_EqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := chromem.New()
	var recs []memory.Record
	for i := range 400 {
		v := make([]float32, 4)
		for j := range v {
			v[j] = float32(rng.IntN(3) - 1)
		}
		v[0] += .5
		r := rec(fmt.Sprint(i), v...)
		r.Person, r.At = fmt.Sprint(i%5), time.Unix(int64(1e9+rng.IntN(50)), 0)
		recs = append(recs, r)
	}
	require.NoError(t, x.Put(t.Context(), recs...))
	for n := range 200 {
		q := memory.Query{Vector: recs[rng.IntN(400)].Vector}
		if n%2 == 0 {
			q.Person = fmt.Sprint(n % 5)
		}
		k := 1 + rng.IntN(30)
		got, err := x.Search(t.Context(), group, q, k)
		require.NoError(t, err)
		require.Len(t, got, k)
		worst, inside := got[k-1].Score, map[string]bool{}
		for _, c := range got {
			inside[c.ID] = true
		}
		for _, r := range recs {
			s := cosine(q.Vector, r.Vector)
			switch {
			case !q.Match(&r):
				assert.False(t, inside[r.ID])
			case s > worst+1e-6:
				assert.True(t, inside[r.ID], "%v is better than %v", s, worst)
			}
		}
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// BenchmarkSearch finds ten of 1 000 and of 10 000 records with 384 dimensions, with and without a filter for one
// person in fifty.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		rng := rand.New(rand.NewPCG(1, 1))
		x := chromem.New()
		for i := range n {
			v := make([]float32, 384)
			for j := range v {
				v[j] = float32(rng.NormFloat64())
			}
			r := rec(fmt.Sprint(i), v...)
			r.Person = fmt.Sprint(i % 50)
			require.NoError(b, x.Put(context.Background(), r))
		}
		q := memory.Query{Vector: make([]float32, 384)}
		q.Vector[7] = 1
		for name, q := range map[string]memory.Query{"open": q, "person": {Vector: q.Vector, Person: "3"}} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					if cs, err := x.Search(context.Background(), group, q, 10); err != nil || len(cs) != 10 {
						b.Fatal(cs, err)
					}
				}
			})
		}
	}
}
