package heartflow

import (
	"math"
	"time"
)

// A tick is a wall-clock time in nanoseconds since 1970; 0 means never. Eight bytes where a time.Time has 24, and
// one comparison: a chat holds many of them.
type tick int64

// forever is the end of what nobody gave an end.
const forever tick = math.MaxInt64

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

// untilOf is tickOf for an end, whose zero means no end.
func untilOf(t time.Time) tick {
	if t.IsZero() {
		return forever
	}
	return tickOf(t)
}

// add is t + d, or forever where that is beyond it.
func (t tick) add(d time.Duration) tick {
	if d > 0 && t > forever-tick(d) {
		return forever
	}
	return t + tick(d)
}

// time is t as a caller gets it: never and forever are both the zero time.
func (t tick) time(loc *time.Location) time.Time {
	if t <= 0 || t == forever {
		return time.Time{}
	}
	return time.Unix(0, int64(t)).In(loc)
}
