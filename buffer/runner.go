package buffer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// ErrRetry, returned by a handler, gives the batch back: its items go in front of what has arrived
// meanwhile, and the handler gets them again, but not before a second has passed.
var ErrRetry = errors.New("buffer: again")

const pause = time.Second // after ErrAgain, so that a handler that always gives back does not spin

// A Runner is a Buffer on the wall clock. All methods may be called concurrently, also from the
// handler, and before and after Run.
//
// The handler gets one batch of a key at a time and up to Options.Workers of different keys. What
// it returns ends the batch: nil, an error, which is logged, or a panic, which is logged with its
// stack; a batch that made the handler panic once is not tried again. Only ErrAgain keeps it. So
// what was added is either handled or, after Run, still in the Runner: see Close.
type Runner[K comparable, T any] struct {
	handle  func(context.Context, Batch[K, T]) error
	workers int
	logger  *slog.Logger
	loop    loop.Loop

	mu   sync.Mutex // never held while the handler or a predicate of Drop runs
	buf  *Buffer[K, T]
	busy int // handlers that run
}

// NewRunner returns a runner that passes its batches to handle while Run runs. It panics if handle is nil.
func NewRunner[K comparable, T any](handle func(context.Context, Batch[K, T]) error, o Options) *Runner[K, T] {
	if handle == nil {
		panic("buffer: NewRunner: handle is nil")
	}
	r := &Runner[K, T]{
		handle:  handle,
		workers: cmp.Or(o.Workers, 16),
		logger:  cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		buf:     New[K, T](o),
	}
	if r.workers < 0 {
		r.workers = math.MaxInt
	}
	return r
}

// Add puts an item under its key.
func (r *Runner[K, T]) Add(key K, v T) {
	r.change(func(now time.Time) { r.buf.Add(now, key, v) })
}

// AddUrgent is Add for an item that calls; see [Buffer.AddUrgent].
func (r *Runner[K, T]) AddUrgent(key K, v T) {
	r.change(func(now time.Time) { r.buf.AddUrgent(now, key, v) })
}

// Hold keeps the key back for d; see [Buffer.Hold].
func (r *Runner[K, T]) Hold(key K, d time.Duration) {
	r.change(func(now time.Time) { r.buf.Hold(now, key, d) })
}

// change does f, and wakes the loop if it made something due earlier than the loop waits for.
func (r *Runner[K, T]) change(f func(now time.Time)) {
	r.mu.Lock()
	before := r.buf.soonest()
	f(r.loop.Now())
	after := r.buf.soonest()
	r.mu.Unlock()
	if after < before {
		r.loop.Wake()
	}
}

// Drop takes out the waiting items of key for which drop answers true, and says how many; see
// [Buffer.Drop]. Items that arrive while it runs are not asked about.
func (r *Runner[K, T]) Drop(key K, drop func(T) bool) (n int) {
	r.mu.Lock()
	var asked []item[T]
	if e := r.buf.keys[key]; e != nil {
		asked = append(asked, e.items[e.out:]...)
		r.buf.dropLater(e, drop)
	}
	r.mu.Unlock()
	ids := matching(asked, drop)
	if len(ids) == 0 {
		return 0
	}
	r.change(func(time.Time) {
		if e := r.buf.keys[key]; e != nil {
			r.buf.dropLater(e, drop) // what was asked about may be out by now
			n = r.buf.remove(e, ids)
		}
	})
	return n
}

// Run hands out batches as they become due, until ctx ends; then it waits for the handlers, whose
// ctx has ended too, and returns nil. A second Run at the same time is an error; a later one goes on
// with what is left.
func (r *Runner[K, T]) Run(ctx context.Context) error {
	var handlers sync.WaitGroup
	defer handlers.Wait()
	err := r.loop.Run(ctx, r.next, func(now time.Time) {
		for _, batch := range r.due(now) {
			handlers.Go(func() { r.work(ctx, batch) })
		}
	})
	if err != nil {
		return fmt.Errorf("buffer: run: %w", err)
	}
	return nil
}

// next answers false while every worker has something to do: the one that is free first wakes
// the loop.
func (r *Runner[K, T]) next() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy >= r.workers {
		return time.Time{}, false
	}
	return r.buf.Next()
}

func (r *Runner[K, T]) due(now time.Time) (batches []Batch[K, T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for batch := range r.buf.Due(now) {
		batches = append(batches, batch)
		if r.busy++; r.busy >= r.workers {
			break
		}
	}
	return batches
}

func (r *Runner[K, T]) work(ctx context.Context, batch Batch[K, T]) {
	again := false
	defer func() { // also when the handler panics or ends its goroutine
		if v := recover(); v != nil {
			r.logger.Error("buffer: handler panicked", "key", batch.Key, "panic", v, "stack", string(debug.Stack()))
		}
		r.end(batch, again)
	}()
	err := r.handle(ctx, batch)
	again = errors.Is(err, ErrRetry)
	if err != nil && !again && ctx.Err() == nil {
		r.logger.Error("buffer: handler failed", "key", batch.Key, "err", err)
	}
}

// end makes the key of batch free again.
func (r *Runner[K, T]) end(batch Batch[K, T], again bool) {
	defer r.loop.Wake()
	if !again {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
		r.buf.Done(r.loop.Now(), batch.Key)
		return
	}
	r.giveBack(batch)
}

// giveBack is Return, with the predicates of Drop asked outside of the lock.
func (r *Runner[K, T]) giveBack(batch Batch[K, T]) {
	var gone []bool
	for {
		r.mu.Lock()
		drops := r.buf.drops[batch.Key]
		if len(drops) == 0 {
			break
		}
		delete(r.buf.drops, batch.Key)
		r.mu.Unlock()
		gone = mark(gone, batch.Items, drops)
	}
	defer r.mu.Unlock()
	now := r.loop.Now()
	r.busy--
	r.buf.putBack(now, batch, gone)
	r.buf.Hold(now, batch.Key, pause)
}

// Drain yields what Run left when it returned, whether it was due or not, one batch for each key,
// oldest item first, and removes each as it is yielded; breaking out of the loop leaves the rest.
func (r *Runner[K, T]) Drain() iter.Seq[Batch[K, T]] {
	return func(yield func(Batch[K, T]) bool) {
		r.mu.Lock()
		keys := r.buf.waiting()
		r.mu.Unlock()
		for _, key := range keys {
			r.mu.Lock()
			batch, ok := r.buf.take(key)
			r.mu.Unlock()
			if ok && !yield(batch) {
				return
			}
		}
	}
}
