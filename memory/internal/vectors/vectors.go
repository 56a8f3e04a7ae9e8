// Package vectors is what the indexes that keep vectors of length 1 have in common.
package vectors

import (
	"fmt"
	"math"

	"github.com/hearth-bot/hearth/memory"
)

// Check refuses records of which one would spoil every later query of its space. dims is how many dimensions the vectors of a
// space have; 0: none is there. index begins the errors.
func Check(index string, recs []memory.Record, dims func(memory.Space) int) error {
	lengths := map[memory.Space]int{} // of these records' vectors
	for i := range recs {
		r := &recs[i]
		if r.ID == "" || r.Space == "" {
			return fmt.Errorf("%s: record %q in space %q: %w", index, r.ID, string(r.Space), memory.ErrInvalid)
		}
		if len(r.Vector) == 0 {
			continue
		}
		if !memory.ValidVector(r.Vector) {
			return fmt.Errorf("%s: record %q: %w", index, r.ID, memory.ErrVector)
		}
		want := lengths[r.Space]
		if want == 0 {
			want = dims(r.Space)
		}
		if want != 0 && want != len(r.Vector) {
			return fmt.Errorf("%s: record %q: %d dimensions, its space has %d: %w", index, r.ID, len(r.Vector), want, memory.ErrVector)
		}
		lengths[r.Space] = len(r.Vector)
	}
	return nil
}

// Unit copies a vector that [memory.ValidVector] accepts and brings it to length 1, so that who goes by dot product or distance
// finds the same as who goes by cosine. The sum is a float64's: a float32's overflows on large values.
func Unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return u
}
