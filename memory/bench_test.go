package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/internal/chatter"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/when"
	"github.com/stretchr/testify/require"
)

// vectors returns random vectors, because similarity does not change the cost of a search.
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

// BenchmarkRecall finds ten records among 10 000 messages of one space, with a store in memory. memory/sqlite has the
// same benchmark over SQLite. It reports the median in addition to the mean:
//
//	go test ./memory ./memory/sqlite -run xxx -bench Recall
func BenchmarkRecall(b *testing.B) {
	recs := vectors(chatter.Random(10_000, group, noon))
	query := memory.Query{Text: recs[4321].Text}
	for _, c := range []struct {
		name string
		open func() memory.Store
		o    memory.Options
		q    memory.Query
	}{
		{"words", func() memory.Store { return memory.NewMemStore() }, memory.Options{}, query},
		{"person", func() memory.Store { return memory.NewMemStore() }, memory.Options{}, memory.Query{Text: query.Text, Person: "7"}},
		{"newest", func() memory.Store { return memory.NewMemStore() }, memory.Options{}, memory.Query{}},
		{"blended-chromem", func() memory.Store { return memory.NewMemStore() }, memory.Options{Indexes: []memory.Index{chromem.New()}},
			memory.Query{Text: query.Text, Vector: recs[4321].Vector}},
		{"blended-flat", func() memory.Store { return memory.NewMemStore() }, memory.Options{Indexes: []memory.Index{flat.New()}},
			memory.Query{Text: query.Text, Vector: recs[4321].Vector}},
		{"time", func() memory.Store { return memory.NewMemStore() }, memory.Options{}, memory.Query{Text: "三天前" + query.Text}},
	} {
		b.Run(c.name, func(b *testing.B) {
			store := c.open()
			require.NoError(b, store.Put(context.Background(), recs...))
			m := memorytest.New(b, store, c.o)
			require.NoError(b, m.Preload(context.Background()))
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
	recs := chatter.Random(10_000, group, noon)
	b.ReportAllocs()
	for b.Loop() {
		if err := memory.NewLexicalIndex(memory.LexicalOptions{}).Put(context.Background(), recs...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKeep puts one message into a store in memory and the index. See memory/sqlite for a durable store.
func BenchmarkKeep(b *testing.B) {
	recs := chatter.Random(10_000, group, noon)
	m := memorytest.New(b, memory.NewMemStore(), memory.Options{})
	require.NoError(b, m.Put(context.Background(), recs...))
	recall(b, m.Reader(group), "")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := recs[i%len(recs)]
		r.ID = fmt.Sprint("new", i)
		if err := m.Put(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWhen calls [when.Find] on texts without a time expression.
func BenchmarkWhen(b *testing.B) {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"zh": "有没有人知道校医院的电话是多少，我想问一下挂号要不要带身份证", "en": "does anybody know whether the keyboard that Ann bought has a number pad and good keys",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, ok := when.Find(text, now); ok {
					b.Fatal(text)
				}
			}
		})
	}
}
