package offline

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestFindDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"半小时后": 30 * time.Minute, "一个半小时后": 90 * time.Minute, "20 分钟后": 20 * time.Minute, "二十五分钟": 25 * time.Minute,
		"十秒": 10 * time.Second, "三天": 72 * time.Hour, "两个钟头": 2 * time.Hour, "半个小时": 30 * time.Minute,
		"in 10 min": 10 * time.Minute, "2 hours": 2 * time.Hour, "45 Seconds": 45 * time.Second,
	} {
		got, _, _, ok := findDuration(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "明天", "三点", "0 分钟", "99999999999999999999 天"} {
		_, _, _, ok := findDuration(text)
		assert.False(t, ok, text)
	}
	assert.Equal(t, 2, Model{Speed: 1440}.seconds(50*time.Minute), "48 minutes: the finest that there is")
	assert.Equal(t, 1, Model{Speed: 1440}.seconds(time.Minute))
	assert.Equal(t, "1800s", Model{}.timer(30*time.Minute))
}

// Commands of the owner become tool calls.
func TestModel_OwnerCommand(t *testing.T) {
	plan := func(delay, until int, title string) call {
		return call{"add_schedule", map[string]any{"delay_seconds": delay, "outdated_seconds": until, "content": map[string]any{
			"title": title, "motivation": "主人交代的", "plan": "到时候主动去做，做完告诉主人", "expected_outcome": "主人知道有人惦记着",
		}}}
	}
	for ask, want := range map[string]call{
		"半小时后提醒我喝水":                        {"set_timer", map[string]any{"when": "1800s", "content": "喝水"}},
		"提醒我 20 分钟后关火":                     {"set_timer", map[string]any{"when": "1200s", "content": "关火"}},
		"remind me in 20 min to stretch":   {"set_timer", map[string]any{"when": "1200s", "content": "stretch"}},
		"in 2 hours remind me to call Bob": {"set_timer", map[string]any{"when": "7200s", "content": "call Bob"}},
		"每天早上八点提醒我吃药":                      {"set_timer", map[string]any{"when": "cron:0 8 * * *", "content": "吃药"}},
		"每天晚上 10 点半提醒我睡觉":                  {"set_timer", map[string]any{"when": "cron:30 22 * * *", "content": "睡觉"}},
		"告诉小明 下午三点开会":                      {"qq_send_text", map[string]any{"target_id": "小明", "content": "下午三点开会"}},
		"tell 小明 that lunch is ready":      {"qq_send_text", map[string]any{"target_id": "小明", "content": "lunch is ready"}},
		"在炉边夜话里说：大家好":                      {"qq_send_text", map[string]any{"target_id": "炉边夜话", "content": "大家好"}},
		"mute 老王 for 10 min":               {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 600}},
		"mute 老王 for 10 min in 炉边夜话":       {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 600, "group_id": "炉边夜话"}},
		"把老王禁言 10 分钟":                      {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 600}},
		"在炉边夜话把老王禁言半小时":                    {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 1800, "group_id": "炉边夜话"}},
		"禁言老王":                             {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 600}},
		"解除老王的禁言":                          {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 0}},
		"unmute 老王":                        {"qq_group_ban", map[string]any{"user_id": "老王", "duration": 0}},
		"两小时后跟进一下发布":                       plan(7200, 7200+6*3600, "跟进一下发布"),
	} {
		got, ok := Model{}.ownerCommand(ask)
		assert.True(t, ok, ask)
		assert.Equal(t, want, got, ask)
	}
	for _, ask := range []string{"", "早", "我告诉小明了", "提醒我喝水", "他被禁言了吗", "我半小时后回来"} {
		got, ok := Model{}.ownerCommand(ask)
		assert.False(t, ok, "%s: %v", ask, got)
	}
}

// Only the owner may give commands. A group that is not named is looked up.
func TestModel_CommandsNeedOwner(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	tools := []llms.Tool{tool("qq_group_list"), tool("qq_get_group_list"), tool("qq_group_ban"), tool("qq_send_text"), tool("set_timer"), tool("notify_master")}
	asked := func(s prompt.Scene, more ...llms.MessageContent) *llms.ContentChoice {
		who := persona.Profile{Name: "小炉"}
		resp, err := Model{}.GenerateContent(t.Context(), append([]llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, prompt.System(who, s)), llms.TextParts(llms.ChatMessageTypeHuman, prompt.Context(who, now, s)+prompt.Instructions(s)),
		}, more...), llms.WithTools(tools))
		require.NoError(t, err)
		return resp.Choices[0]
	}
	said := func(mode persona.Mode, text string) prompt.Scene {
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
		return prompt.Scene{Mode: mode, Chat: chat, State: "summoned", Recent: []persona.Message{{ID: "9", Chat: chat, From: "42", Name: "小满", Text: text, At: now}}}
	}
	names := func(c *llms.ContentChoice) (names []string) {
		for _, call := range c.ToolCalls {
			names = append(names, call.FunctionCall.Name+call.FunctionCall.Arguments)
		}
		return names
	}
	mute := said(persona.Agent, "mute 老王 for 10 min")
	assert.Equal(t, []string{`qq_get_group_list{}`}, names(asked(mute)))
	answer := func(content string) llms.MessageContent {
		return llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{Name: "qq_get_group_list", Content: content}}}
	}
	assert.Equal(t, []string{`qq_group_ban{"duration":600,"group_id":"714285","user_id":"老王"}`},
		names(asked(mute, answer(`<tool_result name="qq_get_group_list">{"total":1,"pages":1,"items":[{"group_id":714285,"name":"炉边夜话"}]}</tool_result>`))))
	assert.Equal(t, "在哪个群？说一下群名。", asked(mute, answer(`{"total":2,"items":[{"group_id":1},{"group_id":2}]}`)).Content)

	for text, want := range map[string][]string{
		"@小炉 告诉小明 别来了":   nil,
		"@小炉 把老王禁言10分钟":  nil,
		"@小炉 半小时后提醒我收衣服": {`set_timer{"content":"收衣服","when":"1800s"}`},
		"@小炉 你主人在吗？急事":   {`notify_master{"content":"小满在找你：你主人在吗？急事"}`},
	} {
		assert.Equal(t, want, names(asked(said(persona.Persona, text))), text)
	}
}

func tool(name string) llms.Tool {
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name}}
}
