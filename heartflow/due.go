package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Change is a chat, or the whole account, that is perceived in another way than when [Attention.Due] last told.
type Change[K comparable] struct {
	Chat     K
	AllChats bool // the account went Offline, or came back: every chat is now Offline (Observing); Chat is zero
	From     State
	To       State
	At       time.Time // when it became so
}

// Next returns when [Attention.Due] has something to tell, which may be in the past; false: not before something is
// observed, said, or done.
func (a *Attention[K]) Next() (time.Time, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := tick.Forever
	if len(a.live) > 0 {
		next = a.live[0].Due
	}
	if a.account.asleep {
		next = min(next, a.account.wakeAt)
	}
	if len(a.changed) > 0 || a.account.asleep != a.account.toldAsleep {
		next = a.now
	}
	return next.End(a.account.loc), next != tick.Forever
}

// Due lets happen what is due at now, and returns what has changed since the last Due, the account first, then chats in
// the order of their first change. A chat that changed and changed back is not among them. Nobody has to call it: every
// method first lets happen what is due.
func (a *Attention[K]) Due(now time.Time) []Change[K] {
	a.enter(now)
	defer a.leave()
	var list []Change[K]
	if a.account.asleep != a.account.toldAsleep {
		ch := Change[K]{AllChats: true, From: Observing, To: Offline, At: a.account.sleptAt.Time(a.account.loc)}
		if a.account.toldAsleep {
			ch.From, ch.To = Offline, Observing
		}
		list = append(list, ch)
		a.account.toldAsleep = a.account.asleep
		for _, c := range a.changed {
			c.told = Observing // all others are Observing already
		}
	}
	for _, c := range a.changed {
		if c.state != c.told {
			list = append(list, Change[K]{Chat: c.key, From: c.told, To: c.state, At: c.Since.Time(a.account.loc)})
			c.told = c.state
		}
		c.marked = false
	}
	clear(a.changed)
	a.changed = a.changed[:0]
	return list
}
