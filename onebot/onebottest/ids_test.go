package onebottest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIDs_AreDistinct(t *testing.T) {
	for kind, limits := range map[IDRange][2]int64{
		IDsHash31: {1, math.MaxInt32},
		IDsInt32:  {math.MinInt32, math.MaxInt32},
		IDsUint32: {1, math.MaxUint32},
	} {
		d, again, other := newIDs(kind, 7), newIDs(kind, 7), newIDs(kind, 8)
		seen := make(map[uint32]bool)
		rising, differs := 0, false
		last := int64(0)
		for range 100_000 {
			id := d.next()
			assert.False(t, seen[uint32(id)], "%d comes twice", id)
			seen[uint32(id)] = true
			if id < limits[0] || id > limits[1] || id == 0 {
				t.Fatalf("%v: %d is out of range", kind, id)
			}
			if id > last {
				rising++
			}
			last = id
			assert.Equal(t, id, again.next(), "same seed")
			differs = differs || id != other.next()
		}
		assert.True(t, differs, "another seed gives other ids")
		assert.InDelta(t, 50_000, rising, 5_000, "ids do not count up")
	}
}
