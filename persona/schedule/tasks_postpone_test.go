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

// A postponed task keeps its id, runs at the new time only, also after a restart, and without the tools that were allowed at
// the old time. What has begun, was missed or has ended cannot be postponed.
func TestTasks_Postpone(t *testing.T) {
	store, now := statetest.New(nil), time.Date(2026, 4, 10, 7, 0, 0, 0, time.UTC)
	owner, ctx := schedule.Origin{Mode: persona.Agent}, t.Context()
	s := newTasks(t, store, schedule.TaskOptions{})
	made, err := s.Add(ctx, now, schedule.Task{Title: "关灯", Origin: owner, ScheduledAt: now.Add(time.Hour), OutdatedAt: now.Add(2 * time.Hour), Allowed: schedule.Grant{Tools: []string{"shell"}}})
	require.NoError(t, err)
	moved, err := s.Postpone(ctx, now, owner, made.ID, now.Add(5*time.Hour))
	require.NoError(t, err)
	assert.Equal(t, made.ID, moved.ID)
	assert.Equal(t, now.Add(6*time.Hour), moved.OutdatedAt)
	assert.Empty(t, moved.Allowed)

	s = newTasks(t, store, schedule.TaskOptions{})
	_, due := see(t, s, now.Add(3*time.Hour))
	assert.Empty(t, due)
	_, due = see(t, s, now.Add(5*time.Hour))
	assert.Equal(t, "关灯 running", due)
	var begun *schedule.TransitionError
	_, err = s.Postpone(ctx, now.Add(5*time.Hour), owner, made.ID, now.Add(9*time.Hour))
	assert.ErrorAs(t, err, &begun)
	require.NoError(t, s.Done(ctx, now.Add(5*time.Hour), made.ID, nil))
	_, err = s.Postpone(ctx, now.Add(5*time.Hour), owner, made.ID, now.Add(9*time.Hour))
	assert.ErrorAs(t, err, &begun)

	late := plan(t, s, now, owner, "喝水", time.Hour, time.Hour)
	_, due = see(t, s, now.Add(8*time.Hour))
	require.Equal(t, "喝水 outdated", due)
	_, err = s.Postpone(ctx, now.Add(8*time.Hour), owner, late.ID, now.Add(9*time.Hour))
	assert.ErrorAs(t, err, &begun)
	require.NoError(t, s.Done(ctx, now.Add(8*time.Hour), late.ID, nil))

	next := plan(t, s, now, owner, "早安", 10*time.Hour, 0)
	_, err = s.Postpone(ctx, now, schedule.Origin{}, next.ID, now.Add(11*time.Hour))
	assert.ErrorIs(t, err, schedule.ErrNotFound, "nobody else may")
	_, err = s.Postpone(ctx, now, owner, "s99", now.Add(11*time.Hour))
	assert.ErrorIs(t, err, schedule.ErrNotFound)
	_, err = s.Postpone(ctx, now, owner, next.ID, now)
	assert.ErrorIs(t, err, schedule.ErrPast)
	assert.Len(t, s.List(owner), 1, "it is as it was")
}
