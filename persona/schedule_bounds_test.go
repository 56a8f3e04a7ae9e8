package persona_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTasksAreBounded(t *testing.T) {
	s := newSchedule(t, newRows(nil), persona.ScheduleOptions{PerPrincipal: 2, All: 5, Text: 6})
	ctx := t.Context()
	try := func(m persona.Maker) error {
		_, err := s.Add(ctx, t0, persona.Task{Title: "喝水", Maker: m})
		return err
	}
	from := func(person, group string) persona.Maker {
		m := inGroup
		m.Person.ID, m.Chat.ID = person, group
		return m
	}
	require.NoError(t, try(from("1", "1")))
	require.NoError(t, try(from("1", "2")))
	assert.ErrorIs(t, try(from("1", "3")), persona.ErrTooMany, "a person is bounded, wherever they ask")
	require.NoError(t, try(from("2", "1")))
	nobody := persona.Maker{Chat: groupChat}
	require.NoError(t, try(nobody))
	require.NoError(t, try(nobody))
	assert.ErrorIs(t, try(nobody), persona.ErrTooMany)
	assert.ErrorIs(t, try(from("3", "1")), persona.ErrTooMany, "all personas together")
	require.NoError(t, try(byOwner), "what people use up is not the owner's")
	require.NoError(t, s.Cancel(ctx, t0, byOwner, "s1"))
	require.NoError(t, try(from("3", "1")), "what is over does not count")

	for _, c := range []struct {
		task persona.Task
		want error
	}{
		{persona.Task{Title: "四字", Motivation: "四字", Plan: "四字"}, nil},
		{persona.Task{Title: "四字", Motivation: "四字", Plan: "四字", ExpectedOutcome: "长"}, persona.ErrTooLong},
		{persona.Task{Title: "a", Plan: "\xff"}, persona.ErrText},
		{persona.Task{Title: "a", OutdatedAt: t0}, persona.ErrPast},
		{persona.Task{Title: "a", ScheduledAt: t0.Add(time.Hour), OutdatedAt: t0.Add(time.Hour)}, persona.ErrPast},
	} {
		c.task.Maker = byOwner
		_, err := s.Add(ctx, t0, c.task)
		assert.ErrorIs(t, err, c.want)
	}
	_, err := s.Add(ctx, t0, persona.Task{Title: " \n"})
	assert.Error(t, err)
	_, err = s.Add(ctx, t0, persona.Task{Title: "a", Maker: persona.Maker{Mode: persona.Agent, Chat: groupChat}})
	assert.Error(t, err)
}

func TestTasksAreSeenFromWhereTheyWereMade(t *testing.T) {
	r := newRows(nil)
	s := newSchedule(t, r, persona.ScheduleOptions{})
	g, o := plan(t, s, t0, inGroup, "a", time.Hour, 0), plan(t, s, t0, byOwner, "b", time.Minute, 0)
	assert.Equal(t, []persona.Task{g}, s.List(inGroup))
	assert.Equal(t, []persona.Task{o, g}, s.List(byOwner))
	assert.Empty(t, s.List(byself))
	assert.ErrorIs(t, s.Cancel(t.Context(), t0, inGroup, o.ID), persona.ErrUnknown)
	assert.ErrorIs(t, s.Cancel(t.Context(), t0, byself, g.ID), persona.ErrUnknown)
	require.NoError(t, s.Cancel(t.Context(), t0.Add(time.Second), inGroup, g.ID))
	got, _ := s.Lookup(g.ID)
	assert.Equal(t, persona.TaskResult{Type: persona.CanceledResult}, got.Result)
	assert.Equal(t, t0.Add(time.Second), got.FinishedAt)
	_, ok := s.Lookup("s9")
	assert.False(t, ok)

	see(t, s, t0.Add(time.Minute)) // the owner's task is out
	require.NoError(t, s.ForgetChat(t.Context(), groupChat))
	require.NoError(t, s.ForgetPerson(t.Context(), byOwner.Person))
	require.NoError(t, s.Done(t.Context(), t0, o.ID, nil), "what was forgotten meanwhile is done all the same")
	assert.ErrorIs(t, s.Done(t.Context(), t0, o.ID, nil), persona.ErrUnknown)
	assert.Len(t, r.kept, 1)
	assert.Equal(t, "s3", plan(t, newSchedule(t, r, persona.ScheduleOptions{}), t0, inGroup, "c", 0, 0).ID)
}

