// Package loop runs a deterministic core on the wall clock. A core reports its next deadline (next) and handles it
// (due); all runners share this loop.
package loop

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrRunning is returned by Run if the loop is already running.
var ErrRunning = errors.New("already running")

// A Loop runs one core on the wall clock. The zero value is ready to use. A Loop must not be copied after first use.
// All methods may be called concurrently.
type Loop struct {
	mu      sync.Mutex
	wake    chan struct{} // holds at most one token; made on first use
	running atomic.Bool
	clock   clock
}

// Wake makes Run call next again after a change. It never blocks. A call before Run or during due is not lost.
func (l *Loop) Wake() {
	select {
	case l.signal() <- struct{}{}:
	default: // a token is there: one call of next serves both
	}
}

// Now returns the wall clock time without its monotonic part. If the system clock is set back, Now continues at the
// pace of the monotonic clock. Otherwise a correction of one hour would delay every deadline by one hour.
func (l *Loop) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock.read(time.Now())
}

// Run calls due at each time that next returns, until ctx is done. Then it returns nil. Both functions are called
// from this goroutine only. A time that is not after now is due at once, so due must advance next, and next must
// return false while due has nothing to do. Run calls next again after Wake.
func (l *Loop) Run(ctx context.Context, next func() (time.Time, bool), due func(now time.Time)) error {
	if !l.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer l.running.Store(false)
	wake := l.signal()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		var fire <-chan time.Time // nil: wait for Wake or the end of ctx
		if at, ok := next(); ok {
			now := l.Now()
			if !at.After(now) {
				due(now)
				continue
			}
			timer.Reset(at.Sub(now))
			fire = timer.C
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-fire:
		}
	}
	return nil
}

func (l *Loop) signal() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wake == nil {
		l.wake = make(chan struct{}, 1)
	}
	return l.wake
}
