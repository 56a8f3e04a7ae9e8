package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Mute closes chat for sending until then, or until [Attention.Unmute] where until is zero: the bot was muted, or the
// whole group was, or it was sent away. It goes on hearing. A later Mute replaces an earlier one; one that has ended
// already opens the chat.
func (a *Attention[K]) Mute(now time.Time, chat K, until time.Time) {
	a.muteChat(now, chat, tick.End(until))
}

// Unmute opens chat again.
func (a *Attention[K]) Unmute(now time.Time, chat K) { a.muteChat(now, chat, 0) }

func (a *Attention[K]) muteChat(now time.Time, key K, until tick.Tick) {
	c, at := a.enterChat(now, key)
	defer a.leave()
	a.mute(c, &c.Muted, at, until, WhyMuted)
}

// MuteAll closes the whole account for sending until then, or until [Attention.UnmuteAll] where until is zero: it is
// not connected, or restricted by the platform.
func (a *Attention[K]) MuteAll(now, until time.Time) { a.muteAll(now, tick.End(until)) }

// UnmuteAll opens the account again. Chats that are muted for themselves stay so.
func (a *Attention[K]) UnmuteAll(now time.Time) { a.muteAll(now, 0) }

func (a *Attention[K]) muteAll(now time.Time, until tick.Tick) {
	at := a.enter(now)
	defer a.leave()
	a.mute(nil, &a.account.muted, at, until, WhyMutedAll)
}

// mute sets the end of c's closing, or of the account's where c is nil, and leaves a trace where that makes a difference.
func (a *Attention[K]) mute(c *chat[K], end *tick.Tick, at, until tick.Tick, why Code) {
	if until <= at {
		until, why = 0, WhyUnmuted
	}
	was := *end
	if *end = until; until != was && (until != 0 || was > at) {
		a.record(c, at, &Trace{Kind: KindState, Why: []Code{why}, Next: until.End(a.account.loc)})
	}
}

// Sleep takes the bot Offline until then, or until [Attention.Wake] where until is zero. Calls and talks that were open
// are over. What is heard meanwhile calls as ever, and is judged silent; it may still be answered where the bot wakes
// before it is stale.
func (a *Attention[K]) Sleep(now, until time.Time) {
	at := a.enter(now)
	defer a.leave()
	end := tick.End(until)
	if end <= at || a.account.asleep && end == a.account.wakeAt {
		return
	}
	a.account.wakeAt = end
	if !a.account.asleep {
		a.account.asleep, a.account.sleptAt = true, at
	}
	why := []Code{WhySlept}
	a.record(nil, at, &Trace{Kind: KindState, Why: why, Next: end.End(a.account.loc)})
	for len(a.live) > 0 {
		c := a.live[0]
		c.Summoned, c.Active = 0, 0
		a.reconsider(c, at, why)
	}
}

// Wake brings the bot back: every chat is Observing.
func (a *Attention[K]) Wake(now time.Time) {
	at := a.enter(now)
	defer a.leave()
	if a.account.asleep {
		a.wake(at)
	}
}
