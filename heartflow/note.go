package heartflow

import "time"

// AddTrace leaves a trace, of KindState, of a change that something above the Attention made in chat at that time, which may
// be in the past. It changes nothing else, and is kept only for a chat that is known.
func (a *Attention[K]) AddTrace(at time.Time, chat K, gates []Gate, why ...Code) {
	a.mu.Lock()
	defer a.leave()
	if c := a.chats[chat]; c != nil {
		a.record(c, a.now, &Trace{At: at, Kind: KindState, Gates: gates, Why: why})
	}
}
