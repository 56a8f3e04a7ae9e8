package nit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// grace is the extra time for a tool to return after its context ended.
const grace = time.Second

var (
	errTooLong = errors.New("nit: tool timeout")
	errExited  = errors.New("nit: the tool called runtime.Goexit")
)

type callResult struct {
	out any
	err error
}

// run runs inv on its own goroutine. After timeout and grace it returns and abandons the goroutine, which inFlight still
// counts. took is the time until run returns.
func run(ctx context.Context, inv invocation, timeout time.Duration, inFlight *callCounter) (out any, took time.Duration, err error) {
	start := time.Now()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTooLong)
		defer cancel()
	}
	done := make(chan callResult, 1)
	inFlight.begin()
	go func() {
		defer inFlight.end()
		o := callResult{err: errExited} // remains if inv calls runtime.Goexit
		defer func() {
			if r := recover(); r != nil {
				o.err = panicError(r)
			}
			done <- o
		}()
		o.out, o.err = inv(ctx)
	}()
	o, ok := awaitResult(ctx, done)
	if !ok {
		o.err = fmt.Errorf("it ignores its context: %w", context.Cause(ctx))
	}
	if o.err != nil {
		o.out, o.err = nil, failure(ctx, o.err)
	}
	return o.out, time.Since(start), o.err
}

func awaitResult(ctx context.Context, done <-chan callResult) (callResult, bool) {
	select {
	case o := <-done:
		return o, true
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o, true
	case <-time.After(grace):
		return callResult{}, false
	}
}

// catchPanic calls f and turns a panic into an error.
func catchPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError(r)
		}
	}()
	return f()
}

func panicError(r any) error { return fmt.Errorf("panic: %v\n%s", r, debug.Stack()) }

// callCounter counts running calls. The zero value is ready to use.
type callCounter struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n reaches 0; nil without waiters
}

func (r *callCounter) begin() {
	r.mu.Lock()
	r.n++
	r.mu.Unlock()
}

func (r *callCounter) end() {
	r.mu.Lock()
	if r.n--; r.n == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
	r.mu.Unlock()
}

func (r *callCounter) wait(ctx context.Context) error {
	r.mu.Lock()
	if r.n == 0 {
		r.mu.Unlock()
		return nil
	}
	if r.idle == nil {
		r.idle = make(chan struct{})
	}
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
