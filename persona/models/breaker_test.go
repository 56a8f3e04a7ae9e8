package models_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return t0.Add(d) }

// allowAndReport makes one call that ends at now.
func allowAndReport(t *testing.T, b *models.Breaker, now time.Time, what models.BreakerOutcome) {
	t.Helper()
	ticket, ok := b.Allow(now)
	require.True(t, ok)
	require.NotZero(t, ticket)
	b.Done(now, ticket, what, 0)
}

func opened(b *models.Breaker, now time.Time) time.Duration {
	next, ok := b.Next()
	if !ok {
		return -1
	}
	return next.Sub(now)
}

func TestBreaker_States(t *testing.T) {
	var b models.Breaker
	for range 4 {
		allowAndReport(t, &b, at(0), models.Failed)
	}
	allowAndReport(t, &b, at(0), models.Succeeded)
	for range 5 {
		assert.Equal(t, models.Closed, b.State(at(0)))
		allowAndReport(t, &b, at(0), models.Failed)
	}
	assert.Equal(t, models.Open, b.State(at(0)))
	first := opened(&b, at(0))
	assert.True(t, first >= 5*time.Second && first <= 6*time.Second, "%v", first)
	_, ok := b.Allow(at(first - 1))
	assert.False(t, ok)

	probe, ok := b.Allow(at(first))
	require.True(t, ok)
	_, ok = b.Allow(at(first))
	assert.False(t, ok, "one probe")
	b.Done(at(first), probe, models.Failed, 0)
	second := opened(&b, at(first))
	assert.True(t, second >= 5*time.Second && second <= 6*time.Second, "it tries every 5 s: %v", second)

	probe, ok = b.Allow(at(first + second))
	require.True(t, ok)
	b.Done(at(first+second), probe, models.Succeeded, 0)
	assert.Equal(t, models.Closed, b.State(at(first+second)))
	assert.Equal(t, time.Duration(-1), opened(&b, t0))
}

func TestBreaker_Details(t *testing.T) {
	t.Run("a late answer says nothing", func(t *testing.T) {
		b := models.Breaker{Failures: 1}
		late, _ := b.Allow(at(0))
		allowAndReport(t, &b, at(0), models.Failed)
		probe, ok := b.Allow(at(time.Minute))
		require.True(t, ok)
		b.Done(at(time.Minute), late, models.Succeeded, 0)
		assert.Equal(t, models.HalfOpen, b.State(at(time.Minute)))
		b.Done(at(time.Minute), probe, models.Succeeded, 0)
		b.Done(at(time.Minute), probe, models.Fatal, 0) // twice
		assert.Equal(t, models.Closed, b.State(at(time.Minute)))
	})
	t.Run("a probe that is given up lets another one in", func(t *testing.T) {
		b := models.Breaker{Failures: 1}
		allowAndReport(t, &b, at(0), models.Failed)
		allowAndReport(t, &b, at(time.Minute), models.Ignored)
		allowAndReport(t, &b, at(time.Minute), models.Succeeded)
		assert.Equal(t, models.Closed, b.State(at(time.Minute)))
	})
	t.Run("a probe without an answer has failed", func(t *testing.T) {
		b := models.Breaker{Failures: 1, ProbeTimeout: time.Second}
		allowAndReport(t, &b, at(0), models.Failed)
		lost, ok := b.Allow(at(time.Minute))
		require.True(t, ok)
		next, ok := b.Next()
		require.True(t, ok)
		assert.Equal(t, at(time.Minute+time.Second), next)
		_, ok = b.Allow(next)
		assert.False(t, ok)
		assert.Equal(t, models.Open, b.State(next))
		b.Done(next, lost, models.Succeeded, 0)
		assert.Equal(t, models.Open, b.State(next))
	})
	t.Run("dead opens at once, for as long as it was told, within an hour", func(t *testing.T) {
		var b models.Breaker
		ticket, _ := b.Allow(at(0))
		b.Done(at(0), ticket, models.Fatal, 10*time.Minute)
		assert.Equal(t, 10*time.Minute, opened(&b, at(0)))
		ticket, ok := b.Allow(at(10 * time.Minute))
		require.True(t, ok)
		b.Done(at(10*time.Minute), ticket, models.Fatal, 1<<62)
		assert.Equal(t, time.Hour, opened(&b, at(10*time.Minute)))
	})
	t.Run("dead without a time opens for a minute each time", func(t *testing.T) {
		for _, least := range []time.Duration{time.Minute, time.Hour} {
			var b models.Breaker
			if least != time.Minute {
				b.FatalOpen = least
			}
			now := t0
			for range 5 {
				allowAndReport(t, &b, now, models.Fatal)
				next, _ := b.Next()
				assert.GreaterOrEqual(t, next.Sub(now), least)
				assert.LessOrEqual(t, next.Sub(now), least+least/5)
				now = next
			}
		}
	})
	t.Run("it never waits longer than Max and a fifth", func(t *testing.T) {
		b := models.Breaker{Failures: 1, MinOpen: time.Second, MaxOpen: 3 * time.Second}
		now := t0
		for i := range 80 {
			allowAndReport(t, &b, now, models.Failed)
			next, _ := b.Next()
			least := min(time.Second<<min(i, 5), 3*time.Second)
			assert.GreaterOrEqual(t, next.Sub(now), least)
			assert.LessOrEqual(t, next.Sub(now), least+least/5)
			now = next
		}
	})
	t.Run("a step back counts as the latest time", func(t *testing.T) {
		b := models.Breaker{Failures: 1}
		allowAndReport(t, &b, at(time.Hour), models.Failed)
		_, ok := b.Allow(at(0))
		assert.False(t, ok)
		allowAndReport(t, &b, at(2*time.Hour), models.Ignored)
		allowAndReport(t, &b, at(0), models.Succeeded)
		assert.Equal(t, models.Closed, b.State(at(0)))
	})
	t.Run("same seed, same times", func(t *testing.T) {
		a, b, c := models.Breaker{Failures: 1, Seed: 7}, models.Breaker{Failures: 1, Seed: 7}, models.Breaker{Failures: 1, Seed: 8}
		for _, x := range []*models.Breaker{&a, &b, &c} {
			allowAndReport(t, x, at(0), models.Failed)
		}
		assert.Equal(t, opened(&a, t0), opened(&b, t0))
		assert.NotEqual(t, opened(&a, t0), opened(&c, t0))
	})
}

