package nit

import (
	"context"
	"sync"
	"sync/atomic"
)

// A turn is what a view shares with all views that were made of it.
type turn struct {
	calls atomic.Int64 // made so far
	shed  atomic.Int64 // tiers whose tools that act are gone, see Sheds

	mu       sync.Mutex
	attempts map[attemptKey]*attempt
}

// sheds tells whether a tool was shed.
func (t *turn) sheds(e *entry) bool { return !e.readOnly && Tier(t.shed.Load())&e.tier != 0 }

// An attempt is a call with an id and an effect. The same call again is not a second one.
type attempt struct {
	over chan struct{} // closed when what follows is known
	ran  bool
	res  Result
	err  error
}

// attemptKey is a whole call: some models give one id to different calls.
type attemptKey struct{ id, name, args string }

// attempt gives the attempt of key, and whether the caller is the one to make it and then to finish it.
func (t *turn) attempt(key attemptKey) (a *attempt, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.attempts[key]; a != nil {
		return a, false
	}
	if t.attempts == nil {
		t.attempts = make(map[attemptKey]*attempt)
	}
	a = &attempt{over: make(chan struct{})}
	t.attempts[key] = a
	return a, true
}

// finish tells those that wait. What never reached its tool may be tried anew.
func (t *turn) finish(key attemptKey, a *attempt) {
	if !a.ran {
		t.mu.Lock()
		delete(t.attempts, key)
		t.mu.Unlock()
	}
	close(a.over)
}

// again waits for an attempt that another caller makes and gives its outcome.
func (a *attempt) again(ctx context.Context) (Result, error) {
	select {
	case <-a.over:
		return a.res, a.err
	case <-ctx.Done():
		return Result{}, &callError{kind: ErrFailed, cause: ctx.Err()}
	}
}
