// Package pcg draws random numbers for heartflow and heartflow/hfc. Each chat has its own generator.
package pcg

import "math/rand/v2"

// Draw returns a number above 0 and below 1.
func Draw(dice *rand.PCG) float64 {
	return (float64(dice.Uint64()>>11) + .5) / (1 << 53)
}

// Stream returns a number for a name, the second word of a seed. It is the FNV-1a hash of the name.
func Stream(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}
