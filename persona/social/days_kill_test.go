package social_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The headings of parts.
const (
	timed    = "想起来"
	planned  = "做计划好的事"
	overdue  = "没赶上的事"
	review   = "回想"
	ahead    = "打算"
	inward   = "体会"
	looked   = "记下结果"
	wide     = "往大处想"
	noAnswer = "[skip]"
)

// TestDaysKilled: whenever the process dies, a timer fires and a task is done, each at most once; what was cut off is
// told or outdated, and nothing is forgotten.
func TestDaysKilled(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 3
	}
	for doom := 1; ; doom += step {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom/3%3 {
				continue
			}
			d := &daily{}
			inBubble(t, d.model(), d.options, func(b *bubble) {
				b.stop()
				died = d.killed(b, doom, how) || died
			})
		}
		if !died {
			assert.Greater(t, doom, 10, "hardly anything was written")
			break
		}
	}
}

// A daily sets a timer and plans a task when it is asked to.
type daily struct{ told []string }

func (d *daily) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		switch part(p) {
		case timed:
			return modeltest.Say("喝水啦")
		case planned:
			return modeltest.Say("大家早安")
		case overdue:
			return modeltest.Say("算了")
		}
		if len(p.ToolResults()) > 0 || !strings.Contains(p.Human(), "提醒我") {
			return modeltest.Say("好")
		}
		return modeltest.Calls(
			modeltest.ToolCall("set_timer", map[string]any{"when": "1min", "content": "提醒喝水"}),
			modeltest.ToolCall("add_schedule", map[string]any{"delay_seconds": 240, "content": map[string]any{"title": "打招呼"}}),
		)
	})
}

func (d *daily) options(o *social.Options) {
	o.When.Attention.Seed = 1
	o.Tools.Builtin, o.Background.Autonomy = &social.BuiltinTools{}, &social.Autonomy{Planner: schedule.PlannerOptions{BackgroundPerHour: -1, ReflectEvery: -1}}
	o.Hooks.Notify = func(_ context.Context, text string) error {
		d.told = append(d.told, text)
		return nil
	}
}

func (d *daily) killed(b *bubble, doom, how int) (died bool) {
	s := &mortal{MemStore: b.store}
	_, end := b.live(s, d.options)
	b.pass(time.Minute) // what it counts is written by then
	s.doom(doom, how)
	b.group.Say(alice, at(bot, "一分钟后提醒我喝水"))
	b.pass(6 * time.Minute)
	end()
	being, end := b.live(b.store, d.options)
	b.pass(20 * time.Minute)
	day, err := being.Agenda(b.Context())
	require.NoError(b, err)
	end()
	counts := map[string]int{}
	for _, text := range b.sent(b.group.Chat()) {
		counts[text]++
	}
	for text, n := range counts {
		require.Equal(b, 1, n, "write %d, %d: %s", doom, how, text)
	}
	require.Empty(b, day.Timers, "write %d, %d", doom, how)
	require.Empty(b, day.Planned, "write %d, %d", doom, how)
	told := strings.Join(d.told, "\n")
	for _, task := range day.Past {
		require.True(b, task.Ended(), "write %d, %d", doom, how)
		if task.Status == schedule.TaskAccomplished && counts["大家早安"] == 0 {
			require.Regexp(b, "大家早安|打招呼", told, "write %d, %d: it may have been said; %+v", doom, how, task)
		}
	}
	if counts["好"] == 1 { // so both were set before
		require.NotEmpty(b, day.Past, "write %d, %d", doom, how)
		if counts["喝水啦"] == 0 {
			require.Contains(b, told, "喝水啦", "write %d, %d", doom, how)
		}
	}
	rows, err := b.store.Load(b.Context(), "errand/")
	require.NoError(b, err)
	for key, row := range rows {
		require.Contains(b, string(row), `"status":"done"`, "write %d, %d: %s", doom, how, key)
	}
	return s.died()
}
