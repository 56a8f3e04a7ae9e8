package buffer_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

// A line is one message of a random day.
type line struct {
	after  time.Duration // since the start of the day
	key    int
	urgent bool
}

// seededDay generates a day with the given number of groups. Times are random to the nanosecond, so that no two are
// equal: a runner cannot order those.
func seededDay(groups, lines int) []line {
	rng := rand.New(rand.NewPCG(2026, 9))
	day := make([]line, lines)
	for i := range day {
		day[i] = line{time.Duration(rng.Int64N(int64(24 * time.Hour))), rng.IntN(groups), rng.IntN(20) == 0}
	}
	slices.SortFunc(day, func(a, b line) int { return cmp.Compare(a.after, b.after) })
	return day
}

func (l line) say(i int, add, summon func(int, string)) {
	if l.urgent {
		summon(l.key, strconv.Itoa(i))
	} else {
		add(l.key, strconv.Itoa(i))
	}
}

func TestRunner_SameBatchesAsBuffer(t *testing.T) {
	groups, lines := 200, 60_000
	if testing.Short() {
		groups, lines = 50, 10_000
	}
	day := seededDay(groups, lines)

	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var want []batch
		core := buffer.New[int, string](buffer.Options{})
		until := func(now time.Time) {
			for {
				next, ok := core.Next()
				if !ok || next.After(now) {
					return
				}
				for b := range core.Due(next) {
					want = append(want, b)
					core.Done(next, b.Key)
				}
			}
		}
		for i, l := range day {
			now := start.Add(l.after)
			until(now)
			l.say(i, func(k int, v string) { core.Add(now, k, v) }, func(k int, v string) { core.AddUrgent(now, k, v) })
		}
		until(start.Add(25 * time.Hour))

		d := &diary{start: start}
		r := buffer.NewRunner(func(_ context.Context, b batch) error { d.note(b); return nil }, buffer.Options{})
		stop := run(t, r)
		for i, l := range day {
			time.Sleep(time.Until(start.Add(l.after)))
			l.say(i, r.Add, r.AddUrgent)
		}
		time.Sleep(time.Hour)
		stop()
		require.Len(t, d.batches, len(want))
		for i := range want { // require.Equal on the whole slice is slow
			w, g := want[i], d.batches[i]
			require.True(t, w.FirstAt.Equal(g.FirstAt) && w.LastAt.Equal(g.LastAt))
			g.FirstAt, g.LastAt = w.FirstAt, w.LastAt
			require.Equal(t, w, g)
		}
	})
}

// TestRunner_CancelLosesNothing runs handlers that fail in all ways and cancels Run at a random time.
func TestRunner_CancelLosesNothing(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { cancelSomewhere(t, seed) })
	}
}

func cancelSomewhere(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var mu sync.Mutex
	chance := rand.New(rand.NewPCG(seed, 4))
	pick := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return chance.IntN(n)
	}
	ended := map[string]int{}
	r := buffer.NewRunner(func(ctx context.Context, b batch) error {
		select {
		case <-time.After(time.Duration(pick(20)) * time.Second):
		case <-ctx.Done():
		}
		how := pick(6)
		if how == 0 {
			return buffer.ErrRetry
		}
		mu.Lock()
		for _, v := range b.Items {
			ended[v]++
		}
		mu.Unlock()
		if how == 1 {
			panic("somewhere")
		}
		if how == 2 {
			return errors.New("somewhere")
		}
		return nil
	}, buffer.Options{Workers: 1 + rng.IntN(4), Logger: discardLog})
	stop := run(t, r)
	added := 200
	cancelAt := rng.IntN(added)
	for i := range added {
		if i == cancelAt {
			stop()
		}
		line{key: rng.IntN(5), urgent: rng.IntN(8) == 0}.say(i, r.Add, r.AddUrgent)
		if rng.IntN(3) > 0 {
			time.Sleep(time.Duration(rng.Int64N(int64(8 * time.Second))))
		}
	}
	for b := range r.Drain() {
		for _, v := range b.Items {
			ended[v]++
		}
	}
	for i := range added {
		require.Equal(t, 1, ended[strconv.Itoa(i)], "seed %d, item %d", seed, i)
	}
}

// TestRunner_ConcurrentUse runs on the real clock, for the race detector.
func TestRunner_ConcurrentUse(t *testing.T) {
	const goroutines, each = 8, 500
	var handled atomic.Int64
	o := buffer.Options{Debounce: time.Millisecond, UrgentDelay: -1, Logger: discardLog}
	r := buffer.NewRunner(func(_ context.Context, b batch) error {
		handled.Add(int64(len(b.Items)))
		return nil
	}, o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	var all sync.WaitGroup
	var dropped atomic.Int64
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				key := (g + i) % 20
				line{key: key, urgent: i%50 == 0}.say(i, r.Add, r.AddUrgent)
				switch i % 100 {
				case 30:
					r.Hold(key, time.Millisecond)
				case 60:
					dropped.Add(int64(r.Drop(key, func(s string) bool { return s == "59" || s == "60" })))
				}
			}
		})
	}
	all.Wait()
	cancel()
	require.NoError(t, <-ended)
	left := 0
	for b := range r.Drain() {
		left += len(b.Items)
	}
	assert.Equal(t, goroutines*each, int(handled.Load())+int(dropped.Load())+left)
}
