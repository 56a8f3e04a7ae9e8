package nit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// grace is how long the door waits for a tool to come back after its context ended.
const grace = time.Second

var (
	errTooLong = errors.New("nit: timeout of the tool")
	errExited  = errors.New("nit: the tool ended its goroutine")
)

type callResult struct {
	out any
	err error
}

// run runs inv on a goroutine of its own until it ends or, after timeout and grace, is left to itself.
// One that is left is still counted by busy. took is until run returns.
func run(ctx context.Context, inv invocation, timeout time.Duration, busy *callCounter) (out any, took time.Duration, err error) {
	start := time.Now()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTooLong)
		defer cancel()
	}
	done := make(chan callResult, 1)
	busy.begin()
	go func() {
		defer busy.end()
		o := callResult{err: errExited} // stays so after runtime.Goexit
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
		o.err = fmt.Errorf("it does not heed its context: %w", context.Cause(ctx))
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

// catchPanic runs f here and turns a panic into an error.
func catchPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError(r)
		}
	}()
	return f()
}

func panicError(r any) error { return fmt.Errorf("panic: %v\n%s", r, debug.Stack()) }

// callCounter counts the tools that run. The zero value counts from none.
type callCounter struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to 0; nil when nobody waits
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
