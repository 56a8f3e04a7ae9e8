package heartflow

import "time"

// Note leaves a trace, of KindState, of a change that something above the Attention made in chat at that time, which may
// be in the past. It changes nothing else, and is kept only for a chat that is known.
func (a *Attention[K]) Note(at time.Time, chat K, gates []Gate, why ...Code) {
	var out outbox
	a.mu.Lock()
	defer a.leave(&out)
	c := a.chats[chat]
	if c == nil {
		return
	}
	a.record(c, &Trace{At: at, Kind: KindState, State: a.stateOf(c, a.now), Gates: gates, Why: why}, &out)
}
