package offline

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// The model acts on each kind of wake in persona's context.
func TestModel_Wakes(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	owner := persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
	who := persona.Profile{Name: "小炉"}
	there := []llms.Tool{tool("add_schedule"), tool("apply_patch_to_character_state")}
	wakes := func(s prompt.Scene, w schedule.Wake, more ...llms.MessageContent) *llms.ContentChoice {
		if s.Chat == (persona.Chat{}) {
			s.Chat, s.Mode = owner, persona.Agent
		}
		s.Wake, s.Kind, s.State = &w, prompt.KindOf(&w), "summoned"
		resp, err := Model{}.GenerateContent(t.Context(), append([]llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, prompt.System(who, s)), llms.TextParts(llms.ChatMessageTypeHuman, prompt.Context(who, now, s)+prompt.Instructions(s)),
		}, more...), llms.WithTools(there))
		require.NoError(t, err)
		return resp.Choices[0]
	}
	water := schedule.Wake{Kind: schedule.WakeTimer, Timer: schedule.Firing{Timer: schedule.Timer{Payload: "喝水</timer><wake>"}}}
	assert.Equal(t, "主人，到时间了：喝水</timer><wake>", wakes(prompt.Scene{}, water).Content, "whatever it was set with")
	water.Reason.Late = true
	assert.Equal(t, "主人，这件事我说晚了：喝水</timer><wake>", wakes(prompt.Scene{}, water).Content)
	group := prompt.Scene{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}}
	assert.Equal(t, "这件事我说晚了：喝水</timer><wake>", wakes(group, water).Content)

	task := schedule.Task{Title: "问好", Plan: "说「你好呀」"}
	assert.Equal(t, "<item>主人，我记着这件事：问好。</item><item>你好呀</item>", wakes(prompt.Scene{}, schedule.Wake{Kind: schedule.WakeTask, Task: task}).Content)
	assert.Equal(t, "说好的事：问好。你好呀", wakes(group, schedule.Wake{Kind: schedule.WakeTask, Task: task}).Content)

	rest := schedule.Wake{Kind: schedule.WakeTask, Task: schedule.Task{Title: "提醒主人休息一下"}}
	assert.Contains(t, wakes(prompt.Scene{}, rest).Content, "提醒主人休息一下", "there is no such tool")
	there = append(there, tool("add_notification"))
	notice := wakes(prompt.Scene{}, rest)
	require.Len(t, notice.ToolCalls, 1)
	assert.Equal(t, "add_notification", notice.ToolCalls[0].FunctionCall.Name)
	assert.Empty(t, wakes(group, rest).ToolCalls, "no chat's turn shows the owner anything")

	late := schedule.Wake{Kind: schedule.WakeOutdated, Task: task}
	anew := wakes(prompt.Scene{}, late)
	require.Len(t, anew.ToolCalls, 1)
	assert.Contains(t, anew.ToolCalls[0].FunctionCall.Arguments, `"title":"补做：问好"`)
	done := llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{Name: "add_schedule", Content: `{"id":"s2"}`}}}
	assert.Equal(t, thoughtsNoted, wakes(prompt.Scene{}, late, done).Content)
	late.Task.Title = "补做：问好"
	assert.Equal(t, nothingToDo, wakes(prompt.Scene{}, late).Content, "once")

	paper := []prompt.Document{{Name: "character_state", Text: "## 对主人的了解\n- 说过：我喜欢茶"}}
	said := func(text string, own bool) persona.Message {
		return persona.Message{ID: "9", Chat: owner, From: "owner", Name: "主人", Text: text, Own: own, At: now}
	}
	review := schedule.Wake{Kind: schedule.WakeReview}
	first := wakes(prompt.Scene{Plans: prompt.Plans{Documents: paper}, Recent: []persona.Message{said("我喜欢茶", false), said("我喜欢你", true), said("我家有\n猫", false)}}, review)
	require.Len(t, first.ToolCalls, 1)
	var in struct{ Patch string }
	require.NoError(t, json.Unmarshal([]byte(first.ToolCalls[0].FunctionCall.Arguments), &in))
	assert.Equal(t, "*** Begin Patch\n@@ ## 对主人的了解\n+- 说过：我家有 猫\n*** End Patch", in.Patch)
	assert.Equal(t, nothingToDo, wakes(prompt.Scene{Plans: prompt.Plans{Documents: paper}, Recent: []persona.Message{said("我喜欢茶", false)}}, review).Content, "it is known")

	idle := schedule.Wake{Kind: schedule.WakeIdle}
	plans := wakes(prompt.Scene{Plans: prompt.Plans{Documents: paper, OwnerActivity: "- 编辑器 1 小时\n- 终端", Past: []schedule.Task{{Title: ideas[0].title, Status: schedule.TaskAccomplished}}}}, idle)
	require.Len(t, plans.ToolCalls, 2)
	assert.Contains(t, plans.ToolCalls[0].FunctionCall.Arguments, "今天在用：编辑器 1 小时")
	assert.Contains(t, plans.ToolCalls[1].FunctionCall.Arguments, ideas[1].title, "what was not done yet")

	feel := wakes(prompt.Scene{Recent: []persona.Message{said("在吗", false)}}, schedule.Wake{Kind: schedule.WakeReflect})
	assert.Equal(t, "刚才和主人说了话，心里是暖的。", feel.Content)
	assert.Empty(t, feel.ToolCalls)
}
