package hfc

import "time"

// Rests returns how long the cycle of a Focused chat rests after what it did last: what is judged sooner is judged
// silent. 0: it does not rest, or the chat is not Focused. The wait of a no_reply, which a message ends, is no rest.
func (f *Flow[K]) Rests(now time.Time, chat K) time.Duration {
	at := f.enter(now)
	defer f.leave()
	s := f.chats.subs[chat]
	if s == nil || s.State != Focused || s.cycle.open || s.cycle.quiet != 0 && s.cycle.unseen == 0 {
		return 0
	}
	return max(0, time.Duration(s.cycle.wake-at))
}
