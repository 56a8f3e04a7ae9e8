package onebot

import (
	"math/rand/v2"
	"time"
)

// backoff draws the waits between dials: evenly between 0 and a ceiling that doubles from one to the next ("full
// jitter", so that many bots do not come back in step).
type backoff struct {
	low, high time.Duration
	ceiling   time.Duration // of the last wait; 0: begin anew
}

func (b *backoff) next() time.Duration {
	b.ceiling = min(max(2*b.ceiling, b.low), b.high)
	return time.Duration(rand.Int64N(int64(b.ceiling) + 1))
}

// lasted tells how long a link has lived. Only one that did for a while shows that all is well again.
func (b *backoff) lasted(d time.Duration) {
	if d >= b.high {
		b.ceiling = 0
	}
}
