// Package loop is the one loop that all runners share: it drives a core that takes the time
// (next, due) on the wall clock.
package loop

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrRunning is what Run returns when the loop is running already.
var ErrRunning = errors.New("already running")

// A Loop drives one core on the wall clock. The zero value is ready; a Loop must not be copied
// after its first use. All methods may be called concurrently.
type Loop struct {
	mu      sync.Mutex
	wake    chan struct{} // holds at most one token; made on first use
	running atomic.Bool
	clock   clock
}

// Wake says that something has changed, so that next must be asked again. It never blocks, and a
// call before Run or while due runs is not lost.
func (l *Loop) Wake() {
	select {
	case l.signal() <- struct{}{}:
	default: // a token is there already: one question answers both
	}
}

// Now is the wall clock without its monotonic part, but a clock that was set back does not go
// back here: it runs on at the pace of the monotonic one. Otherwise an hour's correction would
// keep every deadline waiting for an hour.
func (l *Loop) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock.read(time.Now())
}

// Run calls due at each time that next names, until ctx ends; then it returns nil. Both are called
// from this goroutine only. A time that is not after now is due at once, so due has to move next
// on, and next has to answer false while due could do nothing. After Wake, next is asked again.
func (l *Loop) Run(ctx context.Context, next func() (time.Time, bool), due func(now time.Time)) error {
	if !l.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer l.running.Store(false)
	wake := l.signal()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		var fire <-chan time.Time // nil waits for Wake or the end only
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
