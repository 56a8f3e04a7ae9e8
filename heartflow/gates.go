package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// blockedBy returns why nothing may be sent to c at t; empty: sending is possible.
func (c *chat[K]) blockedBy(t tick.Tick) Code {
	switch {
	case c.settings.off:
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

// gates checks whether the bot may send a message to to in c at t. again means that its turn has sent one before. It
// omits passed gates of mute and sleep from the list.
func (c *chat[K]) gates(t tick.Tick, to addressee, again bool, list []Gate) (all []Gate, blocked Code) {
	if blocked = c.blockedBy(t); blocked == "" {
		return c.Said.gates(t, c.settings.caps, to, again, list)
	}
	return append(list, Gate{Code: blocked}), blocked
}

// reopensAt returns when a gate that is closed at t for a message to to opens; 0: not at a known time.
func (c *chat[K]) reopensAt(t tick.Tick, to addressee, blocked Code) tick.Tick {
	switch blocked {
	case WhyMuted:
		return c.Muted
	case WhyMutedAll:
		return c.account.muted
	case WhyOffline:
		return c.account.wakeAt
	case WhyQuiet:
		if end := c.settings.quietHours.ends(t, c.account.loc); end != tick.Forever {
			return end
		}
	case WhyCappedWindow:
		return c.Said.freeAt(t, c.settings.caps, to)
	case WhyCappedPerson:
		return c.Said.personFreeAt(t, c.settings.caps, to)
	}
	return 0
}

// nextChange returns when the closed gate opens, or else when the state of c expires.
func (c *chat[K]) nextChange(t tick.Tick, to addressee, blocked Code) time.Time {
	opens := c.reopensAt(t, to, blocked)
	if opens == 0 && !c.account.asleep {
		opens = c.deadline(t)
	}
	return opens.End(c.account.loc)
}

// refused returns the error of a gate that is closed at t.
func (c *chat[K]) refused(t tick.Tick, to addressee, blocked Code) error {
	return &RefusedError{Code: blocked, Until: c.reopensAt(t, to, blocked).End(c.account.loc)}
}
