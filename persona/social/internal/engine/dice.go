package engine

import (
	"hash/fnv"
	"math/rand/v2"
)

// Dice are the chance of one thing that happens, by its name: the same after a restart, and whatever else happened before.
func (b *Engine) Dice(of string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(of))
	return rand.New(rand.NewPCG(b.Attention.Seed(), h.Sum64()))
}
