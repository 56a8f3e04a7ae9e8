package schedule_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTasks(t *testing.T, r *statetest.Store, o schedule.TaskOptions) *schedule.Tasks {
	t.Helper()
	o.Location = time.UTC
	s := schedule.NewTasks(r, o)
	broken, err := s.Restore(t.Context())
	require.NoError(t, err)
	require.Empty(t, broken)
	return s
}

// plan adds a task that is due after in and outdated after another lasts; 0 means never.
func plan(t *testing.T, s *schedule.Tasks, now time.Time, m schedule.Origin, title string, in, lasts time.Duration) schedule.Task {
	t.Helper()
	task := schedule.Task{Title: title, Origin: m, ScheduledAt: now.Add(in)}
	if lasts > 0 {
		task.OutdatedAt = task.ScheduledAt.Add(lasts)
	}
	made, err := s.Add(t.Context(), now, task)
	require.NoError(t, err)
	return made
}

// see returns the task that is due, as "title status", or "".
func see(t *testing.T, s *schedule.Tasks, now time.Time) (schedule.Task, string) {
	t.Helper()
	task, ok, err := s.Due(t.Context(), now)
	require.NoError(t, err)
	if !ok {
		require.Zero(t, task)
		return task, ""
	}
	return task, task.Title + " " + task.Status.String()
}

func TestTaskStatus_Transitions(t *testing.T) {
	all := []schedule.TaskStatus{schedule.TaskScheduled, schedule.TaskPending, schedule.TaskRunning, schedule.TaskOutdated, schedule.TaskAccomplished, schedule.TaskCanceled}
	want := map[string]string{
		"scheduled": "pending outdated canceled", "pending": "running outdated canceled", "running": "outdated accomplished", "outdated": "canceled", "accomplished": "", "canceled": "",
	}
	for _, from := range all {
		var to []string
		for _, s := range all {
			if from.CanBecome(s) {
				to = append(to, s.String())
			}
		}
		assert.Equal(t, want[from.String()], strings.Join(to, " "), "from %s", from)
		text, err := from.MarshalText()
		require.NoError(t, err)
		var back schedule.TaskStatus
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, from, back)
	}
	var s schedule.TaskStatus
	assert.Error(t, s.UnmarshalText([]byte("done")))
	assert.False(t, schedule.TaskStatus(9).CanBecome(schedule.TaskPending))
	assert.Equal(t, "status 9", schedule.TaskStatus(9).String())
}

func TestTasks_RunOneTask(t *testing.T) {
	r := statetest.New(nil)
	s := newTasks(t, r, schedule.TaskOptions{})
	ctx := t.Context()
	made, err := s.Add(ctx, statetest.T0, schedule.Task{
		ID: "mine", Title: "提醒喝水", Motivation: "主人总忘", Plan: "说一句", ExpectedOutcome: "主人喝水", Priority: 2, Origin: inGroup,
		ScheduledAt: statetest.T0.Add(5 * time.Minute), OutdatedAt: statetest.T0.Add(time.Hour), Status: schedule.TaskAccomplished, StartedAt: statetest.T0, FinishedAt: statetest.T0, RescheduleCount: 9, TimesReported: 9,
	})
	require.NoError(t, err)
	assert.Equal(t, schedule.Task{
		ID: "s1", Title: "提醒喝水", Motivation: "主人总忘", Plan: "说一句", ExpectedOutcome: "主人喝水", Priority: 2, Origin: inGroup,
		ScheduledAt: statetest.T0.Add(5 * time.Minute), OutdatedAt: statetest.T0.Add(time.Hour), CreatedAt: statetest.T0,
	}, made, "what the schedule keeps, nobody else sets")
	next, ok := s.Next()
	assert.True(t, ok)
	assert.Equal(t, made.ScheduledAt, next)
	_, got := see(t, s, next.Add(-1))
	assert.Empty(t, got)
	assert.Equal(t, 1, r.Applies)

	task, got := see(t, s, next)
	assert.Equal(t, "提醒喝水 running", got)
	assert.Equal(t, 2, r.Applies, "one write")
	assert.Contains(t, string(r.Rows["task/s1"]), `"running"`)
	assert.Equal(t, next, task.StartedAt)
	_, ok = s.Next()
	assert.False(t, ok, "one at a time")
	_, got = see(t, s, next.Add(time.Hour))
	assert.Empty(t, got)
	refused(t, s.Cancel(ctx, statetest.T0, inGroup, "s1"), schedule.TaskRunning, schedule.TaskCanceled, false)

	require.NoError(t, s.Done(ctx, next.Add(time.Minute), "s1", errors.New("model is away")))
	done, ok := s.Lookup("s1")
	require.True(t, ok)
	assert.Equal(t, schedule.TaskAccomplished, done.Status)
	assert.Equal(t, schedule.TaskResult{Type: schedule.ResultExecuted, Error: "model is away"}, done.Result)
	assert.Equal(t, next.Add(time.Minute), done.FinishedAt)
	refused(t, s.Done(ctx, statetest.T0, "s1", nil), schedule.TaskAccomplished, schedule.TaskAccomplished, true)
	refused(t, s.Cancel(ctx, statetest.T0, inGroup, "s1"), schedule.TaskAccomplished, schedule.TaskCanceled, true)
	require.NoError(t, s.Reflect(ctx, "s1", "下次早点说"))
	_, ok = s.Next()
	assert.False(t, ok)
	again := newTasks(t, r, schedule.TaskOptions{})
	done.Reflection = "下次早点说"
	assert.Equal(t, []schedule.Task{done}, again.History())
	assert.Empty(t, again.List(byOwner))
}

