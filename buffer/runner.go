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

// ErrRetry is returned by a handler to get the same batch again. The items go in front of newer items, and the
// handler is called again after one second or more.
var ErrRetry = errors.New("buffer: retry the batch")

// RetryAfter returns an error that matches [ErrRetry], for a batch that the handler wants after d at the earliest. Items that
// arrive until then join the batch, urgent ones too. Less than a second counts as one second.
func RetryAfter(d time.Duration) error { return retryAfter(d) }

type retryAfter time.Duration

func (r retryAfter) Error() string { return ErrRetry.Error() + " after " + time.Duration(r).String() }

func (r retryAfter) Is(target error) bool { return target == ErrRetry }

const retryDelay = time.Second // after ErrRetry, so that a handler that always returns it does not spin

// A Runner runs a Buffer on the wall clock. All methods may be called concurrently, also from the handler, and before
// and after Run.
//
// The handler gets one batch of a key at a time and up to Options.Workers batches of different keys. A batch is
// finished after the handler returns nil or an error, or panics. The Runner logs errors and panics and does not retry
// them. Only ErrRetry keeps the batch. So each added item is either handled or still in the Runner after Run: see
// Drain.
type Runner[K comparable, T any] struct {
	handle  func(context.Context, Batch[K, T]) error
	workers int
	logger  *slog.Logger
	loop    loop.Loop

	mu   sync.Mutex // not held while the handler or a predicate of Drop runs
	buf  *Buffer[K, T]
	busy int // running handlers
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

// Add appends an item to the pending items of key.
func (r *Runner[K, T]) Add(key K, v T) {
	r.change(func(now time.Time) { r.buf.Add(now, key, v) })
}

// AddUrgent is like Add for an item that needs a quick answer; see [Buffer.AddUrgent].
func (r *Runner[K, T]) AddUrgent(key K, v T) {
	r.change(func(now time.Time) { r.buf.AddUrgent(now, key, v) })
}

// Hold postpones the pending batch of key by d; see [Buffer.Hold].
func (r *Runner[K, T]) Hold(key K, d time.Duration) {
	r.change(func(now time.Time) { r.buf.Hold(now, key, d) })
}

// change calls f. It wakes the loop if f made the next deadline earlier.
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

// Len returns the number of pending items of all keys. Items of a batch that is being handled do not count. It visits every key with
// items.
func (r *Runner[K, T]) Len() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.buf.keys {
		n += len(e.items) - int(e.inFlight)
	}
	return n
}

// Busy reports whether items are pending or a batch is being handled.
func (r *Runner[K, T]) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy > 0 || len(r.buf.keys) > 0
}

// Drop removes the pending items of key for which drop returns true and returns their number; see [Buffer.Drop].
// Items that arrive during the call are not tested.
func (r *Runner[K, T]) Drop(key K, drop func(T) bool) (n int) {
	r.mu.Lock()
	var asked []item[T]
	if e := r.buf.keys[key]; e != nil {
		asked = append(asked, e.items[e.inFlight:]...)
		r.buf.dropOnReturn(e, drop)
	}
	r.mu.Unlock()
	ids := matching(asked, drop)
	if len(ids) == 0 {
		return 0
	}
	r.change(func(time.Time) {
		if e := r.buf.keys[key]; e != nil {
			r.buf.dropOnReturn(e, drop) // tested items may be in flight by now
			n = r.buf.remove(e, ids)
		}
	})
	return n
}

// Run passes batches to the handler as they become due, until ctx is done. Then it waits for the running handlers,
// whose context is done too, and returns nil. It returns an error if another Run is active. A later Run continues
// with the remaining items.
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

// next returns false while all workers are busy. The first free worker wakes the loop.
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
	again := time.Duration(0)
	defer func() { // also if the handler panics or calls runtime.Goexit
		if v := recover(); v != nil {
			r.logger.Error("buffer: handler panicked", "key", batch.Key, "panic", v, "stack", string(debug.Stack()))
		}
		r.end(batch, again)
	}()
	err := r.handle(ctx, batch)
	if errors.Is(err, ErrRetry) {
		var after retryAfter
		errors.As(err, &after)
		again = max(time.Duration(after), retryDelay)
	}
	if err != nil && again == 0 && ctx.Err() == nil {
		r.logger.Error("buffer: handler failed", "key", batch.Key, "err", err)
	}
}

// end releases the key of batch. again is the delay after which the handler wants it again; 0: it does not.
func (r *Runner[K, T]) end(batch Batch[K, T], again time.Duration) {
	defer r.loop.Wake()
	if again == 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
		r.buf.Done(r.loop.Now(), batch.Key)
		return
	}
	r.giveBack(batch, again)
}

// giveBack is Requeue, but applies the predicates of Drop outside the lock.
func (r *Runner[K, T]) giveBack(batch Batch[K, T], delay time.Duration) {
	var gone []bool
	for {
		r.mu.Lock()
		drops := r.buf.dropsInFlight[batch.Key]
		if len(drops) == 0 {
			break
		}
		delete(r.buf.dropsInFlight, batch.Key)
		r.mu.Unlock()
		gone = matchDrops(gone, batch.Items, drops)
	}
	defer r.mu.Unlock()
	now := r.loop.Now()
	r.busy--
	r.buf.giveBack(now, batch, gone)
	r.buf.Hold(now, batch.Key, delay)
}

// Drain yields the items that remain after Run, due or not, as one batch for each key. The key with the oldest item
// comes first. Each batch is removed when it is yielded, so breaking out of the loop leaves the rest.
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
