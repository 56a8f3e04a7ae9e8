package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/require"
)

// chatter makes up n messages of some twenty glyphs; glyphs are as unevenly used as in real talk.
func chatter(n int) []memory.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 8, 2500)
	recs := make([]memory.Record, n)
	for i := range recs {
		var text strings.Builder
		for range 5 + rng.IntN(30) {
			text.WriteRune(rune(0x4e00 + zipf.Uint64()))
		}
		recs[i] = memory.Record{
			ID: fmt.Sprint(i), Space: group, Kind: memory.Message, Text: text.String(), Person: fmt.Sprint(i % 40),
			Name: fmt.Sprintf("群友%c", rune(0x5000+i%40)), At: noon.Add(time.Duration(i) * 40 * time.Second),
		}
	}
	return recs
}

// vectors are random: how alike they are does not change what a search costs.
func vectors(recs []memory.Record) []memory.Record {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range recs {
		v := make([]float32, 384)
		for j := range v {
			v[j] = float32(rng.NormFloat64())
		}
		recs[i].Vector = v
	}
	return recs
}

// BenchmarkRecall finds ten records for a prompt among 10 000 messages of one space. It reports the median beside the mean:
//
//	go test ./memory -run xxx -bench Recall
func BenchmarkRecall(b *testing.B) {
	recs := vectors(chatter(10_000))
	query := memory.Query{Text: recs[4321].Text}
	for _, c := range []struct {
		name string
		open func() memory.Store
		o    memory.Options
		q    memory.Query
	}{
		{"words", func() memory.Store { return memory.NewStore() }, memory.Options{}, query},
		{"person", func() memory.Store { return memory.NewStore() }, memory.Options{}, memory.Query{Text: query.Text, Person: "7"}},
		{"newest", func() memory.Store { return memory.NewStore() }, memory.Options{}, memory.Query{}},
		{"words-sqlite", func() memory.Store {
			db, err := sqlite.Open(filepath.Join(b.TempDir(), "bench.db"), nil)
			require.NoError(b, err)
			b.Cleanup(func() { db.Close() })
			return db
		}, memory.Options{}, query},
		{"blended-chromem", func() memory.Store { return memory.NewStore() }, memory.Options{Indexes: []memory.Index{chromem.New(nil)}},
			memory.Query{Text: query.Text, Vector: recs[4321].Vector}},
		{"blended-flat", func() memory.Store { return memory.NewStore() }, memory.Options{Indexes: []memory.Index{flat.New(nil)}},
			memory.Query{Text: query.Text, Vector: recs[4321].Vector}},
		{"time", func() memory.Store { return memory.NewStore() }, memory.Options{}, memory.Query{Text: "三天前" + query.Text}},
	} {
		b.Run(c.name, func(b *testing.B) {
			store := c.open()
			require.NoError(b, store.Put(context.Background(), recs...))
			m := memory.New(store, &c.o)
			require.NoError(b, m.Load(context.Background()))
			r := m.Reader(group)
			now := recs[len(recs)-1].At
			times := make([]time.Duration, 0, 1<<14)
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				hits, err := r.Recall(context.Background(), now, c.q)
				times = append(times, time.Since(start))
				if err != nil || len(hits) != 10 {
					b.Fatal(len(hits), err)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
		})
	}
}

// BenchmarkIndex rebuilds the word index of 10 000 messages.
func BenchmarkIndex(b *testing.B) {
	recs := chatter(10_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := memory.NewLexical(nil).Put(context.Background(), recs...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKeep keeps one message and finds it from then on; the store is in memory. See memory/sqlite for a durable one.
func BenchmarkKeep(b *testing.B) {
	recs := chatter(10_000)
	m := memory.New(memory.NewStore(), nil)
	require.NoError(b, m.Keep(context.Background(), recs...))
	recall(b, m.Reader(group), "")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := recs[i%len(recs)]
		r.ID = fmt.Sprint("new", i)
		if err := m.Keep(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
