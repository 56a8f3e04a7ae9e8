package qqbot

import (
	"math/rand/v2"
	"time"
)

// backoff computes the waits between links: uniform between 0 and a ceiling that doubles, so that many bots do not return at
// the same time.
type backoff struct {
	low, high time.Duration
	ceiling   time.Duration // of the last wait; 0 starts over
}

func (b *backoff) next() time.Duration {
	b.ceiling = min(max(2*b.ceiling, b.low), b.high)
	return time.Duration(rand.Int64N(int64(b.ceiling) + 1))
}

// lasted reports how long a link was up. Only one that lasted for the longest wait starts the backoff over.
func (b *backoff) lasted(d time.Duration) {
	if d >= b.high {
		b.ceiling = 0
	}
}
