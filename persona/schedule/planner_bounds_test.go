package schedule_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Reviews of one session that wait for the hourly limit are merged.
func TestPlanner_MergesReviews(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, schedule.PlannerOptions{BackgroundPerHour: 1})
	now, messages := statetest.T0, 0
	_, got := h.due(t, now)
	require.Equal(t, "life/idle/1", got)
	for range 10 {
		require.NoError(t, h.Observe(t.Context(), now, inGroup, 2))
		now = now.Add(5 * time.Minute)
		wakes, _ := h.due(t, now)
		require.NotEmpty(t, wakes)
		h.done(t, now, wakes[0].ID, nil)
	}
	h.done(t, now, "life/idle/1", nil)
	next, _ := h.Next(now)
	wakes, _ := h.due(t, statetest.T0.Add(time.Hour))
	for _, w := range wakes {
		if w.Kind == schedule.WakeReview {
			messages += w.Conversation.Messages
			assert.Equal(t, statetest.T0, w.Conversation.From)
			assert.Equal(t, statetest.T0.Add(45*time.Minute), w.Conversation.To)
		}
	}
	assert.Equal(t, 20, messages, next)

	h = newPlanner(t, statetest.New(nil), statetest.T0, schedule.PlannerOptions{})
	for i := range 40 {
		require.NoError(t, h.Observe(t.Context(), statetest.T0, schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)}}, 1))
	}
	now = statetest.T0.Add(3 * time.Minute)
	for w, err := range h.Due(t.Context(), now) {
		require.NoError(t, err)
		h.done(t, now, w.ID, nil)
	}
	reviews := 1 // the review that was just done or dropped
	for range 100 {
		now, _ = h.Next(now)
		for w, err := range h.Due(t.Context(), now) {
			require.NoError(t, err)
			if w.Kind == schedule.WakeReview {
				reviews++
			}
			h.done(t, now, w.ID, nil)
		}
	}
	assert.LessOrEqual(t, reviews, 33, "at most 32 reviews wait")
	assert.Greater(t, reviews, 30)
}

// After errors of the State, everything that is due is yielded later.
func TestPlanner_StateErrors(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, noPlans)
	_, err := h.timers.Set(t.Context(), statetest.T0, byOwner, "1min", "")
	require.NoError(t, err)
	plan(t, h.tasks, statetest.T0, byOwner, "a", 0, 0)
	r.After = func(int) (bool, error) { return false, statetest.ErrCrash }
	now := statetest.T0.Add(time.Minute)
	var waits []time.Duration
	for range 9 {
		failed := 0
		for w, err := range h.Due(t.Context(), now) {
			require.ErrorIs(t, err, statetest.ErrCrash)
			require.Zero(t, w)
			failed++
		}
		assert.Equal(t, 2, failed, "errors of timers and of tasks")
		next, ok := h.Next(now)
		require.True(t, ok)
		waits = append(waits, next.Sub(now)/time.Second)
		_, got := h.due(t, next.Add(-1))
		require.Empty(t, got)
		now = next
	}
	assert.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}, waits)
	r.After = nil
	_, got := h.due(t, now)
	assert.Equal(t, "timer/t1/1 task/s1", got)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, h.Observe(t.Context(), now, inGroup, 1))
	n := 0
	for _, err := range h.Due(ctx, now.Add(time.Hour)) {
		require.ErrorIs(t, err, context.Canceled)
		n++
	}
	assert.Equal(t, 1, n)
}

func TestPlanner_InvalidRows(t *testing.T) {
	r := statetest.New(map[string][]byte{
		"life/self": []byte("{"), "life/job/x": []byte("{}"), "life/job/2": []byte(`{"kind":"dance"}`), "life/job/7": []byte(`{"kind":"reflect","messages":3}`),
		"life/talk/a": []byte("[]"), "timer/t1": []byte("{}"), "task/s1": []byte("{}"),
	})
	h := setup{timers: schedule.NewTimers(r, schedule.TimerOptions{}), tasks: schedule.NewTasks(r, schedule.TaskOptions{})}
	var err error
	h.Planner, err = schedule.NewPlanner(r, h.timers, h.tasks, schedule.PlannerOptions{})
	require.NoError(t, err)
	broken, err := h.Restore(t.Context(), statetest.T0)
	require.NoError(t, err)
	var keys []string
	for _, b := range broken {
		keys = append(keys, b.Key)
	}
	assert.Equal(t, "life/job/2 life/job/x life/self life/talk/a timer/t1 task/s1", strings.Join(keys, " "))
	_, got := h.due(t, statetest.T0)
	assert.Equal(t, "life/reflect/7 life/idle/8", got)
}

