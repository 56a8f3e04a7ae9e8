package latency

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWindow(t *testing.T) {
	var w Window
	p50, p95, n := w.Percentiles()
	assert.Zero(t, p50)
	assert.Zero(t, p95)
	assert.Zero(t, n)

	w.Add(7 * time.Millisecond)
	p50, p95, n = w.Percentiles()
	assert.Equal(t, 7*time.Millisecond, p50)
	assert.Equal(t, 7*time.Millisecond, p95)
	assert.Equal(t, 1, n)

	for i := range 99 {
		w.Add(time.Duration(i+1) * time.Second)
	}
	p50, p95, n = w.Percentiles()
	assert.Equal(t, 49*time.Second, p50)
	assert.Equal(t, 94*time.Second, p95)
	assert.Equal(t, 100, n)

	for range size {
		w.Add(time.Second)
	}
	p50, p95, n = w.Percentiles()
	assert.Equal(t, time.Second, p50)
	assert.Equal(t, time.Second, p95, "the older calls are gone")
	assert.Equal(t, size, n)
}

func TestWindow_Concurrent(t *testing.T) {
	var w Window
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				w.Add(time.Second)
				w.Percentiles()
			}
		})
	}
	wg.Wait()
	p50, p95, n := w.Percentiles()
	assert.Equal(t, []time.Duration{time.Second, time.Second, size}, []time.Duration{p50, p95, time.Duration(n)})
}

func BenchmarkWindow_Add(b *testing.B) {
	var w Window
	b.ReportAllocs()
	for b.Loop() {
		w.Add(time.Millisecond)
	}
}
