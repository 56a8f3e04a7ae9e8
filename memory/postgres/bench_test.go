package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/stretchr/testify/require"
)

// topicalRecords returns n records in so many spaces, with vectors near n/50 topics, like those of a real chat.
func topicalRecords(n, dims, spaces int) []memory.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(scale float64) []float32 {
		v := make([]float32, dims)
		for j := range v {
			v[j] = float32(rng.NormFloat64() * scale)
		}
		return v
	}
	topics := make([][]float32, max(1, n/50))
	for i := range topics {
		topics[i] = draw(1)
	}
	recs := make([]memory.Record, n)
	for i := range recs {
		r := said(i)
		r.Space, r.Vector = memory.Space(fmt.Sprint("qq:group:", i%spaces)), draw(.7)
		for j, x := range topics[rng.IntN(len(topics))] {
			r.Vector[j] += x + .5
		}
		recs[i] = r
	}
	return recs
}

// BenchmarkSearch finds ten records with this package, exactly and with HNSW, and with memory/flat: 100 000 vectors in one space, and in
// 1 000 spaces. recall@10 is the share of memory/flat's records. It needs a server with pgvector.
//
//	go test ./memory/postgres -run xxx -bench Search -benchtime 200x -timeout 60m
func BenchmarkSearch(b *testing.B) {
	const n, dims = 100_000, 384
	ctx := context.Background()
	o := vectorOptions(b)
	for _, spaces := range []int{1, 1000} {
		recs := topicalRecords(n, dims, spaces)
		exact := flat.New()
		require.NoError(b, exact.Put(ctx, recs...))
		options := o()
		options.Timeout = 10 * time.Minute
		db := open(b, options)
		load := func(x memory.Index) {
			start := time.Now()
			require.NoError(b, x.Put(ctx, recs...))
			b.Logf("%d spaces: loaded in %v", spaces, time.Since(start).Round(time.Second))
			_, err := options.Pool.Exec(ctx, "VACUUM ANALYZE hearth.vectors")
			require.NoError(b, err)
		}
		for _, c := range []struct {
			name string
			open func() memory.Index
		}{
			{"flat", func() memory.Index { return exact }},
			{"exact", func() memory.Index {
				x := openIndex(b, db, postgres.IndexOptions{})
				load(x)
				return x
			}},
			{"hnsw", func() memory.Index {
				require.NoError(b, db.Put(ctx, recs...)) // otherwise OpenIndex deletes the vectors
				start := time.Now()
				x := openIndex(b, db, postgres.IndexOptions{HNSW: dims})
				b.Logf("%d spaces: HNSW built in %v", spaces, time.Since(start).Round(time.Second))
				load(x)
				return x
			}},
		} {
			var x memory.Index
			b.Run(fmt.Sprintf("spaces=%d/%s", spaces, c.name), func(b *testing.B) {
				if x == nil {
					x = c.open()
				}
				var times []time.Duration
				hits, wanted := 0, 0
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					r := recs[i*31%n]
					start := time.Now()
					got, err := x.Search(ctx, r.Space, memory.Query{Vector: r.Vector}, 10)
					times = append(times, time.Since(start))
					if err != nil || len(got) != 10 {
						b.Fatal(got, err)
					}
					b.StopTimer()
					want, err := exact.Search(ctx, r.Space, memory.Query{Vector: r.Vector}, 10)
					require.NoError(b, err)
					for _, w := range want {
						wanted++
						if slices.ContainsFunc(got, func(c memory.Candidate) bool { return c.ID == w.ID }) {
							hits++
						}
					}
					b.StartTimer()
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(hits)/float64(wanted), "recall@10")
			})
		}
		require.NoError(b, db.Close())
		if dsn := os.Getenv("HEARTH_PGVECTOR"); dsn == "" || dsn == "required" { // a server of this test
			_, err := options.Pool.Exec(ctx, "DROP SCHEMA hearth CASCADE")
			require.NoError(b, err)
		}
	}
}

// BenchmarkPut stores one message per call.
func BenchmarkPut(b *testing.B) {
	for _, async := range []bool{false, true} {
		b.Run(fmt.Sprint("async=", async), func(b *testing.B) {
			o := options(b)
			o.AsyncMessages = async
			db := open(b, o)
			for i := 0; b.Loop(); i++ {
				require.NoError(b, db.Put(context.Background(), said(i)))
			}
		})
	}
}

// BenchmarkRecent reads the last 50 messages of a space of 10 000.
func BenchmarkRecent(b *testing.B) {
	db := open(b, options(b))
	recs := make([]memory.Record, 10_000)
	for i := range recs {
		recs[i] = said(i)
	}
	require.NoError(b, db.Put(context.Background(), recs...))
	for b.Loop() {
		if recs, err := db.Tail(context.Background(), group, memory.KindMessage, 50); err != nil || len(recs) != 50 {
			b.Fatal(len(recs), err)
		}
	}
}
