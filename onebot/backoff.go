package onebot

import (
	"math/rand/v2"
	"time"
)

// backoff computes the waits between dials. A wait is uniform between 0 and a ceiling that doubles with each wait
// ("full jitter"), so that many bots do not reconnect at the same time.
type backoff struct {
	low, high time.Duration
	ceiling   time.Duration // of the last wait; 0: start over
}

func (b *backoff) next() time.Duration {
	b.ceiling = min(max(2*b.ceiling, b.low), b.high)
	return time.Duration(rand.Int64N(int64(b.ceiling) + 1))
}

// lasted reports how long a link was up. Only a link that lasted for the maximum wait resets the backoff.
func (b *backoff) lasted(d time.Duration) {
	if d >= b.high {
		b.ceiling = 0
	}
}
