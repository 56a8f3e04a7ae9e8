package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/chatter"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/require"
)

// BenchmarkPut stores one record per call: a message (survives a kill), a synced message (survives a power failure) and
// a fact (always synced). It reports the median in addition to the mean.
func BenchmarkPut(b *testing.B) {
	for _, c := range []struct {
		name string
		kind string
		o    sqlite.Options
	}{{"message", memory.KindMessage, sqlite.Options{}}, {"message-synced", memory.KindMessage, sqlite.Options{SyncMessages: true}}, {"fact", memory.KindFact, sqlite.Options{}}} {
		b.Run(c.name, func(b *testing.B) {
			db, err := sqlite.Open(filepath.Join(b.TempDir(), "bench.db"), c.o)
			require.NoError(b, err)
			defer db.Close()
			times := make([]time.Duration, 0, 1<<16)
			for i := 0; b.Loop(); i++ {
				r := said(i)
				r.Kind, r.Text = c.kind, "今天晚上一起去吃火锅吗，学校后门新开了一家，听说还不错"
				start := time.Now()
				if err := db.Put(context.Background(), r); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkRecall finds ten records by words among 10 000 messages of one space. It reports the median in addition to
// the mean, like the benchmark of package memory.
func BenchmarkRecall(b *testing.B) {
	recs := chatter.Random(10_000, group, time.Unix(1.77e9, 0))
	db := fresh(b)
	require.NoError(b, db.Put(context.Background(), recs...))
	m := memorytest.New(b, db, memory.Options{})
	require.NoError(b, m.Preload(context.Background()))
	r, now, query := m.Reader(group), recs[len(recs)-1].At, memory.Query{Text: recs[4321].Text}
	times := make([]time.Duration, 0, 1<<14)
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		hits, err := r.Recall(context.Background(), now, query)
		times = append(times, time.Since(start))
		if err != nil || len(hits) != 10 {
			b.Fatal(len(hits), err)
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
}

// BenchmarkRecent reads the last 50 messages of a space of 10 000.
func BenchmarkRecent(b *testing.B) {
	db := fresh(b)
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

// BenchmarkLoad reads 10 000 messages from the file into the word index.
func BenchmarkLoad(b *testing.B) {
	db := fresh(b)
	recs := make([]memory.Record, 10_000)
	for i := range recs {
		recs[i] = said(i)
		recs[i].Text = fmt.Sprint("第 ", i, " 句：晚上一起去吃火锅吗，学校后门新开了一家", i%97)
	}
	require.NoError(b, db.Put(context.Background(), recs...))
	for b.Loop() {
		if err := memorytest.New(b, db, memory.Options{}).Preload(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSkim reads 40 scattered records by ID, as a recall does.
func BenchmarkSkim(b *testing.B) {
	db := fresh(b)
	recs, ids := make([]memory.Record, 10_000), make([]string, 40)
	for i := range recs {
		recs[i] = said(i)
		recs[i].Text = fmt.Sprint("第 ", i, " 句：晚上一起去吃火锅吗，学校后门新开了一家", i%97)
	}
	for i := range ids {
		ids[i] = recs[(i*4001)%len(recs)].ID
	}
	require.NoError(b, db.Put(context.Background(), recs...))
	b.ReportAllocs()
	for b.Loop() {
		if recs, err := db.GetWithoutVectors(context.Background(), group, ids...); err != nil || len(recs) != len(ids) {
			b.Fatal(len(recs), err)
		}
	}
}