func refused(t *testing.T, err error, from, to schedule.TaskStatus, over bool) {
	t.Helper()
	var e *schedule.TransitionError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []any{from, to, over}, []any{e.From, e.To, e.Ended})
	assert.Contains(t, err.Error(), from.String())
}

func TestTasks_OrderOfDue(t *testing.T) {
	s := newTasks(t, statetest.New(nil), schedule.TaskOptions{})
	add := func(title string, at, outdated, priority int) {
		task := schedule.Task{Title: title, ScheduledAt: statetest.T0.Add(time.Duration(at) * time.Minute), Priority: priority}
		if outdated > 0 {
			task.OutdatedAt = statetest.T0.Add(time.Duration(outdated) * time.Minute)
		}
		_, err := s.Add(t.Context(), statetest.T0, task)
		require.NoError(t, err)
	}
	add("later", 90, 0, 9)
	add("young", 20, 0, 0)
	add("old", 10, 0, 0)
	add("urgent", 30, 0, 5)
	add("low", 5, 0, -1)
	add("twin", 10, 0, 0)
	add("missed", 2, 50, 0)
	add("missed before", 8, 40, 9)
	add("just missed", 1, 60, 0)
	now := statetest.T0.Add(time.Hour)
	var order []string
	for range 12 {
		task, got := see(t, s, now)
		if got == "" {
			break
		}
		order = append(order, got)
		_, other := see(t, s, now)
		require.Empty(t, other)
		require.NoError(t, s.Done(t.Context(), now, task.ID, nil))
	}
	assert.Equal(t, []string{
		"missed before outdated", "missed outdated", "just missed outdated", "urgent running", "old running", "twin running", "young running", "low running",
	}, order)
	next, ok := s.Next()
	assert.True(t, ok)
	assert.Equal(t, statetest.T0.Add(90*time.Minute), next)
}

func TestTasks_SetBusy(t *testing.T) {
	s := newTasks(t, statetest.New(nil), schedule.TaskOptions{})
	plan(t, s, statetest.T0, byself, "喝水", 0, time.Hour)
	s.SetBusy(true)
	status := func(want schedule.TaskStatus, now time.Time) {
		next, ok := s.Next()
		assert.True(t, ok)
		assert.Equal(t, now, next)
		_, got := see(t, s, now)
		assert.Empty(t, got)
		assert.Equal(t, want, s.List(byself)[0].Status, "statuses change during a conversation")
	}
	status(schedule.TaskPending, statetest.T0)
	status(schedule.TaskOutdated, statetest.T0.Add(time.Hour))
	_, ok := s.Next()
	assert.False(t, ok)
	s.SetBusy(false)
	next, ok := s.Next()
	assert.True(t, ok)
	assert.Equal(t, statetest.T0, next)
	_, got := see(t, s, statetest.T0.Add(time.Hour))
	assert.Equal(t, "喝水 outdated", got)
}

