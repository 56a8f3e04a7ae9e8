package pcg

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDraw_Range(t *testing.T) {
	dice, sum := rand.NewPCG(1, 2), 0.
	const n = 100_000
	for range n {
		x := Draw(dice)
		require.True(t, x > 0 && x < 1, x)
		sum += x
	}
	assert.InDelta(t, .5, sum/n, .005)
	dice.Seed(1, 2)
	x := dice.Uint64()
	dice.Seed(1, 2)
	assert.InDelta(t, float64(x)/(1<<64), Draw(dice), 1e-15)
}

func TestStream_MatchesFNV(t *testing.T) {
	for _, name := range []string{"", "1", "qq:group:714286", "炉边"} {
		h := fnv.New64a()
		h.Write([]byte(name))
		assert.Equal(t, h.Sum64(), Stream(name), name)
	}
}
