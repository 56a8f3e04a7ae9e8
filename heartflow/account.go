package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// An account is what all chats of an [Attention] share: whether it may send at all, its mood, and spare buffers.
type account struct {
	loc    *time.Location
	maxAge time.Duration // Options.MaxAge
	mood   float64

	asleep     bool
	toldAsleep bool      // what Due said last
	sleptAt    tick.Tick // when asleep changed last
	wakeAt     tick.Tick
	muted      tick.Tick // closed for sending until then; 0: open

	spare [][]Received // empty buffers of messages, for reuse
}

// state is Offline or Observing.
func (a *account) state() State {
	if a.asleep {
		return Offline
	}
	return Observing
}

// take returns an empty buffer for messages.
func (a *account) take() []Received {
	if n := len(a.spare); n > 0 {
		b := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return b
	}
	return make([]Received, 0, 4)
}

// release empties b and keeps its buffer for reuse.
func (a *account) release(b *batch) {
	if b.Heard != nil && len(a.spare) < 64 {
		clear(b.Heard)
		a.spare = append(a.spare, b.Heard[:0])
	}
	*b = batch{}
}
