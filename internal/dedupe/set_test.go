package dedupe_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/internal/dedupe"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSet_FullDropsTheOldest(t *testing.T) {
	s := dedupe.New[string](2)
	s.Add("a")
	s.Add("b")
	_, full := s.Add("a")
	assert.False(t, full, "it is there already")
	dropped, full := s.Add("c")
	assert.True(t, full)
	assert.Equal(t, "a", dropped)
	assert.Equal(t, []string{"b", "c"}, s.All())
	assert.False(t, s.Has("a"))
	assert.True(t, s.Has("b"))
}

func TestSet_Gap(t *testing.T) {
	s := dedupe.New[int](9)
	s.Add(1)
	s.AddAfterGap(2)
	assert.True(t, s.BeforeGap(1))
	assert.False(t, s.BeforeGap(2))
	assert.False(t, s.BeforeGap(7), "unknown")
	s.OpenGap()
	s.Add(3)
	gap := s.Gap()
	s.OpenGap() // still the first gap
	s.Add(1)
	assert.True(t, s.BeforeGap(1))
	assert.False(t, s.BeforeGap(3))
	s.AddAfterGap(1)
	assert.Equal(t, []int{1, 2, 3}, s.AfterGap())
	assert.Equal(t, []int{1, 2, 3}, s.All())
	s.CloseGap(gap)
	assert.NotZero(t, s.Gap(), "it has grown")
	assert.NotEmpty(t, s.AfterGap())
	s.CloseGap(s.Gap())
	assert.Zero(t, s.Gap())
	s.Add(4)
	assert.Empty(t, s.AfterGap())
	for k := range 4 {
		assert.True(t, s.BeforeGap(k+1))
	}
}

// TestSet_MatchesASlice compares a Set with a slice over random operations.
func TestSet_MatchesASlice(t *testing.T) {
	const most = 8
	rng := rand.New(rand.NewPCG(1, 2))
	s := dedupe.New[int](most)
	naive := []int{}
	for range 10_000 {
		k := rng.IntN(2 * most)
		if rng.IntN(4) == 0 {
			s.Remove(k)
			naive = slices.DeleteFunc(naive, func(o int) bool { return o == k })
		} else {
			s.Add(k)
			if !slices.Contains(naive, k) {
				naive = append(naive, k)
				naive = naive[max(len(naive)-most, 0):]
			}
		}
		require.Equal(t, naive, append([]int{}, s.All()...))
	}
}
