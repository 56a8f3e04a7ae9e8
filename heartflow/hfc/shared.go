package hfc

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// shared is the state that all chats of a [Flow] share: the options, the time and the global state.
type shared struct {
	o              Options
	newWillingness func() willingness // returns the state of a new chat
	now            tick.Tick          // the latest time seen
	loc            *time.Location
	tempo          tempo
	dice           rand.PCG // shared random generator; each chat has its own
	global         globalMachine
	reported       GlobalState // state last reported by Due
	why            heartflow.Code

	asleep bool
	wakeAt tick.Tick
	muted  tick.Tick // sending by the account is muted until then
}

// minute is the step of the global state.
const minute = tick.Tick(time.Minute)

// globalStream separates the shared random generator from those of the chats.
const globalStream = 0x4d494e44

func (b *shared) maxAge() time.Duration { return cmp.Or(b.o.Attention.MaxAge, 2*time.Minute) }

// limit returns how many chats may be in that state now.
func (b *shared) limit(to ChatState) int { return b.o.GlobalState.limit(b.global.State, to) }

// wakeTime returns when sleep ends; Forever: not at a known time, or the bot is awake.
func (b *shared) wakeTime() tick.Tick {
	if b.asleep {
		return b.wakeAt
	}
	return tick.Forever
}

// nextDecision returns when the global state is decided next.
func (b *shared) nextDecision() tick.Tick {
	if b.asleep || b.o.GlobalState.Fixed != Offline {
		return tick.Forever
	}
	return tick.Tick(b.global.next()) * minute
}
