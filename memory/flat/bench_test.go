package flat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	chromemgo "github.com/philippgille/chromem-go"
	"github.com/stretchr/testify/require"
)

const benchDims = 384

// topical returns n vectors of length about 1 near n/50 topics, like those of a real chat.
func topical(n int) [][]float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(scale float64) []float32 {
		v := make([]float32, benchDims)
		for j := range v {
			v[j] = float32(rng.NormFloat64() * scale)
		}
		return v
	}
	topics := make([][]float32, max(1, n/50))
	for i := range topics {
		topics[i] = draw(1)
	}
	vs := make([][]float32, n)
	for i := range vs {
		vs[i] = draw(.7)
		for j, x := range topics[rng.IntN(len(topics))] {
			vs[i][j] += x + .5 // common offset of all vectors
		}
	}
	return vs
}

// BenchmarkSearch finds ten records of a space with this package, memory/chromem and plain chromem-go. The filter for a
// person matches one record in fifty. Run all at once:
//
//	go test ./memory/flat -run xxx -bench Search
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1000, 10_000, 100_000} {
		vs := topical(n)
		name := fmt.Sprintf("%dx%d", n, benchDims)
		recs := make([]memory.Record, n)
		for i, v := range vs {
			recs[i] = memory.Record{ID: fmt.Sprint(i), Space: group, Person: fmt.Sprint(i % 50), Vector: v}
		}
		for _, index := range []struct {
			name string
			make func() memory.Index
		}{
			{"flat", func() memory.Index { return flat.New() }},
			{"memory-chromem", func() memory.Index { return chromem.New() }},
		} {
			var x memory.Index
			for _, person := range []string{"", "3"} {
				b.Run(name+"/"+index.name+"/person="+person, func(b *testing.B) {
					if x == nil {
						x = index.make()
						require.NoError(b, x.Put(ctx, recs...))
					}
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						q := memory.Query{Vector: vs[i*31%n], Person: person}
						if cs, err := x.Search(ctx, group, q, 10); err != nil || len(cs) != 10 {
							b.Fatal(cs, err)
						}
					}
				})
			}
		}
		b.Run(name+"/chromem-go/person=", func(b *testing.B) {
			docs, err := chromemgo.NewDB().CreateCollection("c", nil, func(context.Context, string) ([]float32, error) { return nil, nil })
			require.NoError(b, err)
			for _, r := range recs {
				require.NoError(b, docs.AddDocument(ctx, chromemgo.Document{ID: r.ID, Embedding: r.Vector}))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if found, err := docs.QueryEmbedding(ctx, vs[i*31%n], 10, nil, nil); err != nil || len(found) != 10 {
					b.Fatal(found, err)
				}
			}
		})
	}
}

// BenchmarkNearDuplicates finds ten of 2 000 vectors with nearly equal quantized rows.
func BenchmarkNearDuplicates(b *testing.B) {
	ctx := context.Background()
	x := flat.New()
	recs := duplicates(2000, benchDims)
	require.NoError(b, x.Put(ctx, recs...))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if cs, err := x.Search(ctx, group, memory.Query{Vector: recs[i%len(recs)].Vector}, 10); err != nil || len(cs) != 10 {
			b.Fatal(cs, err)
		}
	}
}

// BenchmarkPut puts one record into a space of 100 000.
func BenchmarkPut(b *testing.B) {
	ctx := context.Background()
	x := flat.New()
	vs := topical(100_000)
	recs := make([]memory.Record, len(vs))
	for i, v := range vs {
		recs[i] = memory.Record{ID: fmt.Sprint(i), Space: group, Vector: v}
	}
	require.NoError(b, x.Put(ctx, recs...))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := recs[i%len(recs)]
		r.ID = fmt.Sprint("new", i%1000)
		if err := x.Put(ctx, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecall finds ten records among 10 000 messages of one space, by words and vectors, and by words only for
// comparison.
func BenchmarkRecall(b *testing.B) {
	const n = 10_000
	ctx := context.Background()
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	rng := rand.New(rand.NewPCG(1, 2))
	glyphs := rand.NewZipf(rng, 1.1, 8, 2500) // a Zipf distribution, as in real text
	recs := make([]memory.Record, n)
	for i, v := range topical(n) {
		var text strings.Builder
		for range 5 + rng.IntN(30) {
			text.WriteRune(rune(0x4e00 + glyphs.Uint64()))
		}
		recs[i] = memory.Record{
			ID: fmt.Sprint(i), Space: group, Kind: memory.KindMessage, Text: text.String(), Person: fmt.Sprint(i % 40),
			At: start.Add(time.Duration(i) * 40 * time.Second), Vector: v,
		}
	}
	for _, c := range []struct {
		name    string
		indexes []memory.Index
	}{
		{"words", nil}, {"blended-flat", []memory.Index{flat.New()}}, {"blended-chromem", []memory.Index{chromem.New()}},
	} {
		b.Run(c.name, func(b *testing.B) {
			store := memory.NewMemStore()
			require.NoError(b, store.Put(ctx, recs...))
			m := memorytest.New(b, store, memory.Options{Indexes: c.indexes})
			require.NoError(b, m.Preload(ctx))
			r := m.Reader(group)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q := recs[(4321+i*31)%n]
				hits, err := r.Recall(ctx, start, memory.Query{Text: q.Text, Vector: q.Vector})
				if err != nil || len(hits) != 10 {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}
