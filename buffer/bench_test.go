package buffer_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/buffer"
)

// BenchmarkAdd measures one item: Add and its share of Due and Done, with 1,000 keys that get an item about once a
// second each, at random.
func BenchmarkAdd(b *testing.B) {
	const live = 1000
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	buf := buffer.New[int64, string](buffer.Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	keys := make([]int64, 1<<16)
	for i := range keys {
		keys[i] = 100_000 + rng.Int64N(live)
	}
	batches := 0
	step := func(i int) {
		now = now.Add(time.Millisecond)
		buf.Add(now, keys[i&(len(keys)-1)], "大家晚上好")
		for batch := range buf.Due(now) {
			batches++
			buf.Done(now, batch.Key)
		}
	}
	for i := range 20 * live { // warm up
		step(i)
	}
	batches = 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		step(i)
	}
	runtime.ReadMemStats(&after)
	if batches > 0 {
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(batches), "allocs/batch")
		b.ReportMetric(float64(b.N)/float64(batches), "items/batch")
	}
}

// BenchmarkIdleKeys fills a buffer with a million keys of one item each and drains it.
func BenchmarkIdleKeys(b *testing.B) {
	const keys = 1_000_000
	for b.Loop() {
		waiting, left := idleKeys(b, keys)
		b.ReportMetric(float64(waiting)/keys, "B/key")
		b.ReportMetric(float64(left), "B-left")
	}
}

// idleKeys reports the memory of a buffer with the given number of keys of one item each, and its memory after the
// keys have drained.
func idleKeys(tb testing.TB, keys int) (waiting, left int64) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	empty := heapInUse()
	buf := buffer.New[int64, string](buffer.Options{})
	for i := range keys {
		now = now.Add(time.Microsecond)
		buf.Add(now, int64(i), "大家晚上好")
	}
	waiting = heapInUse() - empty
	now = now.Add(time.Hour)
	drained := 0
	for batch := range buf.Due(now) {
		drained++
		buf.Done(now, batch.Key)
	}
	if drained != keys {
		tb.Fatalf("drained %d of %d keys", drained, keys)
	}
	left = heapInUse() - empty
	runtime.KeepAlive(buf)
	return waiting, left
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