func TestTasks_InterruptedByCrash(t *testing.T) {
	r := statetest.New(nil)
	s := newTasks(t, r, schedule.TaskOptions{})
	plan(t, s, statetest.T0, inGroup, "写周报", 0, time.Hour)
	plan(t, s, statetest.T0, inGroup, "喝水", 0, 0)
	see(t, s, statetest.T0)

	s = schedule.NewTasks(r, schedule.TaskOptions{Location: time.UTC})
	r.After = func(int) (bool, error) { return false, statetest.ErrCrash }
	_, err := s.Restore(t.Context())
	require.ErrorIs(t, err, statetest.ErrCrash)
	assert.Empty(t, s.List(byOwner), "a failed change is not visible")
	r.After = nil
	s = newTasks(t, r, schedule.TaskOptions{})
	assert.Contains(t, string(r.Rows["task/s1"]), `"interrupted"`, "the status is on disk before the task runs")
	task, got := see(t, s, statetest.T0.Add(time.Second))
	assert.Equal(t, "写周报 outdated", got, "reported, not run again")
	assert.Equal(t, schedule.TaskResult{Type: schedule.ResultOutdated, Error: schedule.ErrorInterrupted}, task.Result)
	require.NoError(t, s.Done(t.Context(), statetest.T0.Add(time.Second), "s1", errors.New("no matter")))
	done, _ := s.Lookup("s1")
	assert.Equal(t, schedule.TaskOutdated, done.Status)
	assert.Equal(t, schedule.TaskResult{Type: schedule.ResultOutdated, Error: schedule.ErrorInterrupted}, done.Result)
	assert.True(t, done.Ended())
	_, got = see(t, s, statetest.T0.Add(time.Second))
	assert.Equal(t, "喝水 running", got)
}

// An outdated task that crashes the program is reported three times and then ends.
func TestTasks_OutdatedTaskCrashesProgram(t *testing.T) {
	r := statetest.New(nil)
	plan(t, newTasks(t, r, schedule.TaskOptions{}), statetest.T0, inGroup, "写周报", 0, time.Hour)
	now := statetest.T0.Add(time.Hour)
	for range 3 {
		s := newTasks(t, r, schedule.TaskOptions{})
		_, got := see(t, s, now)
		assert.Equal(t, "写周报 outdated", got)
		refused(t, s.Cancel(t.Context(), now, inGroup, "s1"), schedule.TaskOutdated, schedule.TaskCanceled, len(s.History()) > 0)
	}
	s := newTasks(t, r, schedule.TaskOptions{})
	_, got := see(t, s, now)
	assert.Empty(t, got)
	assert.Len(t, s.History(), 1)
}

func TestTasks_Reschedule(t *testing.T) {
	r := statetest.New(nil)
	s := newTasks(t, r, schedule.TaskOptions{})
	ctx := t.Context()
	first, err := s.Add(ctx, statetest.T0, schedule.Task{Title: "散步", Plan: "去公园", Priority: 3, Origin: inGroup, ScheduledAt: statetest.T0, OutdatedAt: statetest.T0.Add(time.Hour)})
	require.NoError(t, err)
	_, err = s.Reschedule(ctx, statetest.T0, "s1", statetest.T0, time.Time{})
	refused(t, err, schedule.TaskScheduled, schedule.TaskScheduled, false)
	_, err = s.Reschedule(ctx, statetest.T0, "s9", statetest.T0, time.Time{})
	assert.ErrorIs(t, err, schedule.ErrNotFound)
	now, id := first.OutdatedAt, "s1"
	for round := range 4 {
		task, got := see(t, s, now)
		require.Equal(t, "散步 outdated", got)
		require.Equal(t, id, task.ID)
		_, err := s.Reschedule(ctx, now, id, now, now)
		if round == 3 {
			assert.ErrorIs(t, err, schedule.ErrTooMany, "the task ends")
			break
		}
		assert.ErrorIs(t, err, schedule.ErrPast)
		made, err := s.Reschedule(ctx, now, id, now.Add(time.Hour), now.Add(2*time.Hour))
		require.NoError(t, err)
		assert.Equal(t, schedule.Task{
			ID: fmt.Sprint("s", round+2), Title: "散步", Plan: "去公园", Priority: 3, Origin: inGroup, RescheduledFrom: id, RescheduleCount: round + 1,
			ScheduledAt: now.Add(time.Hour), OutdatedAt: now.Add(2 * time.Hour), CreatedAt: now,
		}, made, "with the rights that it had")
		s = newTasks(t, r, schedule.TaskOptions{}) // the program crashes before Done
		see(t, s, now)
		same, err := s.Reschedule(ctx, now, id, now.Add(5*time.Hour), time.Time{})
		require.NoError(t, err)
		assert.Equal(t, made, same, "once")
		require.NoError(t, s.Done(ctx, now, id, nil))
		now, id = made.OutdatedAt, made.ID
	}
}

