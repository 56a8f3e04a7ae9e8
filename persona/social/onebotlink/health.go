package onebotlink

import (
	"cmp"
	"errors"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Monitor is a [Source] that knows the state of its connections. *onebot.Client and *onebot.Server are Monitors. A Source that
// wraps another one passes on both methods, so that the owner sees the state.
type Monitor interface {
	Health() []onebot.Health
	Stats() onebot.Stats
}

var _, _ Monitor = (*onebot.Client)(nil), (*onebot.Server)(nil)

// health returns the state of the link's account.
func (l *link) health() []trace.LinkHealth {
	self := l.self.Load()
	h := trace.LinkHealth{Self: persona.Account{Platform: platform, ID: id(self)}}
	if m, ok := l.source.(Monitor); ok {
		h = healthOf(self, m)
	} else {
		h.Online = l.bot.Load() != nil
	}
	if out := l.logout.Load(); out != nil && l.offline.Load() {
		h.Online, h.Since, h.Problem = false, out.At, cmp.Or(out.Reason, errLoggedOut.Error())
	}
	return []trace.LinkHealth{h}
}

// errLoggedOut is why the account cannot be used although there is a connection to the implementation.
var errLoggedOut = errors.New("onebotlink: the account is logged out of QQ: log in at the OneBot implementation")

// loggedOut notes that the account was reported as logged out.
func (l *link) loggedOut(e persona.Disconnected) persona.Disconnected {
	l.logout.Store(&e)
	return e
}

// healthOf returns the state of an account; self 0 is the first one.
func healthOf(self int64, m Monitor) trace.LinkHealth {
	stats := m.Stats()
	h := trace.LinkHealth{
		Self: persona.Account{Platform: platform, ID: id(self)}, Queued: stats.Queued, QueuedBytes: stats.QueuedBytes, QueueLimit: stats.QueueLimit, Dropped: int(stats.Dropped),
	}
	for _, of := range m.Health() {
		if self != 0 && of.SelfID != 0 && of.SelfID != self {
			continue
		}
		h.Self.ID = id(max(of.SelfID, self))
		h.Online, h.Since, h.Heard, h.Heartbeat = of.Connected, of.Since, of.Heard, of.Heartbeat
		h.P50, h.P95, h.Calls, h.TimedOut = of.P50, of.P95, of.Calls, int(of.TimedOut)
		h.Reconnects, h.Lost, h.LostReason, h.Problem = int(of.Reconnects), of.Lost, of.LostReason, of.DialError
		break
	}
	return h
}
