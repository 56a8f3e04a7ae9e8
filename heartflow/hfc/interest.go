package hfc

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// InterestOptions configure how the interest in a chat rises and falls. The zero value has the constants of HFC.
type InterestOptions struct {
	HalfLife  time.Duration // the level halves in this time; 0 means 34.3 s, a factor of .98 per second
	Cap       float64       // maximum level; 0 means 15
	Threshold float64       // the chance rises from this level on, and falls below it; 0 means DefaultThreshold
	Rise      float64       // change of the chance per second, up or down; 0 means .1
}

// decay98 is the half-life of a decay by 2 % per second: ln 2 / -ln .98 s.
const decay98 = 34_309_618_492 * time.Nanosecond

// DefaultThreshold is the default of InterestOptions.Threshold.
const DefaultThreshold = 3.5

func (o InterestOptions) withDefaults() InterestOptions {
	return fill.Zero(o, InterestOptions{HalfLife: decay98, Cap: 15, Threshold: DefaultThreshold, Rise: .1})
}

func (o InterestOptions) validate() error {
	if o.HalfLife < 0 || !(o.Cap >= 0) || !(o.Threshold >= 0) || !(o.Rise >= 0) || math.IsInf(o.Cap+o.Threshold+o.Rise, 0) {
		return errors.New("hfc: InterestOptions must not be negative, infinite or NaN")
	}
	return nil
}

// An interest is the current interest in a chat. Messages raise its level, and time lowers it. Its chance to enter
// Focused rises while the level is at or above the threshold, and falls below it. Both follow from the last message
// in closed form, without ticks. HFC's loop over seconds gives the same level. Its chance differs by at most .2 for
// each time that the level crosses the threshold.
//
// The zero value is an interest with zero options. A time before the last message counts as the time of that message.
type interest struct {
	o             InterestOptions // zero until first used
	level, chance float64         // at time at
	at            tick.Tick
}

// newInterest returns an interest of level 0. The options must be valid.
func newInterest(o InterestOptions) interest {
	return interest{o: o.withDefaults()}
}

// Add raises the level by v, up to the cap. Zero and negative values add nothing.
func (i *interest) Add(now time.Time, v float64) {
	t := max(i.at, tick.Of(now))
	i.level, i.chance = i.after(t)
	i.at = t
	if v > 0 {
		i.level = min(i.level+v, i.rule().Cap)
	}
}

// Level returns the level at now.
func (i *interest) Level(now time.Time) float64 {
	level, _ := i.after(tick.Of(now))
	return level
}

// Chance returns the chance at now of one draw to enter Focused, from 0 to 1.
func (i *interest) Chance(now time.Time) float64 {
	_, chance := i.after(tick.Of(now))
	return chance
}

// Crosses returns when the level falls below the threshold without further messages; false: it is below.
func (i *interest) Crosses(now time.Time) (time.Time, bool) {
	t := max(i.at, tick.Of(now))
	level, _ := i.after(t)
	above := i.above(level)
	if above < 0 {
		return time.Time{}, false
	}
	const most = 1 << 62 // still a valid Duration
	return t.Add(time.Duration(min(above*float64(time.Second), most))).Time(now.Location()), true
}

// Reset ends the interest after a focus. The chance becomes 0. The level becomes 0 if full, otherwise half.
func (i *interest) Reset(now time.Time, full bool) {
	i.Add(now, 0)
	i.chance, i.level = 0, i.level/2
	if full {
		i.level = 0
	}
}

func (i *interest) rule() InterestOptions {
	if i.o.HalfLife == 0 {
		return InterestOptions{}.withDefaults()
	}
	return i.o
}

// above returns for how many seconds the level stays at or above the threshold; negative: it is below.
func (i *interest) above(level float64) float64 {
	o := i.rule()
	if level < o.Threshold {
		return -1
	}
	return math.Log2(level/o.Threshold) * o.HalfLife.Seconds()
}

// after returns level and chance at t.
func (i *interest) after(t tick.Tick) (level, chance float64) {
	s := t.Since(i.at).Seconds()
	if s == 0 || i.level == 0 && i.chance == 0 {
		return i.level, i.chance
	}
	o := i.rule()
	rising := min(max(i.above(i.level), 0), s)
	chance = min(i.chance+o.Rise*rising, 1)
	chance = max(chance-o.Rise*(s-rising), 0)
	if level = i.level * math.Exp2(-s/o.HalfLife.Seconds()); level < 1e-9 {
		level = 0
	}
	return level, chance
}

type savedInterest struct {
	Level  float64   `json:",omitempty"`
	Chance float64   `json:",omitempty"`
	At     tick.Tick `json:",omitempty"`
}

// MarshalJSON encodes level and chance, without the options.
func (i *interest) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedInterest{i.level, i.chance, i.at})
}

// UnmarshalJSON restores the output of MarshalJSON. The options stay.
func (i *interest) UnmarshalJSON(b []byte) error {
	var s savedInterest
	err := load(b, &s, func(s *savedInterest) bool { return s.Level >= 0 && s.Chance >= 0 && s.Chance <= 1 && s.At >= 0 })
	if err == nil {
		i.level, i.chance, i.at = min(s.Level, i.rule().Cap), s.Chance, s.At
	}
	return err
}
