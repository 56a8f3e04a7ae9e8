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

// Headings of prompts.
const (
	headTimer   = "想起来"
	headTask    = "做计划好的事"
	headMissed  = "没赶上的事"
	headReview  = "回想"
	headPlan    = "打算"
	headReflect = "体会"
	headOutcome = "记下结果"
	headGlobal  = "往大处想"
	silence     = "[skip]"
)

// If the process dies at any write, a timer and a task run at most once each. Interrupted work is reported or outdated,
// and nothing is lost.
func TestAutonomy_Crashes(t *testing.T) {
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
			d := &dailyModel{}
			withFixture(t, d.model(), d.options, func(f *fixture) {
				f.stop()
				died = d.runAndCrash(f, doom, how) || died
			})
		}
		if !died {
			assert.Greater(t, doom, 10, "too few writes")
			break
		}
	}
}

// A dailyModel sets a timer and plans a task when asked to.
type dailyModel struct{ notices []string }

func (d *dailyModel) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		switch part(p) {
		case headTimer:
			return modeltest.Say("喝水啦")
		case headTask:
			return modeltest.Say("大家早安")
		case headMissed:
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

func (d *dailyModel) options(o *social.Options) {
	o.When.Attention.Seed = 1
	o.Tools.Builtin, o.Background.Autonomy = &social.BuiltinTools{}, &social.Autonomy{Planner: schedule.PlannerOptions{BackgroundPerHour: -1, ReflectEvery: -1}}
	o.Hooks.Notify = func(_ context.Context, text string) error {
		d.notices = append(d.notices, text)
		return nil
	}
}

func (d *dailyModel) runAndCrash(f *fixture, doom, how int) (died bool) {
	s := &crashingStore{MemStore: f.store}
	_, end := f.startOn(s, d.options)
	f.advance(time.Minute) // counters are written by then
	s.crashAt(doom, how)
	f.group.Say(alice, at(botID, "一分钟后提醒我喝水"))
	f.advance(6 * time.Minute)
	end()
	bot, end := f.startOn(f.store, d.options)
	f.advance(20 * time.Minute)
	day, err := bot.Agenda(f.Context())
	require.NoError(f, err)
	end()
	counts := map[string]int{}
	for _, text := range f.sent(f.group.Chat()) {
		counts[text]++
	}
	for text, n := range counts {
		require.Equal(f, 1, n, "write %d, %d: %s", doom, how, text)
	}
	require.Empty(f, day.Timers, "write %d, %d", doom, how)
	require.Empty(f, day.Planned, "write %d, %d", doom, how)
	notices := strings.Join(d.notices, "\n")
	for _, task := range day.Past {
		require.True(f, task.Ended(), "write %d, %d", doom, how)
		if task.Status == schedule.TaskAccomplished && counts["大家早安"] == 0 {
			require.Regexp(f, "大家早安|打招呼", notices, "write %d, %d: it may have been sent; %+v", doom, how, task)
		}
	}
	if counts["好"] == 1 { // both were set before the crash
		require.NotEmpty(f, day.Past, "write %d, %d", doom, how)
		if counts["喝水啦"] == 0 {
			require.Contains(f, notices, "喝水啦", "write %d, %d", doom, how)
		}
	}
	rows, err := f.store.Load(f.Context(), "errand/")
	require.NoError(f, err)
	for key, row := range rows {
		require.Contains(f, string(row), `"status":"done"`, "write %d, %d: %s", doom, how, key)
	}
	return s.hasCrashed()
}
