package napcat

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestRestarts_BackoffAndLimit(t *testing.T) {
	r := restarts{low: time.Second, high: 8 * time.Second, limit: 5, window: 10 * time.Minute}
	now := t0
	for _, want := range []time.Duration{1, 2, 4, 8, 8} {
		at, ok := r.next(now)
		require.True(t, ok)
		assert.Equal(t, want*time.Second, at.Sub(now))
		now = at.Add(time.Second)
	}
	_, ok := r.next(now)
	assert.False(t, ok)
	_, ok = r.next(now.Add(time.Hour))
	assert.True(t, ok, "the window has passed")
}

func TestRestarts_WindowPasses(t *testing.T) {
	r := restarts{low: time.Second, high: 8 * time.Second, limit: 2, window: time.Minute}
	for now := t0; now.Before(t0.Add(24 * time.Hour)); now = now.Add(31 * time.Second) {
		_, ok := r.next(now)
		require.True(t, ok, "one every 31 s never makes three in a minute")
	}
}

func TestRestarts_NoLimit(t *testing.T) {
	r := restarts{low: time.Second, high: time.Hour, limit: -1, window: 1000 * time.Hour}
	now := t0
	for range 10_000 {
		at, ok := r.next(now)
		require.True(t, ok)
		require.LessOrEqual(t, at.Sub(now), time.Hour)
		now = now.Add(time.Second)
	}
	assert.LessOrEqual(t, len(r.recent), maxDoublings)
}

// At any time the window contains at most limit restarts, and each waits between low and high.
func TestRestarts_WithinBounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := restarts{low: time.Duration(1 + rnd.IntN(2000)), high: time.Duration(2000 + rnd.IntN(10000)), limit: rnd.IntN(6), window: time.Duration(1 + rnd.IntN(100_000))}
		var made []time.Time
		now := t0
		for range 300 {
			now = now.Add(time.Duration(rnd.IntN(20_000)))
			at, ok := r.next(now)
			within := 0
			for _, m := range made {
				if now.Sub(m) < r.window {
					within++
				}
			}
			require.Equal(t, within < r.limit, ok)
			if ok {
				require.GreaterOrEqual(t, at.Sub(now), r.low)
				require.LessOrEqual(t, at.Sub(now), r.high)
				made = append(made, at)
				now = at
			}
		}
	}
}
