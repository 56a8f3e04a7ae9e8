package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Mute closes chat as [heartflow.Attention.Mute] does. It becomes Absent, and nothing is asked for it until it is open.
func (f *Flow[K]) Mute(now time.Time, chat K, until time.Time) {
	f.Attention.Mute(now, chat, until)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	s := f.sub(chat, at)
	s.muted = tick.End(until)
	f.withdraw(s, at, WhyClosed, &out)
	f.reschedule(s)
	f.settle(&out) // where this ends an earlier mute, it may be due to be let go of
}

// Unmute opens chat again.
func (f *Flow[K]) Unmute(now time.Time, chat K) {
	f.Attention.Unmute(now, chat)
	var out outbox[K]
	f.enter(now, &out)
	defer f.leave(&out)
	if s := f.subs[chat]; s != nil {
		s.muted = 0
		f.reschedule(s)
		f.settle(&out)
	}
}

// MuteAll closes the account as [heartflow.Attention.MuteAll] does. All chats become Absent.
func (f *Flow[K]) MuteAll(now, until time.Time) {
	f.Attention.MuteAll(now, until)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	f.closed = tick.End(until)
	f.withdrawAll(at, WhyClosed, &out)
}

// UnmuteAll opens the account again.
func (f *Flow[K]) UnmuteAll(now time.Time) {
	f.Attention.UnmuteAll(now)
	var out outbox[K]
	f.enter(now, &out)
	defer f.leave(&out)
	f.closed = 0
}

// Sleep takes the being Offline as [heartflow.Attention.Sleep] does: the global state is Offline, all chats are Absent,
// and nothing is decided until it wakes.
func (f *Flow[K]) Sleep(now, until time.Time) {
	f.Attention.Sleep(now, until)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	end := tick.End(until)
	if end <= at {
		return
	}
	f.wakeAt = end
	if f.asleep {
		return
	}
	f.asleep = true
	f.mind.State, f.mind.Since = Offline, int64(at/minute)
	f.minds(at, heartflow.WhySlept, &out)
}

// Wake ends sleep. The global state is Offline until it is decided anew, a minute later at the earliest.
func (f *Flow[K]) Wake(now time.Time) {
	f.Attention.Wake(now)
	var out outbox[K]
	at := f.enter(now, &out)
	defer f.leave(&out)
	if f.asleep {
		f.wake(at, &out)
	}
}

func (f *Flow[K]) wake(at tick.Tick, out *outbox[K]) {
	f.asleep, f.wakeAt = false, 0
	f.mind.begin(f.o.Mind, int64(at/minute))
	if f.mind.State != Offline {
		f.minds(at, heartflow.WhyWoke, out)
	}
}

// withdraw makes s Absent, and takes back what it asked.
func (f *Flow[K]) withdraw(s *sub[K], at tick.Tick, why heartflow.Code, out *outbox[K]) {
	if !f.shut(s, at) {
		return
	}
	f.turn(s, Absent, at, why, nil, out)
	f.unstand(s)
	f.unwant(s)
	s.question = question{}
}

func (f *Flow[K]) withdrawAll(at tick.Tick, why heartflow.Code, out *outbox[K]) {
	for _, state := range []ChatState{Focused, Chat} {
		for len(f.in[state]) > 0 && f.shut(f.in[state][0], at) {
			f.withdraw(f.in[state][0], at, why, out)
		}
	}
}
