package tick

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

type item struct{ Place }

// FuzzQueue compares a queue with a sorted list.
func FuzzQueue(f *testing.F) {
	for seed := range uint64(20) {
		steps := make([]byte, 200)
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range steps {
			steps[i] = byte(r.Uint32())
		}
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		var q Queue[*item]
		var in []*item
		all := make([]item, 16)
		for i := range all {
			all[i].Order = i
		}
		for _, b := range steps {
			it, due := &all[b&15], Tick(b>>4%8) // 0 removes it
			in = slices.DeleteFunc(in, func(x *item) bool { return x == it })
			if b >= 128 && due%2 == 0 {
				q.Remove(it)
			} else if q.Set(it, due); due > 0 {
				in = append(in, it)
			}
			require.Len(t, q, len(in))
			for i, x := range q {
				require.Equal(t, i+1, x.slot)
			}
			if len(in) > 0 {
				require.Same(t, slices.MinFunc(in, func(a, b *item) int {
					if a.Due != b.Due {
						return int(a.Due - b.Due)
					}
					return a.Order - b.Order
				}), q[0])
			}
		}
		for i := range all {
			require.Equal(t, slices.Contains(in, &all[i]), all[i].slot > 0)
		}
	})
}
