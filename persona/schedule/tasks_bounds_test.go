package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTasks_Limits(t *testing.T) {
	s := newTasks(t, statetest.New(nil), schedule.TaskOptions{MaxPerPrincipal: 2, MaxTotal: 5, MaxText: 6})
	ctx := t.Context()
	try := func(m schedule.Origin) error {
		_, err := s.Add(ctx, statetest.T0, schedule.Task{Title: "喝水", Origin: m})
		return err
	}
	from := func(person, group string) schedule.Origin {
		m := inGroup
		m.Person.ID, m.Chat.ID = person, group
		return m
	}
	require.NoError(t, try(from("1", "1")))
	require.NoError(t, try(from("1", "2")))
	assert.ErrorIs(t, try(from("1", "3")), schedule.ErrTooMany, "the limit of a person counts in all chats")
	require.NoError(t, try(from("2", "1")))
	nobody := schedule.Origin{Chat: statetest.GroupChat}
	require.NoError(t, try(nobody))
	require.NoError(t, try(nobody))
	assert.ErrorIs(t, try(nobody), schedule.ErrTooMany)
	assert.ErrorIs(t, try(from("3", "1")), schedule.ErrTooMany, "the limit of all persona turns")
	require.NoError(t, try(byOwner), "the agent has its own limit")
	require.NoError(t, s.Cancel(ctx, statetest.T0, byOwner, "s1"))
	require.NoError(t, try(from("3", "1")), "ended tasks do not count")

	for _, c := range []struct {
		task schedule.Task
		want error
	}{
		{schedule.Task{Title: "四字", Motivation: "四字", Plan: "四字"}, nil},
		{schedule.Task{Title: "四字", Motivation: "四字", Plan: "四字", ExpectedOutcome: "长"}, schedule.ErrTooLong},
		{schedule.Task{Title: "a", Plan: "\xff"}, schedule.ErrNotUTF8},
		{schedule.Task{Title: "a", OutdatedAt: statetest.T0}, schedule.ErrPast},
		{schedule.Task{Title: "a", ScheduledAt: statetest.T0.Add(time.Hour), OutdatedAt: statetest.T0.Add(time.Hour)}, schedule.ErrPast},
	} {
		c.task.Origin = byOwner
		_, err := s.Add(ctx, statetest.T0, c.task)
		assert.ErrorIs(t, err, c.want)
	}
	_, err := s.Add(ctx, statetest.T0, schedule.Task{Title: " \n"})
	assert.Error(t, err)
	_, err = s.Add(ctx, statetest.T0, schedule.Task{Title: "a", Origin: schedule.Origin{Mode: persona.Agent, Chat: statetest.GroupChat}})
	assert.Error(t, err)
}

func TestTasks_VisibilityByOrigin(t *testing.T) {
	r := statetest.New(nil)
	s := newTasks(t, r, schedule.TaskOptions{})
	g, o := plan(t, s, statetest.T0, inGroup, "a", time.Hour, 0), plan(t, s, statetest.T0, byOwner, "b", time.Minute, 0)
	assert.Equal(t, []schedule.Task{g}, s.List(inGroup))
	assert.Equal(t, []schedule.Task{o, g}, s.List(byOwner))
	assert.Empty(t, s.List(byself))
	assert.ErrorIs(t, s.Cancel(t.Context(), statetest.T0, inGroup, o.ID), schedule.ErrNotFound)
	assert.ErrorIs(t, s.Cancel(t.Context(), statetest.T0, byself, g.ID), schedule.ErrNotFound)
	require.NoError(t, s.Cancel(t.Context(), statetest.T0.Add(time.Second), inGroup, g.ID))
	got, _ := s.Lookup(g.ID)
	assert.Equal(t, schedule.TaskResult{Type: schedule.ResultCanceled}, got.Result)
	assert.Equal(t, statetest.T0.Add(time.Second), got.FinishedAt)
	_, ok := s.Lookup("s9")
	assert.False(t, ok)

	see(t, s, statetest.T0.Add(time.Minute)) // the owner's task is running
	require.NoError(t, s.EraseChat(t.Context(), statetest.GroupChat))
	require.NoError(t, s.ErasePerson(t.Context(), byOwner.Person))
	require.NoError(t, s.Done(t.Context(), statetest.T0, o.ID, nil), "Done accepts a task that was forgotten while it ran")
	assert.ErrorIs(t, s.Done(t.Context(), statetest.T0, o.ID, nil), schedule.ErrNotFound)
	assert.Len(t, r.Rows, 1)
	assert.Equal(t, "s3", plan(t, newTasks(t, r, schedule.TaskOptions{}), statetest.T0, inGroup, "c", 0, 0).ID)
}

