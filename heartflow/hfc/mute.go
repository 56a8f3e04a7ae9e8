package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// Mute mutes chat like [heartflow.Attention.Mute]. The chat becomes Absent. The Flow asks no Question about it until
// the mute ends.
func (f *Flow[K]) Mute(now time.Time, chat K, until time.Time) {
	f.Attention.Mute(now, chat, until)
	at := f.enter(now)
	defer f.leave()
	s := f.chat(chat, at)
	s.Muted = f.shared.tempo.endOf(until)
	f.chats.withdrawBlocked(s, at, WhyClosed)
	f.chats.reschedule(s)
	f.chats.advance() // a shorter mute may end now, and the chat may be due for removal
}

// Unmute allows sending to chat.
func (f *Flow[K]) Unmute(now time.Time, chat K) {
	f.Attention.Unmute(now, chat)
	f.enter(now)
	defer f.leave()
	if s := f.chats.byKey[chat]; s != nil {
		s.Muted = 0
		f.chats.reschedule(s)
		f.chats.advance()
	}
}

// MuteAll mutes the account like [heartflow.Attention.MuteAll]. All chats become Absent.
func (f *Flow[K]) MuteAll(now, until time.Time) {
	f.Attention.MuteAll(now, until)
	at := f.enter(now)
	defer f.leave()
	f.shared.muted = f.shared.tempo.endOf(until)
	for _, state := range []ChatState{Focused, Chatting} {
		for len(f.chats.byState[state]) > 0 && f.shared.muted > at {
			f.chats.withdrawBlocked(f.chats.byState[state][0], at, WhyClosed)
		}
	}
}

// UnmuteAll ends MuteAll.
func (f *Flow[K]) UnmuteAll(now time.Time) {
	f.Attention.UnmuteAll(now)
	f.enter(now)
	defer f.leave()
	f.shared.muted = 0
}

// Sleep makes the bot Offline like [heartflow.Attention.Sleep]. The global state becomes Offline, and all chats
// become Absent. The global state does not change until the bot wakes.
func (f *Flow[K]) Sleep(now, until time.Time) {
	f.Attention.Sleep(now, until)
	at := f.enter(now)
	defer f.leave()
	end := f.shared.tempo.endOf(until)
	if end <= at {
		return
	}
	f.shared.wakeAt = end
	if f.shared.asleep {
		return
	}
	f.shared.asleep = true
	f.shared.global.State, f.shared.global.Since = Offline, int64(at/minute)
	f.chats.applyGlobalState(at, heartflow.WhySlept)
}

// Wake ends the sleep. The global state stays Offline until its next decision, at least a minute later. A state set
// by GlobalStateOptions.Fixed returns at once.
func (f *Flow[K]) Wake(now time.Time) {
	f.Attention.Wake(now)
	at := f.enter(now)
	defer f.leave()
	if f.shared.asleep {
		f.chats.wake(at)
	}
}
