package hfc

import (
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// seconds between two ticks; 0 where to is not after from.
func seconds(from, to tick.Tick) float64 {
	return time.Duration(max(to-from, 0)).Seconds()
}

// draw returns a number above 0 and below 1.
func draw(dice *rand.PCG) float64 {
	return (float64(dice.Uint64()>>11) + .5) / (1 << 53)
}

// or returns v, or def where v is zero.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
