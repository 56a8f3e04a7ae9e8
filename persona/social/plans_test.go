package social_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func addTask(title string, more map[string]any) modeltest.Step {
	args := map[string]any{"delay_seconds": 600, "outdated_seconds": 900, "content": map[string]any{"title": title}}
	for k, v := range more {
		args[k] = v
	}
	return modeltest.Call("add_schedule", args)
}

// An owner's task that was missed keeps its rights if the bot reschedules this very task. A new task of the same turn
// has fewer.
func TestTask_RescheduledKeepsRights(t *testing.T) {
	for name, c := range map[string]struct {
		read  bool // the planning turn reads a group
		again modeltest.Step
		want  []string // commands run
	}{
		"rescheduled":                      {again: modeltest.Call("reschedule", map[string]any{"id": "s1", "delay_seconds": 60}), want: []string{"shutdown"}},
		"planned anew":                     {again: modeltest.Call("add_schedule", map[string]any{"delay_seconds": 60, "content": map[string]any{"title": "关电脑"}})},
		"another id":                       {again: modeltest.Call("reschedule", map[string]any{"id": "s2", "delay_seconds": 60})},
		"rescheduled, of untrusted origin": {read: true, again: modeltest.Call("reschedule", map[string]any{"id": "s1", "delay_seconds": 60})},
	} {
		t.Run(name, func(t *testing.T) {
			withAutonomy(t, func(o *social.Options) { o.Background.Autonomy.Planner.BackgroundPerHour = -1 }, func(f *autonomyFixture) {
				f.group.Say(alice, onebot.Message{onebot.Text("今天真冷")})
				f.advance(time.Minute)
				steps := []modeltest.Step{addTask("关电脑", nil), addTask("另一件", map[string]any{"outdated_seconds": 80000, "delay_seconds": 70000}), modeltest.Say("好")}
				if c.read {
					steps = append([]modeltest.Step{modeltest.Call("read_social_memory", map[string]any{"query": "冷"})}, steps...)
				}
				f.answer("", steps...)
				_, err := f.bot.OwnerMessage(f.Context(), "十分钟后关电脑")
				require.NoError(t, err)
				f.stop()
				f.advance(time.Hour)
				f.answer(headMissed, c.again, modeltest.Say("没赶上，改到后面"))
				f.answer(headTask, modeltest.Call("shell_exec", map[string]any{"command": "shutdown"}), modeltest.Say("做了"))
				f.begin(f.options(f.change))
				f.advance(10 * time.Minute)
				require.Len(t, f.resultsOf(schedule.WakeOutdated), 1)
				assert.Equal(t, c.want, f.ran)
				if name == "rescheduled" {
					day, err := f.bot.Agenda(f.Context())
					require.NoError(t, err)
					last := day.Past[len(day.Past)-1]
					assert.Equal(t, "关电脑", last.Title)
					assert.Equal(t, "s1", last.RescheduledFrom)
					assert.Equal(t, schedule.Origin{Mode: persona.Agent}, last.Origin)
				}
			})
		})
	}
}

// The answer of the tool tells the model if a task or timer will have fewer rights.
func TestTask_ToolWarnsAboutRestrictedPlan(t *testing.T) {
	for _, read := range []bool{false, true} {
		withAutonomy(t, nil, func(f *autonomyFixture) {
			f.group.Say(alice, onebot.Message{onebot.Text("今天真冷")})
			f.advance(time.Minute)
			steps := []modeltest.Step{addTask("在技术群说开会了", nil), modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "喝水"}), modeltest.Say("好")}
			if read {
				steps = append([]modeltest.Step{modeltest.Call("read_social_memory", map[string]any{"query": "冷"})}, steps...)
			}
			f.answer("", steps...)
			p := f.ownerPrompt("看看群里，十分钟后在技术群说开会了")
			results := p.ToolResults()
			require.GreaterOrEqual(t, len(results), 2)
			for _, r := range results[len(results)-2:] {
				assert.Equal(t, read, strings.Contains(r.Content, "不能在群里发消息"), r.Content)
			}
		})
	}
}

