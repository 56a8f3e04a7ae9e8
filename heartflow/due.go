package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Change is a new state of a chat or of the whole account.
type Change[K comparable] struct {
	Chat     K
	AllChats bool // the account went Offline or came back, so every chat is Offline or Observing; Chat is zero
	From     State
	To       State
	At       time.Time // time of the change
	Begin    Code      // not a change: the bot may begin a talk in Chat for this reason, and At is when the silence began; see [Begin]
}

// Next returns when [Attention.Due] has changes to report. The time may be in the past. It returns false if only
// another call can cause a change.
func (a *Attention[K]) Next() (time.Time, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := tick.Forever
	if len(a.engaged) > 0 {
		next = a.engaged[0].Due
	}
	if len(a.silences) > 0 {
		next = min(next, a.silences[0].Due)
	}
	if a.account.asleep {
		next = min(next, a.account.wakeAt)
	}
	if len(a.changed) > 0 || a.account.asleep != a.account.reportedAsleep {
		next = a.now
	}
	return next.End(a.account.loc), next != tick.Forever
}

// Due applies the changes that are due at now, and returns all changes since the last Due. The account comes first,
// then chats in the order of their first change. A chat that changed back is omitted. At the end are the chats
// in which the bot may begin a talk: see [Begin]. Without Begin calling Due is optional, because every method applies due
// changes first.
func (a *Attention[K]) Due(now time.Time) []Change[K] {
	a.enter(now)
	defer a.leave()
	var list []Change[K]
	if a.account.asleep != a.account.reportedAsleep {
		ch := Change[K]{AllChats: true, From: Observing, To: Offline, At: a.account.sleptAt.Time(a.account.loc)}
		if a.account.reportedAsleep {
			ch.From, ch.To = Offline, Observing
		}
		list = append(list, ch)
		a.account.reportedAsleep = a.account.asleep
		for _, c := range a.changed {
			c.reported = Observing // all others are Observing already
		}
	}
	for _, c := range a.changed {
		if c.state != c.reported {
			list = append(list, Change[K]{Chat: c.key, From: c.reported, To: c.state, At: c.Since.Time(a.account.loc)})
			c.reported = c.state
		}
		c.marked = false
	}
	clear(a.changed)
	a.changed = a.changed[:0]
	return reportBeginnings(a, list)
}
