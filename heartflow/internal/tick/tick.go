// Package tick has the time types of heartflow and heartflow/hfc: a time in eight bytes, and a queue of deadlines.
package tick

import (
	"math"
	"time"
)

// A Tick is a wall-clock time in nanoseconds since 1970; 0 means never. A chat holds many times, so they take 8 bytes
// instead of the 24 of a time.Time, and one comparison.
type Tick int64

// Forever is a deadline that never passes.
const Forever Tick = math.MaxInt64

// Of converts t without its monotonic part. Times outside of 1970 to 2242 become the nearest time inside.
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

// End converts the end of a period. The zero time means Forever.
func End(t time.Time) Tick {
	if t.IsZero() {
		return Forever
	}
	return Of(t)
}

// Add returns t + d, but at most Forever.
func (t Tick) Add(d time.Duration) Tick {
	if d > 0 && t > Forever-Tick(d) {
		return Forever
	}
	return t + Tick(d)
}

// Since returns the time from earlier to t, but at least 0.
func (t Tick) Since(earlier Tick) time.Duration { return time.Duration(max(t-earlier, 0)) }

// Time converts t to a time.Time. A tick of 0 or less is the zero time.
func (t Tick) Time(loc *time.Location) time.Time {
	if t <= 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(t)).In(loc)
}

// End converts the end of a period. Forever is the zero time.
func (t Tick) End(loc *time.Location) time.Time {
	if t == Forever {
		return time.Time{}
	}
	return t.Time(loc)
}
