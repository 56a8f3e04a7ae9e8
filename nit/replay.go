package nit

import (
	"context"
	"sync"
)

// A replayTable deduplicates calls that have an id and an effect, for a view and all views derived from it.
type replayTable struct {
	mu       sync.Mutex
	attempts map[attemptKey]*attempt
}

// An attempt is one execution of such a call.
type attempt struct {
	done    chan struct{} // closed when the fields below are set
	reached bool
	res     Result
	err     error
}

// attemptKey includes the name and arguments because some models reuse ids.
type attemptKey struct{ id, name, args string }

// begin returns the attempt for key. If first is true, the caller executes it and calls finish.
func (t *replayTable) begin(key attemptKey) (a *attempt, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.attempts[key]; a != nil {
		return a, false
	}
	if t.attempts == nil {
		t.attempts = make(map[attemptKey]*attempt)
	}
	a = &attempt{done: make(chan struct{})}
	t.attempts[key] = a
	return a, true
}

// finish publishes the result to waiting callers. It forgets a call that did not reach its tool, so that it can be
// retried.
func (t *replayTable) finish(key attemptKey, a *attempt) {
	if !a.reached {
		t.mu.Lock()
		delete(t.attempts, key)
		t.mu.Unlock()
	}
	close(a.done)
}

// wait returns the result of an attempt that another caller executes.
func (a *attempt) wait(ctx context.Context) (Result, error) {
	select {
	case <-a.done:
		return a.res, a.err
	case <-ctx.Done():
		return Result{}, &callError{kind: ErrFailed, cause: ctx.Err()}
	}
}
