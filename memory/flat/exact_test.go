package flat_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naive is the reference: all cosines in float64, sorted.
func naive(recs []memory.Record, q memory.Query, k int) []memory.Candidate {
	cs := []memory.Candidate{}
	for i := range recs {
		if r := &recs[i]; len(r.Vector) > 0 && q.Match(r) {
			cs = append(cs, memory.Candidate{ID: r.ID, Score: cosine(q.Vector, r.Vector)})
		}
	}
	slices.SortFunc(cs, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return cs[:min(k, len(cs))]
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / (math.Sqrt(aa) * math.Sqrt(bb))
}

// same requires that the index returns the results of the naive scan, bit for bit.
func same(t *testing.T, x memory.Index, recs []memory.Record, q memory.Query, k int) {
	t.Helper()
	got, err := x.Search(t.Context(), group, q, k)
	require.NoError(t, err)
	if want := naive(recs, q, k); len(want)+len(got) > 0 {
		require.Equal(t, want, got)
	}
}

// duplicates returns vectors that differ by less than their quantization error, some not at all.
func duplicates(n, dims int) []memory.Record {
	rng := rand.New(rand.NewPCG(5, 6))
	base := normal(rng, dims)
	recs := make([]memory.Record, n)
	for i := range recs {
		v := slices.Clone(base)
		if i%4 > 0 {
			for j := range v {
				v[j] += float32(rng.NormFloat64() * 1e-5)
			}
		}
		recs[i] = memory.Record{ID: fmt.Sprint(rng.Uint64()), Space: group, Vector: v}
	}
	return recs
}

func normal(rng *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

func TestSearch_NearDuplicates(t *testing.T) {
	recs := duplicates(2000, 384)
	x := flat.New()
	require.NoError(t, x.Put(t.Context(), recs...))
	rng := rand.New(rand.NewPCG(7, 8))
	for _, k := range []int{1, 10, 40, 700, 2000} {
		for range 5 {
			same(t, x, recs, memory.Query{Vector: recs[rng.IntN(2000)].Vector}, k)
		}
		same(t, x, recs, memory.Query{Vector: normal(rng, 384)}, k)
	}
}

// TestSearch_VectorShapes tests vectors with small and large quantization errors, and lengths with and without padding.
func TestSearch_VectorShapes(t *testing.T) {
	for name, shape := range map[string]func(*rand.Rand, []float32){
		"normal":  func(*rand.Rand, []float32) {},
		"outlier": func(_ *rand.Rand, v []float32) { v[0] = 1000 },
		"huge": func(_ *rand.Rand, v []float32) {
			for i := range v {
				v[i] *= 3e37
			}
		},
		"tiny": func(_ *rand.Rand, v []float32) {
			for i := range v {
				v[i] = v[i]*8e-45 + math.SmallestNonzeroFloat32
			}
		},
		"sparse": func(rng *rand.Rand, v []float32) { clear(v); v[rng.IntN(len(v))] = 1 },
		"signs": func(_ *rand.Rand, v []float32) {
			for i := range v {
				v[i] = float32(math.Copysign(1, float64(v[i])))
			}
		},
		"lengths": func(rng *rand.Rand, v []float32) {
			f := float32(math.Exp(40 * rng.NormFloat64() / 3))
			for i := range v {
				v[i] *= f
			}
		},
		"opposite": func(rng *rand.Rand, v []float32) {
			for i := range v {
				v[i] = v[i]*1e-4 + float32(1-2*rng.IntN(2)*(i%2))
			}
		},
	} {
		for _, dims := range []int{1, 2, 3, 31, 32, 33, 100, 384} {
			t.Run(fmt.Sprint(name, dims), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(9, uint64(dims)))
				draw := func() []float32 {
					for {
						v := normal(rng, dims)
						if shape(rng, v); memory.ValidVector(v) {
							return v
						}
					}
				}
				x := flat.New()
				recs := make([]memory.Record, 300)
				for i := range recs {
					recs[i] = memory.Record{ID: fmt.Sprint(i), Space: group, Vector: draw()}
				}
				require.NoError(t, x.Put(t.Context(), recs...))
				for k := 1; k <= 301; k += 50 {
					same(t, x, recs, memory.Query{Vector: draw()}, k)
					same(t, x, recs, memory.Query{Vector: recs[k%300].Vector}, k)
				}
			})
		}
	}
}

// TestSearch_MaxDimensions: the longest vectors with the largest components.
func TestSearch_MaxDimensions(t *testing.T) {
	x := flat.New()
	v, w := make([]float32, flat.MaxDimensions), make([]float32, flat.MaxDimensions)
	for i := range v {
		v[i], w[i] = math.MaxFloat32, -math.MaxFloat32
	}
	recs := []memory.Record{{ID: "same", Space: group, Vector: v}, {ID: "opposite", Space: group, Vector: w}}
	require.NoError(t, x.Put(t.Context(), recs...))
	same(t, x, recs, memory.Query{Vector: v}, 2)
	same(t, x, recs, memory.Query{Vector: w}, 1)
	assert.ErrorIs(t, flat.New().Put(t.Context(), memory.Record{ID: "1", Space: group, Vector: append(v, 1)}), memory.ErrVector)
}

// TestSearch_Filters compares all combinations of filters, on records with many equal signatures.
func TestSearch_Filters(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	x := flat.New()
	recs := make([]memory.Record, 1000)
	pick := func(prefix string, n int) string { return prefix + fmt.Sprint(rng.IntN(n)) }
	for i := range recs {
		r := memory.Record{ID: fmt.Sprint(i), Space: group, Person: pick("p", 30), Kind: pick("k", 60), Vector: normal(rng, 8)}
		for range rng.IntN(4) {
			r.Tags = append(r.Tags, pick("t", 90)) // more kinds and tags than signature bits
		}
		if i%10 > 0 {
			r.At = day.Add(time.Duration(rng.IntN(3000)) * 100 * time.Millisecond)
		}
		recs[i] = r
	}
	require.NoError(t, x.Put(t.Context(), recs...))
	for n := range 2000 {
		q := memory.Query{Vector: normal(rng, 8)}
		if n&1 > 0 {
			q.Person = pick("p", 31)
		}
		if n&2 > 0 {
			q.Kinds = []string{pick("k", 61), pick("k", 61), pick("k", 61)}
		}
		if n&4 > 0 {
			q.Tags = []string{pick("t", 91)}
		}
		if n&8 > 0 {
			q.Since = day.Add(time.Duration(rng.IntN(3000)) * 100 * time.Millisecond)
		}
		if n&16 > 0 {
			q.Until = day.Add(time.Duration(rng.IntN(3000)) * 100 * time.Millisecond)
		}
		same(t, x, recs, q, 1+rng.IntN(20))
	}
}
