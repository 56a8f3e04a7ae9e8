package hfc

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// mentioned limits how many calls have their full weight, as a token bucket: see WillingnessOptions.Burst.
type mentioned struct {
	Used float64   `json:",omitempty"` // calls
	At   tick.Tick `json:",omitempty"` // as of then
}

// take uses up one call at t, which is not before the last one. It returns false if none is left.
func (u *mentioned) take(o WillingnessOptions, t tick.Tick) bool {
	burst, every := cmp.Or(o.Burst, 3), o.Refill
	if burst < 0 {
		return true
	}
	if every <= 0 {
		every = 20 * time.Second
	}
	u.Used = max(u.Used-t.Since(u.At).Seconds()/every.Seconds(), 0)
	u.At = t
	if u.Used > float64(burst-1)+1e-9 {
		return false
	}
	u.Used++
	return true
}

func (u *mentioned) valid() bool { return u.Used >= 0 && u.At >= 0 }
