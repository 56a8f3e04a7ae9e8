package loop

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A core is a list of deadlines. Only the loop's goroutine uses it without the lock.
type core struct {
	mu    sync.Mutex
	times []time.Time
	fired []time.Time
}

func (c *core) next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.times) == 0 {
		return time.Time{}, false
	}
	return c.times[0], true
}

func (c *core) due(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fired = append(c.fired, now)
	for len(c.times) > 0 && !c.times[0].After(now) {
		c.times = c.times[1:]
	}
}

func (c *core) set(times ...time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = times
}

func TestRun_FiresAtEachDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t0 := time.Now().Round(0)
		c := &core{times: []time.Time{t0.Add(time.Second), t0.Add(time.Minute), t0.Add(25 * time.Hour)}}
		want := c.times
		ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
		defer cancel()
		var l Loop
		require.NoError(t, l.Run(ctx, c.next, c.due))
		assert.Equal(t, want, c.fired)
		assert.Equal(t, 48*time.Hour, time.Since(t0), "it stayed until the end of ctx")
	})
}

func TestWake_CallsNextAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t0 := time.Now().Round(0)
		c := &core{}
		ctx, cancel := context.WithCancel(t.Context())
		var l Loop
		go func() {
			time.Sleep(time.Minute)
			c.set(t0.Add(time.Hour))
			l.Wake() // from no deadline to one hour
			time.Sleep(time.Minute)
			c.set(t0.Add(3 * time.Minute))
			l.Wake() // earlier than planned
			time.Sleep(2 * time.Hour)
			c.set(t0.Add(time.Second))
			l.Wake() // in the past: at once
			time.Sleep(time.Second)
			cancel()
		}()
		require.NoError(t, l.Run(ctx, c.next, c.due))
		assert.Equal(t, []time.Time{t0.Add(3 * time.Minute), t0.Add(2*time.Hour + 2*time.Minute)}, c.fired)
	})
}

func TestRun_LaterDeadlineNeedsNoWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t0 := time.Now().Round(0)
		c := &core{times: []time.Time{t0.Add(time.Second)}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var l Loop
		go func() {
			time.Sleep(time.Millisecond)
			c.set(t0.Add(time.Minute))
		}()
		require.NoError(t, l.Run(ctx, c.next, c.due))
		assert.Equal(t, []time.Time{t0.Add(time.Minute)}, c.fired)
	})
}

func TestWake_BeforeRunAndTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Loop
		l.Wake()
		l.Wake() // does not block without a reader
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		asked := 0
		require.NoError(t, l.Run(ctx, func() (time.Time, bool) { asked++; return time.Time{}, false }, nil))
		assert.Equal(t, 2, asked, "once at the start, once for both wakes")
	})
}

func TestRun_Twice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Loop
		c := &core{}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx, c.next, c.due) }()
		synctest.Wait()
		assert.ErrorIs(t, l.Run(ctx, c.next, c.due), ErrRunning)
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, l.Run(ctx, c.next, c.due), "it may run again; ctx has ended, so it returns at once")
	})
}

func TestNow_ClockSetBack(t *testing.T) {
	t0 := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name    string
		elapsed time.Duration
		wall    time.Duration
		want    time.Duration
	}{
		{"nothing happened", time.Second, time.Second, time.Second},
		{"set forward", time.Second, time.Hour, time.Hour},
		{"woken from sleep: the monotonic clock stood still", 0, time.Hour, time.Hour},
		{"set back", time.Second, -time.Hour, time.Second},
		{"set back while nothing passed", 0, -time.Hour, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, t0.Add(tc.want), steady(t0, tc.elapsed, t0.Add(tc.wall)))
		})
	}
}

func TestNow_HasNoMonotonicPart(t *testing.T) {
	var l Loop
	prev := l.Now()
	assert.Equal(t, prev, prev.Round(0))
	for range 1000 {
		now := l.Now()
		require.False(t, now.Before(prev))
		prev = now
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, Sleep(ctx, time.Second))
		require.NoError(t, Sleep(ctx, 0))
		assert.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, Sleep(ctx, time.Hour), context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(began))
		require.ErrorIs(t, Sleep(ctx, -1), context.DeadlineExceeded, "an ended context is told, however short the wait")
	})
}
