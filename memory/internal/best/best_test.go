package best_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/memory/internal/best"
)

func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		h := best.Heap[int]{K: 1 + rng.IntN(9), Worse: func(a, b int) bool { return a < b }}
		var all []int
		for range rng.IntN(40) {
			x := rng.IntN(20)
			h.Add(x)
			all = append(all, x)
			slices.SortFunc(all, func(a, b int) int { return b - a })
			want := all[:min(h.K, len(all))]
			assert.Equal(t, len(all) >= h.K, h.Full())
			assert.Equal(t, want[len(want)-1], h.Items[0], "the worst is first")
			assert.ElementsMatch(t, want, h.Items)
		}
	}
}
