package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// An account is the state that all chats of an [Attention] share, such as sleep, the account mute and the mood. It
// also keeps free message buffers.
type account struct {
	loc    *time.Location
	maxAge time.Duration // Options.MaxAge
	mood   float64

	asleep         bool
	reportedAsleep bool      // asleep as last reported by Due
	sleptAt        tick.Tick // last change of asleep
	wakeAt         tick.Tick
	muted          tick.Tick // sending is muted until then; 0: not muted

	freeBuffers [][]Received // empty message buffers for reuse
}

// state returns Offline during sleep, otherwise Observing.
func (a *account) state() State {
	if a.asleep {
		return Offline
	}
	return Observing
}

// takeBuffer returns an empty message buffer.
func (a *account) takeBuffer() []Received {
	if n := len(a.freeBuffers); n > 0 {
		b := a.freeBuffers[n-1]
		a.freeBuffers = a.freeBuffers[:n-1]
		return b
	}
	return make([]Received, 0, 4)
}

// release empties b and keeps its buffer for reuse.
func (a *account) release(b *batch) {
	if b.Heard != nil && len(a.freeBuffers) < 64 {
		clear(b.Heard)
		a.freeBuffers = append(a.freeBuffers, b.Heard[:0])
	}
	*b = batch{}
}
