package buffer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

// A diary records batches in the order in which a handler gets them.
type diary struct {
	mu      sync.Mutex
	batches []batch
	at      []time.Duration // since the start
	start   time.Time
}

var discardLog = slog.New(slog.DiscardHandler)

func (d *diary) note(b batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batches = append(d.batches, b)
	d.at = append(d.at, time.Since(d.start))
}

func (d *diary) items() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.batches {
		all = append(all, b.Items...)
	}
	return all
}

// run starts Run. The returned function cancels it and waits for its end.
func run(t *testing.T, r *buffer.Runner[int, string]) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func TestRunner_DeliversAtDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		r := buffer.NewRunner(func(_ context.Context, b batch) error { d.note(b); return nil }, buffer.Options{})
		stop := run(t, r)
		r.Add(1, "a")
		time.Sleep(15 * time.Second)
		r.Add(1, "b")
		time.Sleep(time.Second)
		r.AddUrgent(2, "!c") // due before the time that the loop waits for
		time.Sleep(time.Second)
		r.Add(2, "d")
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, []time.Duration{18 * time.Second, 35 * time.Second}, d.at)
		assert.Equal(t, []string{"!c", "d", "a", "b"}, d.items())
	})
}

func TestRunner_ItemsAddedBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		r := buffer.NewRunner(func(_ context.Context, b batch) error { d.note(b); return nil }, buffer.Options{})
		r.Add(1, "a")
		time.Sleep(time.Minute)
		stop := run(t, r)
		synctest.Wait()
		stop()
		assert.Equal(t, []time.Duration{time.Minute}, d.at, "at once")
	})
}

func TestRunner_OneBatchPerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, calls := map[int]bool{}, 0, 0
		handle := func(_ context.Context, b batch) error {
			mu.Lock()
			assert.False(t, running[b.Key], "two batches of one key at once")
			running[b.Key] = true
			most = max(most, len(running))
			calls++
			mu.Unlock()
			time.Sleep(5 * time.Second)
			mu.Lock()
			delete(running, b.Key)
			mu.Unlock()
			return nil
		}
		r := buffer.NewRunner(handle, buffer.Options{Workers: 3, UrgentDelay: -1})
		stop := run(t, r)
		for range 4 {
			for key := range 10 {
				r.AddUrgent(key, "!")
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, 3, most)
		assert.Equal(t, 20, calls, "for each key the first, and all others as one")
		assert.Empty(t, slices.Collect(r.Drain()))
	})
}

func TestRunner_ErrRetryWaitsOneSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		r := buffer.NewRunner(func(_ context.Context, b batch) error {
			d.note(b)
			if len(b.Items) < 3 {
				return fmt.Errorf("superseded: %w", buffer.ErrRetry)
			}
			return nil
		}, buffer.Options{UrgentDelay: -1, Workers: 1})
		stop := run(t, r)
		r.AddUrgent(1, "!a")
		time.Sleep(500 * time.Millisecond)
		r.Add(1, "b")
		time.Sleep(time.Second)
		r.Add(1, "c")
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, [][]string{{"!a"}, {"!a", "b"}, {"!a", "b", "c"}}, [][]string{d.batches[0].Items, d.batches[1].Items, d.batches[2].Items})
		assert.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, d.at)
	})
}

func TestRunner_HandlerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		var log bytes.Buffer
		o := buffer.Options{UrgentDelay: -1, Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		r := buffer.NewRunner(func(_ context.Context, b batch) error {
			d.note(b)
			switch b.Items[0] {
			case "!panic":
				panic("on purpose")
			case "!exit":
				runtime.Goexit()
			case "!error":
				return errors.New("no luck")
			}
			return nil
		}, o)
		stop := run(t, r)
		for _, item := range []string{"!panic", "!exit", "!error", "!fine"} {
			r.AddUrgent(1, item)
			time.Sleep(time.Second)
		}
		stop()
		assert.Equal(t, []string{"!panic", "!exit", "!error", "!fine"}, d.items(), "each once: none is tried again")
		assert.Contains(t, log.String(), "on purpose")
		assert.Contains(t, log.String(), "TestRunner_HandlerPanics", "with its stack")
		assert.Contains(t, log.String(), "no luck")
	})
}

