package nit

import (
	"context"
	"sync"
)

// A replayTable keeps the calls with an id and an effect that were made through a view or a view derived from it, so that
// the same call is not made twice.
type replayTable struct {
	mu       sync.Mutex
	attempts map[attemptKey]*attempt
}

// An attempt is a call with an id and an effect. The same call again is not a second one.
type attempt struct {
	done    chan struct{} // closed when what follows is known
	reached bool
	res     Result
	err     error
}

// attemptKey is a whole call: some models give one id to different calls.
type attemptKey struct{ id, name, args string }

// begin gives the attempt of key, and whether the caller is the one to make it and then to finish it.
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

// finish tells those that wait. What never reached its tool may be tried anew.
func (t *replayTable) finish(key attemptKey, a *attempt) {
	if !a.reached {
		t.mu.Lock()
		delete(t.attempts, key)
		t.mu.Unlock()
	}
	close(a.done)
}

// wait waits for an attempt that another caller makes and gives its outcome.
func (a *attempt) wait(ctx context.Context) (Result, error) {
	select {
	case <-a.done:
		return a.res, a.err
	case <-ctx.Done():
		return Result{}, &callError{kind: ErrFailed, cause: ctx.Err()}
	}
}