func TestTasks_InvalidRow(t *testing.T) {
	r := statetest.New(nil)
	plan(t, newTasks(t, r, schedule.TaskOptions{}), statetest.T0, inGroup, "喝水", 0, 0)
	for k, v := range map[string]string{"task/s7": `{"title":"x","status":"done"}`, "task/s8": `{}`, "task/s9": `nonsense`} {
		r.Rows[k] = []byte(v)
	}
	before := maps.Clone(r.Rows)
	s := schedule.NewTasks(r, schedule.TaskOptions{Location: time.UTC})
	broken, err := s.Restore(t.Context())
	require.NoError(t, err)
	assert.Len(t, broken, 3)
	assert.Equal(t, before, r.Rows)
	_, got := see(t, s, statetest.T0)
	assert.Equal(t, "喝水 running", got)
}

// A task whose start could not be written was not given out. It runs after the next successful write, in all cases.
func TestTasks_FailedWrite(t *testing.T) {
	for _, written := range []bool{false, true} {
		r := statetest.New(nil)
		s := newTasks(t, r, schedule.TaskOptions{})
		plan(t, s, statetest.T0, inGroup, "喝水", 0, time.Hour)
		broken := true
		r.After = func(int) (bool, error) {
			if broken {
				return written, statetest.ErrCrash
			}
			return true, nil
		}
		task, ok, err := s.Due(t.Context(), statetest.T0)
		assert.ErrorIs(t, err, statetest.ErrCrash)
		assert.False(t, ok)
		assert.Zero(t, task)
		broken = false
		task, got := see(t, s, statetest.T0.Add(time.Second))
		assert.Equal(t, "喝水 running", got)
		broken = true
		assert.ErrorIs(t, s.Done(t.Context(), statetest.T0, task.ID, nil), statetest.ErrCrash)
		_, ok = s.Next()
		assert.False(t, ok, "the task still runs")
		broken = false
		require.NoError(t, s.Done(t.Context(), statetest.T0.Add(time.Minute), task.ID, nil))
		done, _ := s.Lookup(task.ID)
		assert.Equal(t, schedule.TaskAccomplished, done.Status)
		assert.Equal(t, schedule.TaskResult{Type: schedule.ResultExecuted}, done.Result)
	}
}

// The test is for the race detector, and for conditions that hold in any order.
func TestTasks_ConcurrentUse(t *testing.T) {
	s := newTasks(t, statetest.New(nil), schedule.TaskOptions{MaxPerPrincipal: 100})
	var group sync.WaitGroup
	var out atomic.Int32
	for range 8 {
		group.Go(func() {
			for range 5 {
				_, err := s.Add(t.Context(), statetest.T0, schedule.Task{Title: "喝水"})
				assert.NoError(t, err)
				s.Next()
				task, ok, err := s.Due(t.Context(), statetest.T0)
				assert.NoError(t, err)
				if ok {
					assert.EqualValues(t, 1, out.Add(1), "one at a time")
					s.Lookup(task.ID)
					out.Add(-1)
					assert.NoError(t, s.Done(t.Context(), statetest.T0, task.ID, nil))
				}
			}
		})
	}
	group.Wait()
	assert.Len(t, append(s.History(), s.List(byOwner)...), 40)
}
