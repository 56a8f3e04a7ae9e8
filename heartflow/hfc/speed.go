package hfc

import (
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A tempo converts between wall time and the time of a Flow, which passes Options.Speed times faster. Both are equal at
// the start. With Speed 1 they are always equal.
type tempo struct {
	speed      float64   // 0 means 1
	wall, flow tick.Tick // the same moment in both times; 0: no time has been seen
}

// start sets the moment at which both times are equal, at the first call. After a restart the time of the Flow goes on
// from last.
func (p *tempo) start(now time.Time, last tick.Tick) {
	if p.wall == 0 {
		p.wall = tick.Of(now)
		p.flow = max(p.wall, last)
	}
}

func (p *tempo) real() bool { return p.speed == 0 || p.speed == 1 || p.wall == 0 }

// tickOf converts a wall time.
func (p *tempo) tickOf(t time.Time) tick.Tick { return p.tick(tick.Of(t)) }

// tick converts a tick of wall time.
func (p *tempo) tick(t tick.Tick) tick.Tick {
	if p.real() || t == tick.Forever {
		return t
	}
	return max(p.flow+scaled(t-p.wall, p.speed), 1)
}

// endOf converts the end of a period in wall time. The zero time means Forever.
func (p *tempo) endOf(t time.Time) tick.Tick { return p.tick(tick.End(t)) }

// tickTime converts a time of the Flow to wall time, and rounds up, so that a deadline has passed at its wall time.
func (p *tempo) tickTime(t tick.Tick, loc *time.Location) time.Time {
	if t > 0 && !p.real() && t != tick.Forever {
		t = max(p.wall+scaled(t-p.flow, 1/p.speed)+1, 1)
	}
	return t.Time(loc)
}

// wallTime converts a time of the Flow to wall time. The zero time stays.
func (p *tempo) wallTime(t time.Time) time.Time {
	if t.IsZero() || p.real() {
		return t
	}
	return p.tickTime(tick.Of(t), t.Location())
}

// scaled multiplies a difference of ticks. It stays far below the overflow.
func scaled(d tick.Tick, by float64) tick.Tick {
	return tick.Tick(min(max(float64(d)*by, -math.MaxInt64/4), math.MaxInt64/4))
}
