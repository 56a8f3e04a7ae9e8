package schedule_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A setup is a planner with its timers, tasks and rows.
type setup struct {
	*schedule.Planner
	timers *schedule.Timers
	tasks  *schedule.Tasks
}

func newPlanner(t testing.TB, r *statetest.Store, now time.Time, o schedule.PlannerOptions) setup {
	t.Helper()
	h := setup{
		timers: schedule.NewTimers(r, schedule.TimerOptions{Location: time.UTC}),
		tasks:  schedule.NewTasks(r, schedule.TaskOptions{Location: time.UTC}),
	}
	var err error
	h.Planner, err = schedule.NewPlanner(r, h.timers, h.tasks, o)
	require.NoError(t, err)
	broken, err := h.Restore(t.Context(), now)
	require.NoError(t, err)
	require.Empty(t, broken)
	return h
}

// due returns the wakes that are due and their ids.
func (h setup) due(t testing.TB, now time.Time) (wakes []schedule.Wake, ids string) {
	t.Helper()
	var all []string
	for w, err := range h.Due(t.Context(), now) {
		require.NoError(t, err)
		wakes, all = append(wakes, w), append(all, w.ID)
	}
	return wakes, strings.Join(all, " ")
}

func (h setup) done(t testing.TB, now time.Time, id string, failure error) {
	t.Helper()
	require.NoError(t, h.Done(t.Context(), now, id, failure))
}

// noPlans disables planning turns.
var noPlans = schedule.PlannerOptions{BackgroundPerHour: -1}

var errAway = errors.New("the model is away")

func TestPlanner_InvalidOptions(t *testing.T) {
	for _, o := range []schedule.PlannerOptions{
		{TaskInterval: time.Millisecond}, {TaskInterval: 61 * time.Minute}, {TimerInterval: -1}, {ConversationGap: -1}, {IdleOrigin: schedule.Origin{Mode: persona.Agent, Chat: statetest.GroupChat}},
	} {
		_, err := schedule.NewPlanner(statetest.New(nil), nil, nil, o)
		assert.Error(t, err, o)
	}
	l, err := schedule.NewPlanner(statetest.New(nil), nil, nil, schedule.PlannerOptions{TaskInterval: time.Hour})
	require.NoError(t, err)
	h := setup{Planner: l}
	_, got := h.due(t, statetest.T0)
	assert.Equal(t, "life/idle/1", got, "neither timers nor tasks")
	for _, id := range []string{"", "timer/t1/1", "task/s1", "life", "life/idle/2", "life/idle/1/2"} {
		assert.ErrorIs(t, l.Done(t.Context(), statetest.T0, id, nil), schedule.ErrNotFound, id)
	}
	h.done(t, statetest.T0, "life/idle/1", nil)
	assert.ErrorIs(t, l.Done(t.Context(), statetest.T0, "life/idle/1", nil), schedule.ErrNotFound, "the wake is done")
	for _, k := range []schedule.WakeKind{schedule.WakeTimer, schedule.WakeIdle} {
		b, err := k.MarshalText()
		require.NoError(t, err)
		var back schedule.WakeKind
		require.NoError(t, back.UnmarshalText(b))
		assert.Equal(t, k, back)
	}
}

// A timer or task from a group has the rights of that group, even if other wakes are due.
func TestPlanner_RightsOfOrigin(t *testing.T) {
	h := newPlanner(t, statetest.New(nil), statetest.T0, schedule.PlannerOptions{IdleOrigin: byOwner, ReflectEvery: 1})
	_, err := h.timers.Set(t.Context(), statetest.T0, inGroup, "5min", "唱歌")
	require.NoError(t, err)
	plan(t, h.tasks, statetest.T0, inGroup, "a", 0, 0)
	require.NoError(t, h.Observe(t.Context(), statetest.T0, inGroup, 1))
	wakes, got := h.due(t, statetest.T0.Add(5*time.Minute))
	require.Equal(t, "life/archive/2 timer/t1/1 task/s1 life/reflect/1", got)
	here := schedule.Origin{Chat: inGroup.Chat}
	for i, want := range []schedule.Origin{here, inGroup, inGroup, byOwner} {
		assert.Equal(t, want, wakes[i].Origin, wakes[i].ID)
	}
	h.done(t, statetest.T0.Add(5*time.Minute), "life/archive/2", nil)
	wakes, _ = h.due(t, statetest.T0.Add(5*time.Minute))
	require.Len(t, wakes, 1)
	assert.Equal(t, schedule.WakeReview, wakes[0].Kind)
	assert.Equal(t, here, wakes[0].Origin, "no person: the result stays in the chat")
	assert.Zero(t, wakes[0].Reason.IdleFor, "no data about other chats")
}

func TestPlanner_TaskInterval(t *testing.T) {
	for _, beat := range []time.Duration{0, time.Second, time.Hour, -1} {
		o := noPlans
		o.TaskInterval = beat
		h := newPlanner(t, statetest.New(nil), statetest.T0, o)
		for _, title := range []string{"a", "b", "c"} {
			plan(t, h.tasks, statetest.T0, byOwner, title, 0, 0)
		}
		now := statetest.T0
		for i := range 3 {
			wakes, got := h.due(t, now)
			if beat < 0 {
				require.Empty(t, got, "tasks are disabled")
				_, ok := h.Next(now)
				require.False(t, ok)
				break
			}
			require.Equal(t, fmt.Sprint("task/s", i+1), got)
			require.Equal(t, i > 0 && beat != time.Second, wakes[0].Reason.Late)
			_, ok := h.Next(now)
			require.False(t, ok, "one at a time")
			h.done(t, now, got, nil)
			next, ok := h.Next(now)
			require.Equal(t, i < 2, ok)
			if i < 2 {
				require.Equal(t, cmp.Or(beat, time.Minute), next.Sub(now), "the interval is too short")
				_, got = h.due(t, next.Add(-1))
				require.Empty(t, got)
				now = next
			}
		}
	}
}

