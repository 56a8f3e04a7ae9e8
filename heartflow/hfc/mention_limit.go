package hfc

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// mentionLimit is a token bucket for messages that address the bot: see WillingnessOptions.Burst.
type mentionLimit struct {
	Used float64   `json:",omitempty"` // used tokens
	At   tick.Tick `json:",omitempty"` // time of Used
}

// take uses one token at t, and returns false if none is left. t must not be before the last call.
func (u *mentionLimit) take(o WillingnessOptions, t tick.Tick) bool {
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

func (u *mentionLimit) valid() bool { return u.Used >= 0 && u.At >= 0 }
