package owner

import (
	"fmt"
	"slices"
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
	require.Empty(t, c.Answer(now, do[0], Result{Members: []string{"a", "b"}}), "b may ask for them")
	away := beings[slices.IndexFunc(beings, func(b string) bool { return Prefer(b, []string{"a", "b"}) == "b" })]
	wanted := c.Wanted(now, away)
	require.Equal(t, map[Kind]int{Stop: 1}, kinds(wanted))
	require.Empty(t, c.Wanted(now, "unknown"))
	wanted[0].Kind = Start
	require.Equal(t, map[Kind]int{Release: 1}, kinds(c.Answer(now, wanted[0], Result{})))
	now = c.Next()
	require.Equal(t, t0.Add(6*time.Second), now)
	do = c.Due(now)
	require.Equal(t, map[Kind]int{Stop: 3}, kinds(do), "nobody has asked")
	ended := do[0]
	ended.Kind = Start
	do = c.Answer(now, ended, Result{})
	require.Equal(t, map[Kind]int{Stop: 1, Release: 1}, kinds(do))
	c.Drain()
	require.Equal(t, map[Kind]int{Leave: 1}, kinds(c.Due(now)), "three are on the way")
	now = c.Next()
	require.Equal(t, t0.Add(7*time.Second), now)
	do = c.Due(now)
	require.Equal(t, map[Kind]int{Stop: 3}, kinds(do), "slow ones do not hold up the others")
	ended = do[0]
	ended.Kind = Start
	assert.Equal(t, map[Kind]int{Stop: 1, Release: 1}, kinds(c.Answer(now, ended, Result{})))
}

// A process asks again when a lease or a membership of another process ends, and at once after a hint, also after one that comes
// while it asks.
func TestCore_Hints(t *testing.T) {
	c := New("a", Timing{}, []string{"x"})
	now := t0
	join := c.Due(now)[0]
	claim := c.Answer(now, join, Result{Members: []string{"a", "b"}, Left: 300 * time.Millisecond})
	if len(claim) == 0 { // the being is that of b, until b has left
		require.Equal(t, t0.Add(330*time.Millisecond), c.Next())
		now = c.Next()
		claim = c.Answer(now, c.Due(now)[0], Result{Members: []string{"a"}})
	}
	require.Equal(t, map[Kind]int{Claim: 1}, kinds(claim))
	require.Equal(t, map[Kind]int{Want: 1}, kinds(c.Answer(now, claim[0], Result{Fenced: true, Left: 200 * time.Millisecond})))
	require.Equal(t, now.Add(230*time.Millisecond), c.Next())
	require.Empty(t, c.Hint(now, "y"), "unknown")
	claim = c.Hint(now, "x")
	require.Equal(t, map[Kind]int{Claim: 1}, kinds(claim))
	require.Empty(t, c.Hint(now, "x"), "it asks already")
	claim = c.Answer(now, claim[0], Result{Fenced: true, Left: time.Second})
	require.Equal(t, map[Kind]int{Claim: 1}, kinds(claim), "once more for the second hint")
	require.Empty(t, c.Answer(now, claim[0], Result{Fenced: true, Left: 14 * time.Second}))

	join = c.Hint(now, "")[0]
	require.Equal(t, Join, join.Kind)
	require.Empty(t, c.Hint(now, ""), "it asks already")
	do := c.Answer(now, join, Result{Members: []string{"a"}})
	require.Equal(t, map[Kind]int{Join: 1}, kinds(do), "once more for the second hint")
	require.Empty(t, c.Answer(now, do[0], Result{Members: []string{"a"}}))
	require.Equal(t, now.Add(time.Second), c.Next(), "the next claim")
}

// A process asks for a few beings of others at once, and for the next ones when those are ready or take long.
func TestCore_Want(t *testing.T) {
	c := New("a", Timing{Moves: 8}, []string{"v", "w", "x", "y"})
	now := t0
	do := c.Answer(now, c.Due(now)[0], Result{Members: []string{"a"}})
	wants := 0
	for len(do) > 0 { // all are held
		var next []Action
		for _, a := range do {
			if a.Kind == Want {
				wants++
				continue
			}
			require.Equal(t, Claim, a.Kind)
			next = append(next, c.Answer(now, a, Result{Fenced: true, Left: time.Minute})...)
		}
		do = next
	}
	require.Equal(t, 2, wants)
	take := func(being string, epoch int64) []Action {
		var claim Action
		for _, a := range c.Hint(now, being) {
			if a.Being == being && a.Kind == Claim {
				claim = a
			}
		}
		require.Equal(t, being, claim.Being)
		return c.Answer(now, claim, Result{Epoch: epoch})
	}
	require.Equal(t, map[Kind]int{Start: 1}, kinds(take("v", 5)), "it is not ready")
	require.Equal(t, map[Kind]int{Start: 1}, kinds(take("w", 7)))
	require.Empty(t, c.Ready(now, "v", 4), "of an earlier claim")
	require.Equal(t, []Action{{Kind: Want, Being: "x", sent: now}}, c.Ready(now, "v", 5))
	now = now.Add(time.Second)
	assert.Equal(t, 2, kinds(c.Due(now))[Want], "w takes long, and so does x")
	require.Empty(t, c.Ready(now, "unknown", 1))
}

// Of the beings that sleep, a core knows those that wake soon and those that somebody wakes. The others cost their names.
func TestCore_Sleep(t *testing.T) {
	c := New("a", Timing{}, []string{"later", "now", "soon"})
	now := t0
	asleep := map[string]time.Duration{"later": time.Hour, "now": 0, "soon": 2 * time.Second, "unknown": 0}
	do := c.Answer(now, c.Due(now)[0], Result{Members: []string{"a"}, Asleep: asleep})
	require.Equal(t, []Action{{Kind: Claim, Being: "now", sent: now}}, do)
	do = c.Answer(now, do[0], Result{Epoch: 3})
	require.Equal(t, map[Kind]int{Start: 1}, kinds(do))
	do[0].Kind = Start
	do = c.Answer(now, do[0], Result{Sleeps: true, Left: time.Minute})
	require.Equal(t, []Action{{Kind: Sleep, Being: "now", Epoch: 3, sent: now, For: time.Minute}}, do)
	require.Empty(t, c.Hint(now, "now"), "an event comes meanwhile")
	require.Empty(t, c.Answer(now, do[0], Result{Sleeps: true, Left: time.Minute}))
	require.Equal(t, t0.Add(time.Second), c.Next(), "it has just started")
	now = c.Next()
	require.Equal(t, []Action{{Kind: Claim, Being: "now", sent: now}}, c.Due(now))
	require.Empty(t, c.Answer(now, Action{Kind: Claim, Being: "now", sent: now}, Result{Sleeps: true, Left: time.Minute}))
	require.Equal(t, t0.Add(2*time.Second), c.Next())
	now = c.Next()
	claim := c.Due(now)
	require.Equal(t, []Action{{Kind: Claim, Being: "soon", sent: now}}, claim)
	require.Empty(t, c.Answer(now, claim[0], Result{Sleeps: true, Left: time.Hour}), "somebody else has woken it meanwhile")
	require.Empty(t, c.beings)
	require.Equal(t, t0.Add(5*time.Second), c.Next(), "the next list of the members")
	require.Equal(t, []Action{{Kind: Claim, Being: "later", sent: now}}, c.Hint(now, "later"))
	require.Empty(t, c.Hint(now, "unknown"))
	c.Drain()
	require.Equal(t, map[Kind]int{Leave: 1}, kinds(c.Due(now)))
}