func TestPlanner_BackoffAfterFailedTask(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, noPlans)
	for range 9 {
		plan(t, h.tasks, statetest.T0, byOwner, "a", 0, 0)
	}
	now := statetest.T0
	var waits []time.Duration
	for range 8 {
		_, got := h.due(t, now)
		h.done(t, now, got, errAway)
		h = newPlanner(t, r, now, noPlans) // the failure survives a restart
		next, _ := h.Next(now)
		waits = append(waits, next.Sub(now)/time.Minute)
		now = next
	}
	assert.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, waits)
	_, got := h.due(t, now)
	h.done(t, now, got, nil)
	plan(t, h.tasks, now, byOwner, "a", 0, 0)
	_, got = h.due(t, now)
	assert.Empty(t, got, "only its status changes")
	next, _ := h.Next(now)
	assert.Equal(t, now.Add(time.Minute), next)
}

// There is one reflection for every ten messages, one at a time. Messages during a reflection count for the next one.
func TestPlanner_Reflection(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, noPlans)
	say := func(n int) { require.NoError(t, h.Observe(t.Context(), statetest.T0, inGroup, n)) }
	say(9)
	say(0)
	h = newPlanner(t, r, statetest.T0, noPlans)
	_, got := h.due(t, statetest.T0)
	assert.Empty(t, got)
	say(1)
	wakes, got := h.due(t, statetest.T0.Add(time.Second))
	assert.Equal(t, "life/reflect/1", got)
	assert.Equal(t, schedule.WakeReason{Since: statetest.T0, IdleFor: time.Second, Messages: 10}, wakes[0].Reason)
	say(25)
	_, got = h.due(t, statetest.T0)
	assert.Empty(t, got, "one at a time")
	h.done(t, statetest.T0, "life/reflect/1", errAway)
	_, got = h.due(t, statetest.T0.Add(59*time.Second))
	assert.Empty(t, got)
	wakes, got = h.due(t, statetest.T0.Add(time.Minute))
	assert.Equal(t, "life/reflect/1/2", got, "a retry has another job id")
	assert.Equal(t, 1, wakes[0].Reason.Failures)
	h.done(t, statetest.T0, got, nil)
	wakes, got = h.due(t, statetest.T0)
	assert.Equal(t, "life/reflect/2", got)
	assert.Equal(t, 25, wakes[0].Reason.Messages)
	h.done(t, statetest.T0, got, nil)
	_, got = h.due(t, statetest.T0)
	assert.Empty(t, got)
}

// A wake that crashes the program is yielded again under the same ID after a while, three times at most. A planning
// turn is not.
func TestPlanner_WakeCrashesProgram(t *testing.T) {
	r := statetest.New(nil)
	o := schedule.PlannerOptions{ReflectEvery: 1}
	h := newPlanner(t, r, statetest.T0, o)
	_, got := h.due(t, statetest.T0)
	require.Equal(t, "life/idle/1", got)
	h = newPlanner(t, r, statetest.T0, o)
	_, got = h.due(t, statetest.T0)
	assert.Empty(t, got, "with a delay")
	assert.ErrorIs(t, h.Done(t.Context(), statetest.T0, "life/idle/1", nil), schedule.ErrNotFound, "of the previous run")
	next, _ := h.Next(statetest.T0)
	_, got = h.due(t, next)
	assert.Equal(t, "life/idle/2/2", got)
	h.done(t, next, got, nil)

	o.BackgroundPerHour = -1
	now := next.Add(2 * time.Hour)
	require.NoError(t, h.Observe(t.Context(), now, inGroup, 1))
	for i := range 3 {
		h = newPlanner(t, r, now, o)
		if i > 0 {
			wait := time.Duration(i) * time.Minute
			_, got = h.due(t, now.Add(wait-1))
			assert.NotContains(t, got, "reflect", "with a delay")
			now = now.Add(wait)
		}
		wakes, _ := h.due(t, now)
		require.NotEmpty(t, wakes)
		last := wakes[len(wakes)-1]
		assert.Equal(t, "life/reflect/3", last.ID)
		assert.Equal(t, i > 0, last.Reason.Late)
		assert.Zero(t, last.Reason.Failures)
	}
	h = newPlanner(t, r, now, o)
	_, got = h.due(t, now.Add(24*time.Hour))
	assert.NotContains(t, got, "reflect", "the third crash ends it")
}

func TestPlanner_ForgetChat(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, schedule.PlannerOptions{})
	require.NoError(t, h.Observe(t.Context(), statetest.T0, inGroup, 1))
	require.NoError(t, h.Observe(t.Context(), statetest.T0, byOwner, 1))
	_, got := h.due(t, statetest.T0.Add(3*time.Minute))
	require.Equal(t, "life/archive/1 life/archive/2", got)
	require.NoError(t, h.Observe(t.Context(), statetest.T0.Add(3*time.Minute), inGroup, 1))
	require.NoError(t, h.EraseChat(t.Context(), statetest.T0, inGroup.Chat))
	for key, row := range r.Rows {
		assert.NotContains(t, key+string(row), inGroup.Chat.ID)
	}
	wakes, _ := h.due(t, statetest.T0.Add(time.Hour))
	assert.Empty(t, wakes)
	for _, id := range []string{"life/archive/1", "life/archive/2"} {
		h.done(t, statetest.T0, id, nil)
	}
	_, got = h.due(t, statetest.T0.Add(time.Hour))
	assert.Equal(t, "life/review/3", got, "of the owner")
}
