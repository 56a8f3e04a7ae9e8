package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Mute closes chat as [heartflow.Attention.Mute] does. It becomes Absent, and nothing is asked for it until it is open.
func (f *Flow[K]) Mute(now time.Time, chat K, until time.Time) {
	f.Attention.Mute(now, chat, until)
	at := f.enter(now)
	defer f.leave()
	s := f.sub(chat, at)
	s.Muted = tick.End(until)
	f.chats.withdraw(s, at, WhyClosed)
	f.chats.reschedule(s)
	f.chats.settle() // where this ends an earlier mute, it may be due to be let go of
}

// Unmute opens chat again.
func (f *Flow[K]) Unmute(now time.Time, chat K) {
	f.Attention.Unmute(now, chat)
	f.enter(now)
	defer f.leave()
	if s := f.chats.subs[chat]; s != nil {
		s.Muted = 0
		f.chats.reschedule(s)
		f.chats.settle()
	}
}

// MuteAll closes the account as [heartflow.Attention.MuteAll] does. All chats become Absent.
func (f *Flow[K]) MuteAll(now, until time.Time) {
	f.Attention.MuteAll(now, until)
	at := f.enter(now)
	defer f.leave()
	f.being.closed = tick.End(until)
	for _, state := range []ChatState{Focused, Chatting} {
		for len(f.chats.in[state]) > 0 && f.being.closed > at {
			f.chats.withdraw(f.chats.in[state][0], at, WhyClosed)
		}
	}
}

// UnmuteAll opens the account again.
func (f *Flow[K]) UnmuteAll(now time.Time) {
	f.Attention.UnmuteAll(now)
	f.enter(now)
	defer f.leave()
	f.being.closed = 0
}

// Sleep takes the being Offline as [heartflow.Attention.Sleep] does: the global state is Offline, all chats are Absent,
// and nothing is decided until it wakes.
func (f *Flow[K]) Sleep(now, until time.Time) {
	f.Attention.Sleep(now, until)
	at := f.enter(now)
	defer f.leave()
	end := tick.End(until)
	if end <= at {
		return
	}
	f.being.wakeAt = end
	if f.being.asleep {
		return
	}
	f.being.asleep = true
	f.being.mind.State, f.being.mind.Since = Offline, int64(at/minute)
	f.chats.minds(at, heartflow.WhySlept)
}

// Wake ends sleep. The global state is Offline until it is decided anew, a minute later at the earliest.
func (f *Flow[K]) Wake(now time.Time) {
	f.Attention.Wake(now)
	at := f.enter(now)
	defer f.leave()
	if f.being.asleep {
		f.chats.wake(at)
	}
}