func TestRun_WaitsForHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		r := buffer.NewRunner(func(ctx context.Context, b batch) error {
			<-ctx.Done()
			time.Sleep(time.Second) // slow cleanup
			ended = true
			return buffer.ErrRetry
		}, buffer.Options{UrgentDelay: -1})
		stop := run(t, r)
		r.AddUrgent(1, "!a")
		r.Add(2, "b")
		time.Sleep(time.Second)
		r.Add(1, "c")
		stop()
		assert.True(t, ended)
		r.Add(3, "after the end")
		var left []string
		for b := range r.Drain() {
			left = append(left, b.Items...)
			if b.Key == 2 {
				break
			}
		}
		for b := range r.Drain() {
			left = append(left, b.Items...)
		}
		assert.Equal(t, []string{"!a", "c", "b", "after the end"}, left)

		// Run may be called again.
		r.AddUrgent(1, "!again")
		stop = run(t, r)
		time.Sleep(time.Second)
		stop()
		assert.Len(t, slices.Collect(r.Drain()), 1, "given back once more")
	})
}

func TestRun_Twice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := buffer.NewRunner(func(context.Context, batch) error { return nil }, buffer.Options{})
		stop := run(t, r)
		synctest.Wait()
		assert.EqualError(t, r.Run(t.Context()), "buffer: run: already running")
		stop()
	})
}

func TestRunner_HoldAndDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		r := buffer.NewRunner(func(_ context.Context, b batch) error { d.note(b); return nil }, buffer.Options{})
		stop := run(t, r)
		r.AddUrgent(1, "!a")
		r.Add(1, "b")
		r.Hold(1, time.Minute)
		r.AddUrgent(2, "!c")
		assert.Equal(t, 1, r.Drop(2, func(s string) bool { return s == "!c" }))
		assert.Zero(t, r.Drop(1, func(s string) bool { return s == "!c" }))
		assert.Zero(t, r.Drop(7, func(s string) bool { return true }))
		assert.Equal(t, 1, r.Drop(1, func(s string) bool { r.Add(3, "from a predicate"); return s == "b" }), "no lock is held")
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, []string{"from a predicate", "from a predicate", "!a"}, d.items())
		assert.Equal(t, []time.Duration{20 * time.Second, time.Minute}, d.at)
	})
}

func TestRunner_Len(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, end := make(chan int), make(chan bool)
		r := buffer.NewRunner(func(_ context.Context, b batch) error { started <- len(b.Items); <-end; return nil }, buffer.Options{})
		stop := run(t, r)
		assert.Zero(t, r.Len())
		r.Add(1, "a")
		r.AddUrgent(1, "b")
		r.Add(2, "c")
		assert.Equal(t, 3, r.Len())
		assert.Equal(t, 2, <-started)
		assert.Equal(t, 1, r.Len(), "those of a batch that is handled do not wait")
		r.Add(1, "d")
		assert.Equal(t, 2, r.Len())
		end <- true
		for range 2 {
			<-started
			end <- true
		}
		synctest.Wait()
		assert.Zero(t, r.Len())
		stop()
	})
}

func TestRunner_DropInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		r := buffer.NewRunner(func(_ context.Context, b batch) error {
			d.note(b)
			time.Sleep(5 * time.Second)
			if slices.Contains(b.Items, "!recalled") {
				return buffer.ErrRetry
			}
			return nil
		}, buffer.Options{UrgentDelay: -1})
		stop := run(t, r)
		r.Add(1, "a")
		r.AddUrgent(1, "!recalled")
		time.Sleep(time.Second)
		assert.Zero(t, r.Drop(1, func(s string) bool { r.Add(2, "x"); return s == "!recalled" }))
		time.Sleep(time.Hour)
		stop()
		require.Len(t, d.batches, 3)
		assert.Equal(t, []string{"a"}, d.batches[1].Items)
		assert.Equal(t, 20*time.Second, d.at[1], "the recalled message is no longer urgent")
	})
}

// A batch returns after the delay of RetryAfter at the earliest, with the items that arrived meanwhile.
func TestRunner_RetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		began := time.Now()
		r := buffer.NewRunner(func(_ context.Context, b buffer.Batch[int, string]) error {
			got = append(got, fmt.Sprint(time.Since(began), b.Items))
			if len(got) == 1 {
				return fmt.Errorf("later: %w", buffer.RetryAfter(20*time.Second))
			}
			return nil
		}, buffer.Options{Debounce: time.Second, UrgentDelay: time.Second})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		r.AddUrgent(1, "a")
		time.Sleep(5 * time.Second)
		r.AddUrgent(1, "b")
		time.Sleep(time.Minute)
		stop()
		require.NoError(t, <-ended)
		assert.Equal(t, []string{"1s [a]", "21s [a b]"}, got)
		assert.ErrorIs(t, buffer.RetryAfter(0), buffer.ErrRetry)
	})
}
