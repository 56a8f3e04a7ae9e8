package onebot

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLimiter_Try(t *testing.T) {
	t0 := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		o     LimiterOptions
		steps []struct {
			at   time.Duration
			chat string
			wait time.Duration // 0: allowed
		}
	}{
		"default": {LimiterOptions{}, []struct {
			at   time.Duration
			chat string
			wait time.Duration
		}{
			{0, "a", 0}, {0, "a", 3 * time.Second}, {0, "b", time.Second}, {999 * time.Millisecond, "b", time.Millisecond},
			{time.Second, "b", 0}, {2 * time.Second, "a", time.Second}, {3 * time.Second, "a", 0}, {3 * time.Second, "b", time.Second},
			{4 * time.Second, "b", 0}, {-time.Hour, "b", 3 * time.Second}, // a clock set back lengthens no wait
		}},
		"none": {LimiterOptions{ChatInterval: -1, AccountInterval: -1}, []struct {
			at   time.Duration
			chat string
			wait time.Duration
		}{{0, "a", 0}, {0, "a", 0}, {0, "b", 0}}},
		"chat only": {LimiterOptions{ChatInterval: time.Minute, AccountInterval: -1}, []struct {
			at   time.Duration
			chat string
			wait time.Duration
		}{{0, "a", 0}, {0, "b", 0}, {time.Second, "a", 59 * time.Second}}},
	} {
		l := NewLimiter(c.o)
		for i, s := range c.steps {
			wait, ok := l.Try(t0.Add(s.at), s.chat)
			assert.Equal(t, s.wait, wait, "%s, step %d", name, i)
			assert.Equal(t, s.wait == 0, ok, "%s, step %d", name, i)
		}
	}
}

// With many waiting callers, every interval is kept, and each chat serves its callers in order.
func TestLimiter_Wait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(LimiterOptions{})
		var mu sync.Mutex
		var last time.Time
		lastOf, next, sent := map[string]time.Time{}, map[string]int{}, 0
		var wg sync.WaitGroup
		for i := range 10 {
			for c := range 5 {
				chat := fmt.Sprint("chat", c)
				wg.Go(func() {
					assert.NoError(t, l.Wait(t.Context(), chat))
					mu.Lock()
					defer mu.Unlock()
					now := time.Now()
					if sent++; sent > 1 {
						assert.GreaterOrEqual(t, now.Sub(last), time.Second)
					}
					if was, ok := lastOf[chat]; ok {
						assert.GreaterOrEqual(t, now.Sub(was), 3*time.Second)
					}
					assert.Equal(t, next[chat], i)
					last, lastOf[chat] = now, now
					next[chat]++
				})
				synctest.Wait()
			}
		}
		wg.Wait()
		assert.Equal(t, 50, sent)
	})
}

func TestLimiter_WaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(LimiterOptions{})
		require.NoError(t, l.Wait(t.Context(), "a"))
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := l.Wait(ctx, "a")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, time.Since(began), "it is known at once that there is no time")
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		assert.ErrorIs(t, l.Wait(ctx, "a"), context.Canceled)
		require.NoError(t, l.Wait(t.Context(), "a"), "who gave up took no turn")
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

// Parts of one reply wait only for the account's interval, and the chat's interval restarts with the last part.
func TestLimiter_WaitPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, began := NewLimiter(LimiterOptions{}), time.Now()
		require.NoError(t, l.Wait(t.Context(), "a"))
		require.NoError(t, l.WaitPart(t.Context(), "a"))
		require.NoError(t, l.WaitPart(t.Context(), "a"))
		assert.Equal(t, 2*time.Second, time.Since(began))
		require.NoError(t, l.Wait(t.Context(), "b"))
		assert.Equal(t, 3*time.Second, time.Since(began))
		require.NoError(t, l.Wait(t.Context(), "a"))
		assert.Equal(t, 5*time.Second, time.Since(began), "3 s after the last part")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, l.WaitPart(ctx, "a"), context.Canceled)
	})
}

func TestLimiter_DeletesOldChats(t *testing.T) {
	l := NewLimiter(LimiterOptions{AccountInterval: -1})
	now := time.Unix(0, 0)
	for i := range 100_000 {
		now = now.Add(time.Second)
		l.Try(now, fmt.Sprint(i))
	}
	assert.LessOrEqual(t, len(l.chats), 1024)
}

func TestBot_SendWaitsForLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Bot{Caller: &recorder{}, Limiter: NewLimiter(LimiterOptions{})}
		began := time.Now()
		for range 3 {
			_, err := b.SendGroupMsg(t.Context(), 1, Message{Text("x")})
			require.NoError(t, err)
		}
		assert.Equal(t, 6*time.Second, time.Since(began))
		_, err := b.SendPrivateMsg(t.Context(), 1, Message{Text("x")})
		require.NoError(t, err)
		assert.Equal(t, 7*time.Second, time.Since(began))
	})
}
