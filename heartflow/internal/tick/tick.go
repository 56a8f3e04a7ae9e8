// Package tick is what heartflow and heartflow/hfc keep time by: a time in eight bytes, and a queue by deadlines.
package tick

import (
	"math"
	"time"
)

// A Tick is a wall-clock time in nanoseconds since 1970; 0 means never. Eight bytes where a time.Time has 24, and
// one comparison: a chat holds many of them.
type Tick int64

// Forever is the end of what nobody gave an end.
const Forever Tick = math.MaxInt64

// Of drops the monotonic part. Times outside of 1970 to 2242 become the nearest that is inside.
func Of(t time.Time) Tick {
	const last = 1 << 33 // seconds; its nanoseconds still fit
	switch s := t.Unix(); {
	case s <= 0:
		return 1
	case s >= last:
		return last * Tick(time.Second)
	}
	return Tick(t.UnixNano())
}

// End is Of for an end, whose zero means Forever.
func End(t time.Time) Tick {
	if t.IsZero() {
		return Forever
	}
	return Of(t)
}

// Add is t + d, or Forever where that is beyond it.
func (t Tick) Add(d time.Duration) Tick {
	if d > 0 && t > Forever-Tick(d) {
		return Forever
	}
	return t + Tick(d)
}

// Since is how long ago an earlier time is; 0 where it is not earlier.
func (t Tick) Since(earlier Tick) time.Duration { return time.Duration(max(t-earlier, 0)) }

// Time is t as a caller gets it: never is the zero time.
func (t Tick) Time(loc *time.Location) time.Time {
	if t <= 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(t)).In(loc)
}

// End is Time for an end: Forever is the zero time too.
func (t Tick) End(loc *time.Location) time.Time {
	if t == Forever {
		return time.Time{}
	}
	return t.Time(loc)
}
