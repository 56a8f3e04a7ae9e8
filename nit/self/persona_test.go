package self_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tasks and clocks connect the tools to persona/schedule, at t0.
type tasks struct{ *schedule.Tasks }

func (s tasks) Add(ctx context.Context, t schedule.Task, _ []string) (schedule.Task, error) {
	p, _ := nit.PrincipalFrom(ctx)
	t.Origin = makerOf(p)
	return s.Tasks.Add(ctx, t0, t)
}

func (s tasks) List(context.Context) ([]schedule.Task, error) { return nil, nil }

func (s tasks) Cancel(context.Context, string) error { return nil }

func (s tasks) Reschedule(context.Context, string, time.Time, time.Time) (schedule.Task, error) {
	return schedule.Task{}, nil
}

type clocks struct{ *schedule.Timers }

func (c clocks) Set(ctx context.Context, spec, payload string, _ []string) (schedule.Timer, error) {
	p, _ := nit.PrincipalFrom(ctx)
	return c.Timers.Set(ctx, t0, makerOf(p), spec, payload)
}

func (c clocks) List(context.Context) ([]schedule.Timer, error) { return nil, nil }

func (c clocks) Cancel(context.Context, string) error { return nil }

// Errors of persona/schedule reach the model as helpful texts. Its options set the limits.
func TestTools_ScheduleErrorsReachTheModel(t *testing.T) {
	s, c := schedule.NewTasks(&state{}, schedule.TaskOptions{}), schedule.NewTimers(&state{}, schedule.TimerOptions{Location: time.UTC, MaxPerSession: 30})
	_, err := s.Restore(t.Context())
	require.NoError(t, err)
	_, err = c.Restore(t.Context())
	require.NoError(t, err)
	h := &host{t: t}
	h.r.Limits.Calls = -1
	tools, err := self.Tools(self.Options{Schedule: tasks{Tasks: s}, Timers: clocks{Timers: c}, Location: time.UTC})
	require.NoError(t, err)
	require.NoError(t, h.r.Add(tools...))

	timer, task := object{"when": "5min", "content": "x"}, object{"delay_seconds": 60, "content": object{"title": "x"}}
	for i := range 30 {
		require.Equal(t, fmt.Sprintf(`{"id":"t%d","when":"5min","next":"2026-04-10 09:05:00"}`, i+1), h.do(group1, "set_timer", timer), "as many as the options say")
	}
	for i := range 20 {
		require.Equal(t, fmt.Sprintf(`{"id":"s%d"}`, i+1), h.do(life1, "add_schedule", task))
	}
	assert.Equal(t, "error: the tool failed: 定时器太多了，先取消一些", h.do(life1, "set_timer", timer), "of one chat, whatever the mode")
	assert.Equal(t, "error: the tool failed: 计划的事太多了，先做完或删掉一些", h.do(group1, "add_schedule", task))
	assert.Contains(t, h.do(group2, "set_timer", timer), `"id":"t31"`, "another chat has room")
	assert.Contains(t, h.do(agent, "add_schedule", task), `"id":"s21"`, "what people use up is not the owner's")
	for _, when := range []string{"bad", "cron:61 * * * *", "once:2026-04-10 08:59"} {
		assert.Equal(t, "error: the tool failed: when 写 30s、5min、2h、1d，或 once:2026-04-10 09:00（还没到的时刻），或 cron:0 8 * * *", h.do(agent, "set_timer", object{"when": when, "content": "x"}), when)
	}
}