// TestSchedule_CondensesOver8000Characters where the options do not say otherwise.
func TestSchedule_CondensesOver8000Characters(t *testing.T) {
	s := newSchedule(t, newRows(nil), persona.ScheduleOptions{})
	finish := func(title, reflection string) {
		made := plan(t, s, t0, byself, title, 0, 0)
		see(t, s, t0)
		require.NoError(t, s.Done(t.Context(), t0, made.ID, nil))
		require.NoError(t, s.Reflect(t.Context(), made.ID, reflection))
	}
	for range 4 {
		finish("二字", strings.Repeat("想", 1998))
	}
	assert.Empty(t, s.Condense(), "8000 are not over 8000")
	finish("一", "")
	assert.NotEmpty(t, s.Condense())
}

func TestTheHistoryIsBoundedAndCondensed(t *testing.T) {
	r := newRows(nil)
	s := newSchedule(t, r, persona.ScheduleOptions{History: 8, Condense: 100})
	finish := func(now time.Time, title string) {
		made := plan(t, s, now, byself, title, 0, 0)
		see(t, s, now)
		require.NoError(t, s.Done(t.Context(), now, made.ID, nil))
		require.NoError(t, s.Reflect(t.Context(), made.ID, strings.Repeat("想", 18)))
	}
	for i := range 5 {
		finish(t0.Add(time.Duration(i)*time.Minute), "二字")
		assert.Nil(t, s.Condense(), "100 characters are not over 100")
	}
	finish(t0.Add(5*time.Minute), "二字")
	old := s.Condense()
	require.Len(t, old, 4, "half of them stay")
	assert.Equal(t, "s1", old[0].ID)
	assert.Equal(t, old, newSchedule(t, r, persona.ScheduleOptions{History: 8, Condense: 100}).Condense(), "until it is said to be done")
	open := plan(t, s, t0, byself, "open", time.Hour, 0)
	require.NoError(t, s.Condensed(t.Context(), "s1", "s2", "s3", "s4", open.ID))
	assert.Nil(t, s.Condense())
	assert.Len(t, s.History(), 2)
	assert.Len(t, s.List(byOwner), 1, "what is open is no history")
	require.NoError(t, s.Cancel(t.Context(), t0, byself, open.ID))
	for i := range 20 {
		finish(t0.Add(time.Hour+time.Duration(i)*time.Minute), "二字")
	}
	require.Len(t, s.History(), 8)
	assert.Equal(t, "s27", s.History()[7].ID)
	assert.Len(t, r.kept, 9)

	assert.ErrorIs(t, s.Reflect(t.Context(), "s1", "x"), persona.ErrUnknown)
	assert.ErrorIs(t, s.Reflect(t.Context(), "s27", strings.Repeat("想", 2001)), persona.ErrTooLong)
	refused(t, s.Reflect(t.Context(), plan(t, s, t0, byself, "x", 0, 0).ID, "x"), persona.TaskScheduled, persona.TaskScheduled, false)

	one := newSchedule(t, newRows(nil), persona.ScheduleOptions{Condense: 10})
	one.Busy(false)
	made := plan(t, one, t0, byself, strings.Repeat("长", 30), 0, 0)
	see(t, one, t0)
	require.NoError(t, one.Done(t.Context(), t0, made.ID, errors.New(strings.Repeat("x", 1000))))
	assert.Empty(t, one.Condense(), "one task stays")
	assert.Len(t, one.History()[0].Result.Error, 500)
}
