package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// closed says why nothing may be sent to c at t, whatever it is; empty: it may.
func (c *chat[K]) closed(t tick.Tick) Code {
	switch {
	case c.tuning.off:
		return WhyOff
	case c.account.asleep:
		return WhyOffline
	case c.account.muted > t:
		return WhyMutedAll
	case c.Muted > t:
		return WhyMuted
	}
	return ""
}

// gates tests whether the bot may speak in c at t. A gate that is simply open leaves no mark in the list.
func (c *chat[K]) gates(t tick.Tick, list []Gate) (all []Gate, shut Code) {
	if shut = c.closed(t); shut == "" {
		return c.Said.gates(t, c.tuning.caps, list)
	}
	return append(list, Gate{Code: shut}), shut
}

// opens is when a gate opens that is shut at t; 0: not by itself.
func (c *chat[K]) opens(t tick.Tick, shut Code) tick.Tick {
	switch shut {
	case WhyMuted:
		return c.Muted
	case WhyMutedAll:
		return c.account.muted
	case WhyOffline:
		return c.account.wakeAt
	case WhyQuiet:
		if end := c.tuning.quiet.ends(t, c.account.loc); end != tick.Forever {
			return end
		}
	case WhyCappedWindow:
		return c.Said.free(t, c.tuning.caps)
	}
	return 0
}

// next is when the gate that is shut opens, or else when c changes by itself.
func (c *chat[K]) next(t tick.Tick, shut Code) time.Time {
	opens := c.opens(t, shut)
	if opens == 0 && !c.account.asleep {
		opens = c.deadline(t)
	}
	return opens.End(c.account.loc)
}

// refused is the error of a gate that is shut at t.
func (c *chat[K]) refused(t tick.Tick, shut Code) error {
	return &RefusedError{Code: shut, Until: c.opens(t, shut).End(c.account.loc)}
}
