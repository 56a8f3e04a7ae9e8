// Package latency keeps how long the last calls took.
package latency

import (
	"slices"
	"sync/atomic"
	"time"
)

// size is the number of calls that a Window keeps.
const size = 128

// A Window keeps the durations of the last 128 calls. The zero value is empty. All methods may be called concurrently. Add costs
// two atomic operations.
type Window struct {
	n    atomic.Uint64 // calls since the start
	last [size]atomic.Int64
}

// Add adds the duration of a call.
func (w *Window) Add(d time.Duration) {
	w.last[(w.n.Add(1)-1)%size].Store(int64(d))
}

// Percentiles returns the 50th and the 95th percentile of the n calls that are kept. All are 0 before the first call.
func (w *Window) Percentiles() (p50, p95 time.Duration, n int) {
	n = int(min(w.n.Load(), size))
	if n == 0 {
		return 0, 0, 0
	}
	sorted := make([]time.Duration, n)
	for i := range sorted {
		sorted[i] = time.Duration(w.last[i].Load())
	}
	slices.Sort(sorted)
	return sorted[(n*50+99)/100-1], sorted[(n*95+99)/100-1], n // the nearest rank
}
