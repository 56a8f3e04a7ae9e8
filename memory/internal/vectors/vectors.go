// Package vectors contains code shared by the vector indexes that store unit vectors.
package vectors

import (
	"fmt"
	"math"

	"github.com/hearth-bot/hearth/memory"
)

// Check rejects invalid records before an index stores any of them. dims returns the number of dimensions of the
// vectors in a space, or 0 if it has none. The errors begin with the package name index.
func Check(index string, recs []memory.Record, dims func(memory.Space) int) error {
	lengths := map[memory.Space]int{} // vector lengths of these records
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

// Unit returns a copy of v with length 1, so that dot product, Euclidean distance and cosine give the same ranking. v
// must be valid by [memory.ValidVector]. The sum is a float64, because large values overflow a float32.
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
