package schedule_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrant_ValidForTextAndTime(t *testing.T) {
	ctx, kept := t.Context(), statetest.New(nil)
	shell := []string{"shell_exec"}
	m := schedule.Origin{Mode: persona.Agent, Restricted: true}
	timers, tasks := schedule.NewTimers(kept, schedule.TimerOptions{Location: time.UTC}), schedule.NewTasks(kept, schedule.TaskOptions{Location: time.UTC})
	timer, err := timers.Set(ctx, statetest.T0, m, " 1h", "清理", shell...)
	require.NoError(t, err)
	task, err := tasks.Add(ctx, statetest.T0, schedule.Task{Title: "清理", Origin: m, Allowed: schedule.Grant{Tools: shell, Digest: "made up"}, OutdatedAt: statetest.T0.Add(time.Hour)})
	require.NoError(t, err)

	timers, tasks = schedule.NewTimers(kept, schedule.TimerOptions{}), schedule.NewTasks(kept, schedule.TaskOptions{})
	_, err = timers.Restore(ctx)
	require.NoError(t, err)
	_, err = tasks.Restore(ctx)
	require.NoError(t, err)
	of := func(timer schedule.Timer) []string {
		return (&schedule.Wake{Kind: schedule.WakeTimer, Timer: schedule.Firing{Timer: timer}}).AllowedTools()
	}
	require.Len(t, timers.List(m), 1)
	require.Equal(t, timer.Allowed, timers.List(m)[0].Allowed)
	require.Equal(t, shell, of(timers.List(m)[0]))
	for _, change := range []func(*schedule.Timer){
		func(t *schedule.Timer) { t.Payload = "清空" }, func(t *schedule.Timer) { t.Spec = "2h" }, func(t *schedule.Timer) { t.Allowed.Digest = "" },
	} {
		other := timer
		change(&other)
		assert.Empty(t, of(other))
	}
	ofTask := func(task schedule.Task, kind schedule.WakeKind) []string {
		return (&schedule.Wake{Kind: kind, Task: task}).AllowedTools()
	}
	require.Len(t, tasks.List(m), 1)
	require.Equal(t, task.Allowed, tasks.List(m)[0].Allowed)
	require.Equal(t, shell, ofTask(tasks.List(m)[0], schedule.WakeTask))
	assert.Empty(t, ofTask(task, schedule.WakeOutdated), "outdated task")
	for _, change := range []func(*schedule.Task){
		func(t *schedule.Task) { t.Title = "清空" }, func(t *schedule.Task) { t.Motivation = "乱" }, func(t *schedule.Task) { t.Plan = "删" },
		func(t *schedule.Task) { t.ExpectedOutcome = "空" }, func(t *schedule.Task) { t.ScheduledAt = t.ScheduledAt.Add(time.Hour) },
	} {
		other := task
		change(&other)
		assert.Empty(t, ofTask(other, schedule.WakeTask))
	}

	late := statetest.T0.Add(2 * time.Hour)
	outdated, ok, err := tasks.Due(ctx, late)
	require.NoError(t, err)
	require.True(t, ok)
	again, err := tasks.Reschedule(ctx, late, outdated.ID, late.Add(time.Hour), time.Time{})
	require.NoError(t, err)
	assert.Equal(t, task.Title, again.Title)
	assert.Empty(t, again.Allowed, "rescheduled task")
}