// The default of CondenseAt is 8000 characters.
func TestTasks_DefaultCondenseAt(t *testing.T) {
	s := newTasks(t, statetest.New(nil), schedule.TaskOptions{})
	finish := func(title, reflection string) {
		made := plan(t, s, statetest.T0, byself, title, 0, 0)
		see(t, s, statetest.T0)
		require.NoError(t, s.Done(t.Context(), statetest.T0, made.ID, nil))
		require.NoError(t, s.Reflect(t.Context(), made.ID, reflection))
	}
	for range 4 {
		finish("二字", strings.Repeat("想", 1998))
	}
	assert.Empty(t, s.ToCondense(), "8000 characters are within the limit")
	finish("一", "")
	assert.NotEmpty(t, s.ToCondense())
}

func TestTasks_HistoryLimits(t *testing.T) {
	r := statetest.New(nil)
	s := newTasks(t, r, schedule.TaskOptions{MaxHistory: 8, CondenseAt: 100})
	finish := func(now time.Time, title string) {
		made := plan(t, s, now, byself, title, 0, 0)
		see(t, s, now)
		require.NoError(t, s.Done(t.Context(), now, made.ID, nil))
		require.NoError(t, s.Reflect(t.Context(), made.ID, strings.Repeat("想", 18)))
	}
	for i := range 5 {
		finish(statetest.T0.Add(time.Duration(i)*time.Minute), "二字")
		assert.Nil(t, s.ToCondense(), "100 characters are within the limit")
	}
	finish(statetest.T0.Add(5*time.Minute), "二字")
	old := s.ToCondense()
	require.Len(t, old, 4, "half of the characters remain")
	assert.Equal(t, "s1", old[0].ID)
	assert.Equal(t, old, newTasks(t, r, schedule.TaskOptions{MaxHistory: 8, CondenseAt: 100}).ToCondense(), "until MarkCondensed")
	open := plan(t, s, statetest.T0, byself, "open", time.Hour, 0)
	require.NoError(t, s.MarkCondensed(t.Context(), "s1", "s2", "s3", "s4", open.ID))
	assert.Nil(t, s.ToCondense())
	assert.Len(t, s.History(), 2)
	assert.Len(t, s.List(byOwner), 1, "open tasks are not in the history")
	require.NoError(t, s.Cancel(t.Context(), statetest.T0, byself, open.ID))
	for i := range 20 {
		finish(statetest.T0.Add(time.Hour+time.Duration(i)*time.Minute), "二字")
	}
	require.Len(t, s.History(), 8)
	assert.Equal(t, "s27", s.History()[7].ID)
	assert.Len(t, r.Rows, 9)

	assert.ErrorIs(t, s.Reflect(t.Context(), "s1", "x"), schedule.ErrNotFound)
	assert.ErrorIs(t, s.Reflect(t.Context(), "s27", strings.Repeat("想", 2001)), schedule.ErrTooLong)
	refused(t, s.Reflect(t.Context(), plan(t, s, statetest.T0, byself, "x", 0, 0).ID, "x"), schedule.TaskScheduled, schedule.TaskScheduled, false)

	one := newTasks(t, statetest.New(nil), schedule.TaskOptions{CondenseAt: 10})
	one.SetBusy(false)
	made := plan(t, one, statetest.T0, byself, strings.Repeat("长", 30), 0, 0)
	see(t, one, statetest.T0)
	require.NoError(t, one.Done(t.Context(), statetest.T0, made.ID, errors.New(strings.Repeat("x", 1000))))
	assert.Empty(t, one.ToCondense(), "one task remains")
	assert.Len(t, one.History()[0].Result.Error, 500)
}
