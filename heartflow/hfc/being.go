package hfc

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A being is what all chats of a [Flow] share: the options, the time, the global state and its chance.
type being struct {
	o       Options
	willing func() willingness // returns a new one for a chat
	now     tick.Tick          // the latest time seen
	loc     *time.Location
	dice    rand.PCG // of the being; each chat has its own
	mind    mind
	told    GlobalState // what Due said last
	why     heartflow.Code

	asleep bool
	wakeAt tick.Tick
	closed tick.Tick // the account cannot send until then
}

// minute is the step of the global state.
const minute = tick.Tick(time.Minute)

// mindStream tells the chance of the being from that of its chats.
const mindStream = 0x4d494e44

func (b *being) maxAge() time.Duration { return cmp.Or(b.o.Attention.MaxAge, 2*time.Minute) }

// limit is how many chats may be in that state now.
func (b *being) limit(to ChatState) int { return b.o.GlobalState.limit(b.mind.State, to) }

// wakes is when sleep ends by itself.
func (b *being) wakes() tick.Tick {
	if b.asleep {
		return b.wakeAt
	}
	return tick.Forever
}

// decides is when the global state is decided next.
func (b *being) decides() tick.Tick {
	if b.asleep || b.o.GlobalState.Fixed != Offline {
		return tick.Forever
	}
	return tick.Tick(b.mind.next()) * minute
}