// A naiveBreaker stores the history and computes the state from it each time.
type naiveBreaker struct {
	failures int
	events   []naiveEvent
}

type naiveEvent struct {
	at    time.Time
	asked bool // else Done
	id    int
	what  models.BreakerOutcome
	until time.Time // from Breaker.Next, when this opened it
}

type naiveState struct {
	state  models.BreakerState
	row    int
	until  time.Time
	opens  int
	probe  int          // id
	seen   map[int]bool // ids of this state
	probes bool
}

func (n *naiveBreaker) at(now time.Time) naiveState {
	s := naiveState{seen: map[int]bool{}}
	for _, e := range n.events {
		s = s.pass(e.at)
		if e.asked {
			s.seen[e.id] = true
			if s.state == models.HalfOpen {
				s.probe, s.probes, s.until = e.id, true, e.at.Add(2*time.Minute)
			}
			continue
		}
		if !s.seen[e.id] || s.state == models.HalfOpen && e.id != s.probe || s.state == models.Open {
			continue
		}
		delete(s.seen, e.id)
		switch {
		case e.what == models.Fatal, e.what == models.Failed && s.state == models.HalfOpen, e.what == models.Failed && s.row+1 == n.failures:
			s = naiveState{state: models.Open, until: e.until, opens: s.opens + 1, seen: map[int]bool{}}
		case e.what == models.Failed:
			s.row++
		case e.what == models.Succeeded:
			if s.row = 0; s.state == models.HalfOpen {
				s.state, s.opens, s.seen = models.Closed, 0, map[int]bool{}
			}
		case s.state == models.HalfOpen:
			s.probes, s.seen = false, map[int]bool{}
		}
	}
	return s.pass(now)
}

// pass advances the time. An open breaker becomes half open.
func (s naiveState) pass(now time.Time) naiveState {
	if s.state == models.Open && !now.Before(s.until) {
		s.state, s.probes, s.seen = models.HalfOpen, false, map[int]bool{}
	}
	return s
}

func TestBreaker_MatchesNaiveImplementation(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		b := models.Breaker{Failures: 1 + r.IntN(4), MinOpen: 2 * time.Second, MaxOpen: 20 * time.Second, Seed: seed, ProbeTimeout: 2 * time.Minute}
		n := naiveBreaker{failures: b.Failures}
		now := t0
		tickets, id := map[int]uint64{}, 0
		var asked []int
		for range 120 {
			now = now.Add(time.Duration(r.IntN(1500)) * time.Millisecond)
			s := n.at(now)
			want := s.state == models.Closed || s.state == models.HalfOpen && !s.probes
			require.Equal(t, s.state, b.State(now), "seed %d", seed)
			require.Equal(t, want, b.Ready(now), "seed %d", seed)
			if r.IntN(2) == 0 {
				ticket, ok := b.Allow(now)
				require.Equal(t, want, ok, "seed %d", seed)
				if ok {
					id++
					tickets[id] = ticket
					asked = append(asked, id)
					n.events = append(n.events, naiveEvent{at: now, asked: true, id: id})
				}
				continue
			}
			if len(asked) == 0 {
				continue
			}
			i := r.IntN(len(asked))
			e := naiveEvent{at: now, id: asked[i], what: models.BreakerOutcome(r.IntN(4))}
			asked = append(asked[:i], asked[i+1:]...)
			wait := time.Duration(r.IntN(4)) * 10 * time.Second
			b.Done(now, tickets[e.id], e.what, wait)
			e.until, _ = b.Next()
			n.events = append(n.events, e)
			if after := n.at(now); after.state == models.Open && s.state != models.Open {
				least := max(min(2*time.Second<<min(after.opens-1, 10), 20*time.Second), wait)
				if e.what == models.Fatal && wait == 0 {
					least = time.Minute
				}
				require.GreaterOrEqual(t, e.until.Sub(now), least, "seed %d", seed)
				require.LessOrEqual(t, e.until.Sub(now), least+least/5, "seed %d", seed)
			}
		}
	}
}
