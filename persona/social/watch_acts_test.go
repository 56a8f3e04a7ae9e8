package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// acts returns the acts of a kind.
func (l *eventLog) acts(kind string) (found []trace.Event) {
	return l.events(func(e trace.Event) bool { return e.Act != nil && e.Act.Kind == kind })
}

// What the bot does beside talking is reported: timers, tasks with their outcomes, commands of the owner and notices.
func TestWatch_Acts(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		f.answer("", modeltest.Calls(
			modeltest.ToolCall("set_timer", map[string]any{"when": "5min", "content": "喝水"}),
			modeltest.ToolCall("add_schedule", map[string]any{"delay_seconds": 600, "content": map[string]any{"title": "问候群友"}}),
			modeltest.ToolCall("no_such_tool", map[string]any{}),
			modeltest.ToolCall("read_owner_memory", map[string]any{"query": "茶"}),
		), modeltest.Say("好"))
		f.answer(headTimer, modeltest.Say("<item>喝水啦</item><item>快</item>"))
		f.answer(headTask, modeltest.Say("大家早安"))
		f.answer(headOutcome, modeltest.Say("大家很开心"))
		_, err := f.bot.OwnerMessage(f.Context(), "五分钟后提醒我喝水，十分钟后问候群友")
		require.NoError(t, err)
		_, err = f.bot.OwnerMessage(f.Context(), "/labels")
		require.NoError(t, err)
		f.advance(30 * time.Minute)

		readOnly := map[string]bool{}
		for _, e := range log.events(func(e trace.Event) bool { return e.Tool != nil }) {
			readOnly[e.Tool.Name] = e.Tool.ReadOnly
		}
		assert.Equal(t, map[string]bool{"set_timer": false, "add_schedule": false, "unknown": false, "read_owner_memory": true}, readOnly)

		timers := log.acts("timer")
		require.Len(t, timers, 1)
		assert.Equal(t, "喝水 喝水啦\n快", fmt.Sprint(timers[0].Act.Text, " ", timers[0].Act.Outcome))
		owner := log.events(func(e trace.Event) bool { return e.Message != nil && e.Message.From == "owner" })
		require.NotEmpty(t, owner)
		assert.Equal(t, owner[0].Chat, timers[0].Chat, "in the owner's conversation")
		assert.NotEmpty(t, log.events(func(e trace.Event) bool { return e.Turn != nil && e.Turn.ID == timers[0].Act.Turn }))

		tasks, outcomes := log.acts("task"), log.acts("outcome")
		require.Len(t, tasks, 1)
		assert.Equal(t, "问候群友 大家早安", tasks[0].Act.Text+" "+tasks[0].Act.Outcome)
		require.Len(t, outcomes, 1)
		assert.Equal(t, "问候群友 大家很开心", outcomes[0].Act.Text+" "+outcomes[0].Act.Outcome)
		assert.Less(t, tasks[0].Seq, outcomes[0].Seq)

		commands := log.acts("command")
		require.Len(t, commands, 1)
		assert.Equal(t, "/labels", commands[0].Act.Text)
		assert.NotEmpty(t, commands[0].Act.Outcome)
		archives := log.acts("archive")
		require.NotEmpty(t, archives)
		assert.Regexp(t, `^\d+$`, archives[0].Act.Text)
	})
}

// A timer of an erased person is not reported any more.
func TestWatch_ActsOfErased(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "提醒张三喝水"}), modeltest.Say("好"))
		f.answer(headTimer, modeltest.Call("notify_master", map[string]any{"content": "到了"}), modeltest.Say("喝水啦"))
		f.group.Say(alice, at(botID, "五分钟后提醒我喝水"))
		f.advance(time.Minute)
		require.Len(t, log.events(func(e trace.Event) bool { return e.Tool != nil }), 1)
		_, err := f.bot.ErasePerson(f.Context(), qqAccount(alice), nil)
		require.NoError(t, err)
		erased := log.events(func(e trace.Event) bool { return e.Erased })
		require.NotEmpty(t, erased)
		f.advance(30 * time.Minute)
		for _, e := range log.events(func(e trace.Event) bool { return e.Act != nil && e.Seq > erased[0].Seq }) {
			assert.NotContains(t, e.Act.Text+e.Act.Outcome+e.Act.Failed, "喝水")
		}
	})
}
