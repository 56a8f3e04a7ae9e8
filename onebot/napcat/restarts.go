package napcat

import (
	"fmt"
	"time"
)

// A CrashLoopError ends [Supervisor.Run]: the child ended again and there may be no more restarts.
type CrashLoopError struct {
	Restarts int           // made within the time
	Within   time.Duration // Options.RestartWindow
	Last     Exit          // the end that was not followed by a restart
}

// Error says how often it was tried, and how the child ended last.
func (e *CrashLoopError) Error() string {
	return fmt.Sprintf("napcat: %d restarts within %v, then the child ended again: %v", e.Restarts, e.Within, e.Last)
}

// restarts decides when the next child starts. It holds no clock.
type restarts struct {
	low, high time.Duration
	limit     int // negative: none
	window    time.Duration

	made []time.Time // restarts within the window, oldest first
}

// enough is how many doublings there can be; more restarts need not be remembered when they have no limit.
const enough = 64

// next tells when to start the next child after one that ended at now. It is false when there were too many within
// the window.
func (r *restarts) next(now time.Time) (time.Time, bool) {
	for len(r.made) > 0 && now.Sub(r.made[0]) >= r.window {
		r.made = r.made[1:]
	}
	if r.limit >= 0 && len(r.made) >= r.limit {
		return time.Time{}, false
	}
	wait := r.low
	for range r.made {
		if wait >= r.high {
			break
		}
		wait *= 2
	}
	at := now.Add(min(wait, r.high))
	r.made = append(r.made, at)
	if r.limit < 0 && len(r.made) > enough {
		r.made = r.made[1:]
	}
	return at, true
}
