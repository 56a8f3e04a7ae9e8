package hfc

import (
	"math"
	"math/rand/v2"
	"time"
)

// A tick is a wall-clock time in nanoseconds since 1970; 0 means never. Eight bytes where a time.Time has 24.
type tick int64

// tickOf drops the monotonic part. Times outside of 1970 to 2242 become the nearest that is inside.
func tickOf(t time.Time) tick {
	const last = 1 << 33 // seconds; its nanoseconds still fit
	switch s := t.Unix(); {
	case s <= 0:
		return 1
	case s >= last:
		return last * tick(time.Second)
	}
	return tick(t.UnixNano())
}

// add is t + d, or the end of time where that is beyond it.
func (t tick) add(d time.Duration) tick {
	if d > 0 && t > math.MaxInt64-tick(d) {
		return math.MaxInt64
	}
	return t + tick(d)
}

// time is t as a caller gets it: never is the zero time.
func (t tick) time(loc *time.Location) time.Time {
	if t <= 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(t)).In(loc)
}

// seconds between two ticks; 0 where to is not after from.
func seconds(from, to tick) float64 {
	return time.Duration(max(to-from, 0)).Seconds()
}

// draw returns a number above 0 and below 1.
func draw(dice *rand.PCG) float64 {
	return (float64(dice.Uint64()>>11) + .5) / (1 << 53)
}

// or returns v, or def where v is zero.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
