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
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	c := a.chat(key)
	if t, changed := mute(&c.muted, at, until, WhyMuted); changed {
		t.At, t.State = at.Time(a.loc), a.stateOf(c, at)
		t.Next = c.muted.End(a.loc)
		a.record(c, &t, &out)
	}
}

// MuteAll closes the whole account for sending until then, or until [Attention.UnmuteAll] where until is zero: it is
// not connected, or restricted by the platform.
func (a *Attention[K]) MuteAll(now, until time.Time) { a.muteAll(now, tick.End(until)) }

// UnmuteAll opens the account again. Chats that are muted for themselves stay so.
func (a *Attention[K]) UnmuteAll(now time.Time) { a.muteAll(now, 0) }

func (a *Attention[K]) muteAll(now time.Time, until tick.Tick) {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	if t, changed := mute(&a.muted, at, until, WhyMutedAll); changed {
		t.At, t.Next = at.Time(a.loc), a.muted.End(a.loc)
		if a.asleep {
			t.State = Offline
		}
		a.record(nil, &t, &out)
	}
}

// mute sets an end, and returns the trace of that where it makes a difference.
func mute(end *tick.Tick, at, until tick.Tick, why Code) (t Trace, changed bool) {
	if until <= at {
		until, why = 0, WhyUnmuted
	}
	if was := *end; until == was || until == 0 && was <= at {
		*end = until
		return Trace{}, false
	}
	*end = until
	return Trace{Kind: KindState, Why: []Code{why}}, true
}

// Sleep takes the bot Offline until then, or until [Attention.Wake] where until is zero. Calls and talks that were open
// are over. What is heard meanwhile calls as ever, and is judged silent; it may still be answered where the bot wakes
// before it is stale.
func (a *Attention[K]) Sleep(now, until time.Time) {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	end := tick.End(until)
	if end <= at || a.asleep && end == a.wakeAt {
		return
	}
	a.wakeAt = end
	if !a.asleep {
		a.asleep, a.sleptAt = true, at
	}
	why := []Code{WhySlept}
	a.record(nil, &Trace{At: at.Time(a.loc), Kind: KindState, State: Offline, Why: why, Next: end.End(a.loc)}, &out)
	for len(a.live) > 0 {
		c := a.live[0]
		c.summoned, c.active = 0, 0
		a.reconsider(c, at, why, &out)
	}
}

// Wake brings the bot back: every chat is Observing.
func (a *Attention[K]) Wake(now time.Time) {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	if a.asleep {
		a.wake(at, &out)
	}
}

func (a *Attention[K]) wake(at tick.Tick, out *outbox) {
	a.asleep, a.sleptAt, a.wakeAt = false, at, 0
	a.record(nil, &Trace{At: at.Time(a.loc), Kind: KindState, State: Observing, Why: []Code{WhyWoke}}, out)
}