// Tasks that are due at the same time run by priority. A chat cannot put its tasks before those of the owner.
func TestTask_Priority(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Background.Autonomy.Planner.BackgroundPerHour = -1 }, func(f *autonomyFixture) {
		f.answer("", addTask("群里的事", map[string]any{"priority": 9}), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "计划一件事"))
		f.advance(time.Minute)
		f.answer("", addTask("不急的事", map[string]any{"priority": -1}), addTask("平常的事", nil), addTask("要紧的事", map[string]any{"priority": 5}), modeltest.Say("好"))
		f.ownerPrompt("记几件事")
		_, err := f.bot.AddTask(f.Context(), schedule.Task{Title: "程序定的事", Priority: 7, ScheduledAt: time.Now().Add(10 * time.Minute), Origin: schedule.Origin{Mode: persona.Agent}})
		require.NoError(t, err)
		require.NoError(t, f.bot.SetHeartbeat(f.Context(), 0, true))
		f.advance(10*time.Minute + time.Second)
		require.NoError(t, f.bot.SetHeartbeat(f.Context(), time.Second, false))
		f.advance(time.Minute)
		var got []string
		for _, d := range f.resultsOf(schedule.WakeTask) {
			got = append(got, d.Wake.Task.Title)
		}
		assert.Equal(t, []string{"程序定的事", "要紧的事", "群里的事", "平常的事", "不急的事"}, got)
	})
}

// The host and the owner can change the heartbeat at run time. The setting survives a restart. A turn that has read
// others' text cannot change it.
func TestHeartbeat_Set(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		is := func(want time.Duration, off bool) {
			t.Helper()
			every, isOff := f.bot.Heartbeat()
			assert.Equal(t, want, every)
			assert.Equal(t, off, isOff)
		}
		is(time.Minute, false)
		f.answer("", modeltest.Call("set_heartbeat", map[string]any{"on": false}), modeltest.Say("停了"))
		f.ownerPrompt("先别自己做事")
		is(time.Minute, true)
		assert.Equal(t, []social.Change{{By: "tool", Field: "heartbeat", Old: "1m0s", New: "off"}}, f.changed())
		before := len(f.resultsOf(schedule.WakeIdle))
		f.answer("", addTask("喝水", map[string]any{"outdated_seconds": 100000}), modeltest.Say("好"))
		f.ownerPrompt("十分钟后提醒我喝水")
		f.restart(nil)
		f.advance(time.Hour)
		is(time.Minute, true)
		assert.Empty(t, f.resultsOf(schedule.WakeTask))
		assert.Len(t, f.resultsOf(schedule.WakeIdle), before)

		f.group.Say(alice, onebot.Message{onebot.Text("今天真冷")})
		f.advance(time.Minute)
		f.answer("", modeltest.Call("read_social_memory", map[string]any{"query": "冷"}), modeltest.Call("set_heartbeat", map[string]any{"on": true}), modeltest.Say("不行"))
		p := f.ownerPrompt("群里说什么")
		assert.Contains(t, p.ToolResults()[1].Content, "不能改心跳")
		is(time.Minute, true)

		require.NoError(t, f.bot.SetHeartbeat(f.Context(), 5*time.Second, false))
		f.advance(4 * time.Minute)
		assert.Len(t, f.resultsOf(schedule.WakeTask), 1)
		f.restart(nil)
		is(5*time.Second, false)
		assert.Error(t, f.bot.SetHeartbeat(f.Context(), time.Millisecond, false))
		is(5*time.Second, false)
	})
	withFixture(t, modeltest.New(), nil, func(f *fixture) {
		assert.ErrorIs(t, f.bot.SetHeartbeat(f.Context(), 0, true), social.ErrNoAutonomy)
		_, off := f.bot.Heartbeat()
		assert.True(t, off)
	})
}
