package napcat

import (
	"fmt"
	"time"
)

// A CrashLoopError is returned by [Supervisor.Run] if the child exited after too many restarts.
type CrashLoopError struct {
	Restarts int           // restarts within the window
	Within   time.Duration // Options.RestartWindow
	Last     Exit          // the last exit
}

// Error returns the number of restarts and the last exit.
func (e *CrashLoopError) Error() string {
	return fmt.Sprintf("napcat: %d restarts within %v, then the child exited again: %v", e.Restarts, e.Within, e.Last)
}

// restarts computes the time of the next start. It has no clock.
type restarts struct {
	low, high time.Duration
	limit     int // negative: no limit
	window    time.Duration

	recent []time.Time // restarts within the window, oldest first
}

// maxDoublings is the largest number of doublings. Without a limit, older restarts need not be stored.
const maxDoublings = 64

// next returns the time of the next start for a child that exited at now. It returns false after too many restarts
// within the window.
func (r *restarts) next(now time.Time) (time.Time, bool) {
	for len(r.recent) > 0 && now.Sub(r.recent[0]) >= r.window {
		r.recent = r.recent[1:]
	}
	if r.limit >= 0 && len(r.recent) >= r.limit {
		return time.Time{}, false
	}
	wait := r.low
	for range r.recent {
		if wait >= r.high {
			break
		}
		wait *= 2
	}
	at := now.Add(min(wait, r.high))
	r.recent = append(r.recent, at)
	if r.limit < 0 && len(r.recent) > maxDoublings {
		r.recent = r.recent[1:]
	}
	return at, true
}
