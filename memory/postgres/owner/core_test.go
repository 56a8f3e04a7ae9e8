package owner

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func kinds(do []Action) map[Kind]int {
	n := map[Kind]int{}
	for _, a := range do {
		n[a.Kind]++
	}
	return n
}

// A core claims a few beings at once, and hands a few over at once. At shutdown it stops all.
func TestCore_Bounds(t *testing.T) {
	var beings []string
	for i := range 100 {
		beings = append(beings, fmt.Sprint("being", i))
	}
	c := New("a", Timing{Moves: 3}, beings)
	now := t0
	do := c.Due(now)
	require.Equal(t, map[Kind]int{Join: 1}, kinds(do))
	do = c.Answer(now, do[0], Result{Members: []string{"a"}})
	require.Equal(t, map[Kind]int{Claim: 3}, kinds(do))
	assert.Empty(t, c.Due(now), "each action once")
	var started []Action
	for len(do) > 0 {
		var next []Action
		for _, a := range do {
			switch a.Kind {
			case Claim:
				next = append(next, c.Answer(now, a, Result{Epoch: 7})...)
			case Start:
				started = append(started, a)
			}
		}
		do = next
	}
	require.Len(t, started, 100)
	require.Len(t, c.Acting(now), 100)

	now = c.Next()
	require.Equal(t, t0.Add(5*time.Second), now)
	do = c.Due(now)
	require.Equal(t, map[Kind]int{Join: 1, Renew: 100}, kinds(do))
	for _, a := range do {
		if a.Kind == Renew {
			require.Empty(t, c.Answer(now, a, Result{}))
		}
	}
	do = c.Answer(now, do[0], Result{Members: []string{"a", "b"}})
	require.Equal(t, map[Kind]int{Stop: 3}, kinds(do))
	ended := do[0]
	ended.Kind = Start
	do = c.Answer(now, ended, Result{})
	require.Equal(t, map[Kind]int{Stop: 1, Release: 1}, kinds(do))
	c.Drain()
	assert.Equal(t, map[Kind]int{Leave: 1, Stop: 96}, kinds(c.Due(now)))
}
