package self_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cores are persona's schedule and timers behind the tools, at t0.
type cores struct {
	tasks  *persona.Schedule
	timers *persona.Timers
}

func (c cores) maker(p nit.Principal) persona.Maker {
	if p.Mode == nit.ModeAgent {
		return persona.Maker{Mode: persona.Agent}
	}
	m := persona.Maker{Person: persona.Account{Platform: p.Platform, ID: p.Person}}
	if group, ok := strings.CutPrefix(p.Session, "group_"); ok {
		m.Chat = persona.Chat{Platform: p.Platform, Kind: persona.Group, ID: group}
	}
	return m
}

func (c cores) Add(ctx context.Context, t self.Task) (string, error) {
	task, err := c.tasks.Add(ctx, t0, persona.Task{Title: t.Title, ScheduledAt: t0.Add(t.In), Maker: c.maker(t.For)})
	return task.ID, err
}

func (c cores) Tasks(context.Context) ([]self.Task, error) { return nil, nil }

func (c cores) Delete(context.Context, string) error { return nil }

func (c cores) Set(ctx context.Context, t self.Timer) (self.Timer, error) {
	made, err := c.timers.Set(ctx, t0, c.maker(t.For), t.Spec, t.Text)
	t.ID, t.Next = made.ID, made.Next
	return t, err
}

func (c cores) Timers(context.Context) ([]self.Timer, error) { return nil, nil }

func (c cores) Cancel(context.Context, string) error { return nil }

// TestPersonasErrorsReachTheModel: what persona's schedule and timers refuse is told in words that help. How many there may
// be is theirs to say.
func TestPersonasErrorsReachTheModel(t *testing.T) {
	c := cores{persona.NewSchedule(&state{}, persona.ScheduleOptions{}), persona.NewTimers(&state{}, persona.TimerOptions{Location: time.UTC, PerSession: 30})}
	_, err := c.tasks.Resume(t.Context())
	require.NoError(t, err)
	_, err = c.timers.Resume(t.Context())
	require.NoError(t, err)
	h := &host{t: t}
	h.r.Limits.Calls = -1
	tools, err := self.Tools(self.Options{Schedule: c, Timers: c, Location: time.UTC})
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