// If the clock goes back, no wait becomes longer than its full length.
func TestPlanner_ClockGoesBack(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, schedule.PlannerOptions{})
	far := statetest.T0.Add(100 * time.Hour)
	_, got := h.due(t, far)
	require.Equal(t, "life/idle/1", got)
	h.done(t, far, got, nil)
	_, err := h.timers.Set(t.Context(), far, byOwner, "2min", "")
	require.NoError(t, err)
	require.NoError(t, h.Observe(t.Context(), far, inGroup, 1))
	_, got = h.due(t, statetest.T0)
	require.Empty(t, got)
	next, _ := h.Next(statetest.T0)
	assert.Equal(t, statetest.T0.Add(2*time.Minute), next, "the timer")
	_, got = h.due(t, next)
	assert.Equal(t, "timer/t1/1", got)
	_, got = h.due(t, statetest.T0.Add(3*time.Minute))
	assert.Equal(t, "life/archive/2 ", got+" ")
	h.done(t, next, "life/archive/2", nil)
	_, got = h.due(t, statetest.T0.Add(3*time.Minute))
	assert.Equal(t, "life/review/3", got)
	h.done(t, next, got, nil)
	next, _ = h.Next(statetest.T0.Add(3 * time.Minute))
	assert.Equal(t, statetest.T0.Add(15*time.Minute), next, "15 minutes after the planning turn, whose time was clamped")
}

// A conversation with a time in the future ends 3 minutes after now.
func TestPlanner_ConversationInTheFuture(t *testing.T) {
	h := newPlanner(t, statetest.New(nil), statetest.T0, noPlans)
	_, got := h.due(t, statetest.T0)
	require.Empty(t, got)
	require.NoError(t, h.Observe(t.Context(), statetest.T0.Add(72*time.Hour), inGroup, 1))
	now := statetest.T0.Add(time.Second)
	_, got = h.due(t, now)
	require.Empty(t, got)
	next, _ := h.Next(now.Add(time.Minute))
	assert.Equal(t, now.Add(3*time.Minute), next)
	_, got = h.due(t, next)
	assert.Equal(t, "life/archive/1", got)
}

// A wake whose write failed was not yielded. It does not block other wakes, even if the row says that it is running.
func TestPlanner_FailedWriteOfAWake(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, schedule.PlannerOptions{})
	r.After = func(int) (bool, error) { return true, statetest.ErrCrash }
	for w, err := range h.Due(t.Context(), statetest.T0) {
		require.ErrorIs(t, err, statetest.ErrCrash)
		require.Zero(t, w)
	}
	r.After = nil
	now := statetest.T0.Add(time.Second)
	_, got := h.due(t, now)
	assert.Empty(t, got, "the wake may have started, so there is a delay")
	next, ok := h.Next(now)
	require.True(t, ok)
	assert.Equal(t, statetest.T0.Add(15*time.Minute), next)
	_, got = h.due(t, next)
	assert.Equal(t, "life/idle/2/2", got)
}

// The test is for the race detector. It also checks that no wake is yielded twice.
func TestPlanner_ConcurrentUse(t *testing.T) {
	h := newPlanner(t, statetest.New(nil), statetest.T0, schedule.PlannerOptions{})
	var mu sync.Mutex
	seen := map[string]bool{}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 100 {
				now := statetest.T0.Add(time.Duration(i) * time.Minute)
				m := schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(g)}}
				if i%10 < 4 {
					assert.NoError(t, h.Observe(t.Context(), now, m, 3))
				}
				_, _ = h.Next(now)
				for w, err := range h.Due(t.Context(), now) {
					if !assert.NoError(t, err) {
						continue
					}
					mu.Lock()
					assert.False(t, seen[w.ID], w.ID)
					seen[w.ID] = true
					mu.Unlock()
					assert.NoError(t, h.Done(t.Context(), now, w.ID, nil))
				}
			}
		})
	}
	all.Wait()
	assert.Greater(t, len(seen), 20)
}
