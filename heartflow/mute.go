package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Mute forbids sending to chat until that time. If until is zero, the mute lasts until [Attention.Unmute]. Use it
// when the bot or the whole group is muted, or when the bot was removed. The chat still receives messages. A later
// Mute replaces an earlier one. A time in the past unmutes the chat.
func (a *Attention[K]) Mute(now time.Time, chat K, until time.Time) {
	a.muteChat(now, chat, tick.End(until))
}

// Unmute allows sending to chat.
func (a *Attention[K]) Unmute(now time.Time, chat K) { a.muteChat(now, chat, 0) }

func (a *Attention[K]) muteChat(now time.Time, key K, until tick.Tick) {
	c, at := a.enterChat(now, key)
	defer a.leave()
	a.mute(c, &c.Muted, at, until, WhyMuted)
}

// MuteAll forbids sending to all chats until that time. If until is zero, the mute lasts until [Attention.UnmuteAll].
// Use it while the account is disconnected or restricted by the platform.
func (a *Attention[K]) MuteAll(now, until time.Time) { a.muteAll(now, tick.End(until)) }

// UnmuteAll ends MuteAll. Mutes of single chats stay.
func (a *Attention[K]) UnmuteAll(now time.Time) { a.muteAll(now, 0) }

func (a *Attention[K]) muteAll(now time.Time, until tick.Tick) {
	at := a.enter(now)
	defer a.leave()
	a.mute(nil, &a.account.muted, at, until, WhyMutedAll)
}

// mute sets the end of the mute of c, or of the account if c is nil. It records a trace of a change.
func (a *Attention[K]) mute(c *chat[K], end *tick.Tick, at, until tick.Tick, why Code) {
	if until <= at {
		until, why = 0, WhyUnmuted
	}
	was := *end
	if *end = until; until != was && (until != 0 || was > at) {
		a.record(c, at, &Trace{Kind: KindState, Why: []Code{why}, Next: until.End(a.account.loc)})
	}
}

// Sleep makes the bot Offline until that time. If until is zero, it sleeps until [Attention.Wake]. The Addressed and
// Active states of all chats end. Observe still reports messages that address the bot, and Judge is Silent. If the
// bot wakes before such a message is stale, it may still answer.
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
	for len(a.engaged) > 0 {
		c := a.engaged[0]
		c.Summoned, c.Active = 0, 0
		a.updateState(c, at, why)
	}
}

// Wake ends the sleep. Every chat is then Observing.
func (a *Attention[K]) Wake(now time.Time) {
	at := a.enter(now)
	defer a.leave()
	if a.account.asleep {
		a.wake(at)
	}
}
