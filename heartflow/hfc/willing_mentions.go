package hfc

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Mentions bound how many calls a [Willingness] takes at their full weight, however often it is called: so many at once,
// and one more after each Every. A call beyond that adds nothing, so whoever repeats a mention is not answered each time.
type Mentions struct {
	Burst int           // 0 means 3; negative: no bound
	Every time.Duration // 0 or less means 20 s
}

// mentioned is how many of Mentions are in use.
type mentioned struct {
	Used float64   `json:",omitempty"`
	At   tick.Tick `json:",omitempty"` // as of then
}

// take uses up one at t, which is never before the last, if there is one.
func (u *mentioned) take(m Mentions, t tick.Tick) bool {
	burst, every := cmp.Or(m.Burst, 3), m.Every
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
