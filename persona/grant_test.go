package persona_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrant_HoldsForItsWordsAtItsTime(t *testing.T) {
	ctx, kept := t.Context(), newRows(nil)
	shell := []string{"shell_exec"}
	m := persona.Maker{Mode: persona.Agent, Shed: true}
	timers, schedule := persona.NewTimers(kept, persona.TimerOptions{Location: time.UTC}), persona.NewSchedule(kept, persona.ScheduleOptions{Location: time.UTC})
	timer, err := timers.Set(ctx, t0, m, " 1h", "清理", shell...)
	require.NoError(t, err)
	task, err := schedule.Add(ctx, t0, persona.Task{Title: "清理", Maker: m, Allowed: persona.Grant{Tools: shell, Of: "made up"}, OutdatedAt: t0.Add(time.Hour)})
	require.NoError(t, err)

	timers, schedule = persona.NewTimers(kept, persona.TimerOptions{}), persona.NewSchedule(kept, persona.ScheduleOptions{})
	_, err = timers.Resume(ctx)
	require.NoError(t, err)
	_, err = schedule.Resume(ctx)
	require.NoError(t, err)
	of := func(timer persona.Timer) []string {
		return (&persona.Wake{Kind: persona.WakeTimer, Timer: persona.Fired{Timer: timer}}).Allowed()
	}
	require.Len(t, timers.List(m), 1)
	require.Equal(t, timer.Allowed, timers.List(m)[0].Allowed)
	require.Equal(t, shell, of(timers.List(m)[0]))
	for _, change := range []func(*persona.Timer){
		func(t *persona.Timer) { t.Payload = "清空" }, func(t *persona.Timer) { t.Spec = "2h" }, func(t *persona.Timer) { t.Allowed.Of = "" },
	} {
		other := timer
		change(&other)
		assert.Empty(t, of(other))
	}
	ofTask := func(task persona.Task, kind persona.WakeKind) []string {
		return (&persona.Wake{Kind: kind, Task: task}).Allowed()
	}
	require.Len(t, schedule.List(m), 1)
	require.Equal(t, task.Allowed, schedule.List(m)[0].Allowed)
	require.Equal(t, shell, ofTask(schedule.List(m)[0], persona.WakeTask))
	assert.Empty(t, ofTask(task, persona.WakeOutdated), "it came too late")
	for _, change := range []func(*persona.Task){
		func(t *persona.Task) { t.Title = "清空" }, func(t *persona.Task) { t.Motivation = "乱" }, func(t *persona.Task) { t.Plan = "删" },
		func(t *persona.Task) { t.ExpectedOutcome = "空" }, func(t *persona.Task) { t.ScheduledAt = t.ScheduledAt.Add(time.Hour) },
	} {
		other := task
		change(&other)
		assert.Empty(t, ofTask(other, persona.WakeTask))
	}

	late := t0.Add(2 * time.Hour)
	outdated, ok, err := schedule.Due(ctx, late)
	require.NoError(t, err)
	require.True(t, ok)
	again, err := schedule.Again(ctx, late, outdated.ID, late.Add(time.Hour), time.Time{})
	require.NoError(t, err)
	assert.Equal(t, task.Title, again.Title)
	assert.Empty(t, again.Allowed, "it was put off")
}
