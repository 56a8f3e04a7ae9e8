package prompt

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStableStart(t *testing.T) {
	at := func(seconds ...int64) func(int) time.Time {
		return func(i int) time.Time { return time.Unix(seconds[i], 0) }
	}
	for _, tc := range []struct {
		earliest, latest, want int
		times                  []int64
	}{
		{0, 3, 0, []int64{1, 2, 3, 4}},            // there is no earlier item
		{-5, 3, 0, []int64{1, 2, 3, 4}},           // there is no earlier item
		{1, 3, 3, []int64{1, 2, 3, 4}},            // the gap from 3 to 4 contains 4
		{1, 4, 2, []int64{10, 11, 600, 601, 602}}, // the pause
		{2, 2, 2, []int64{1, 2, 3}},               // no choice
		{1, 3, 1, []int64{7, 7, 7, 7}},            // all at once: the earliest item
		{1, 3, 2, []int64{9, 12, 3, 5}},           // the clock went back: the gap from 12 to 3 contains 8
		{1, 2, 1, []int64{-1, 1, 2}},              // around 1970
	} {
		assert.Equal(t, tc.want, stableStart(tc.earliest, tc.latest, at(tc.times...)), "%v", tc)
	}
}

// While a history grows, its start stays the same and moves forward only when it must. It is always in the requested
// range and does not depend on items outside it.
func TestStableStart_GrowingHistory(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var times []time.Time
		now := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
		for range 2000 {
			now = now.Add(time.Duration(r.IntN(40)) * time.Second)
			if r.IntN(8) == 0 {
				now = now.Add(time.Duration(r.IntN(600)) * time.Second)
			}
			times = append(times, now)
		}
		const least, slack = 100, 64
		last, moves := 0, 0
		for n := least; n <= len(times); n++ {
			latest := n - least
			begin := stableStart(latest-slack, latest, func(i int) time.Time { return times[i] })
			require.GreaterOrEqual(t, begin, max(0, latest-slack))
			require.LessOrEqual(t, begin, latest)
			require.GreaterOrEqual(t, begin, last, "the start moved back")
			if begin != last {
				moves++
			}
			last = begin
			if off := max(0, latest-slack-1); off > 0 { // the same without the items before
				short := times[off:]
				require.Equal(t, begin-off, stableStart(latest-slack-off, latest-off, func(i int) time.Time { return short[i] }))
			}
		}
		assert.LessOrEqual(t, moves, len(times)/(slack/2), "seed %d", seed)
	}
}
