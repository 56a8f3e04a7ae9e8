package heartflow

import (
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A rhythm holds the last pauses between the talks of a chat. A talk of any number of messages counts once. A mean of the
// times between messages would shrink with every burst of messages, and any silence would look long after it.
type rhythm struct {
	Pauses []pause   `json:",omitempty"` // oldest first
	Begun  tick.Tick `json:",omitempty"` // when the bot last began a talk
}

// A pause is its start in seconds since 1970, and its length in seconds.
type pause [2]uint32

const (
	maxPauses  = 24
	minPauses  = 8                // fewer say nothing
	usualStep  = 30 * time.Minute // between two times of day that are looked at
	usualRange = 90 * time.Minute // a talk is near a time of day within this
	usualTalks = 2                // so many beginnings or ends of talks near a time of day make it a usual one
)

// add adds a pause, and drops the oldest one.
func (r *rhythm) add(from, to tick.Tick) {
	if len(r.Pauses) == maxPauses {
		r.Pauses = slices.Delete(r.Pauses, 0, 1)
	}
	second := int64(time.Second)
	r.Pauses = append(r.Pauses, pause{uint32(int64(from) / second), uint32(min(int64(to-from)/second, math.MaxUint32))})
}

func (r *rhythm) known() bool { return len(r.Pauses) >= minPauses }

// quantile returns the length that this share of the pauses does not exceed.
func (r *rhythm) quantile(share float64) time.Duration {
	var space [maxPauses]uint32
	lengths := space[:0]
	for _, p := range r.Pauses {
		lengths = append(lengths, p[1])
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return time.Duration(lengths[int(math.Ceil(share*float64(len(lengths))))-1]) * time.Second
}

// usualAt reports whether talks have begun or ended near that time of day.
func (r *rhythm) usualAt(t tick.Tick, loc *time.Location) bool {
	tod, n := timeOfDay(t, loc), 0
	for _, p := range r.Pauses {
		for _, second := range [...]int64{int64(p[0]), int64(p[0]) + int64(p[1])} {
			apart := (tod - timeOfDay(tick.Tick(second*int64(time.Second)), loc)).Abs()
			if min(apart, day-apart) <= usualRange {
				n++
			}
		}
	}
	return n >= usualTalks
}

func (r *rhythm) valid() bool { return len(r.Pauses) <= maxPauses && r.Begun >= 0 }
