package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestNormalize_Thoughts(t *testing.T) {
	for name, tc := range map[string]struct{ given, thought, text string }{
		"none":               {"在的", "", "在的"},
		"DeepSeek":           {"<think>\n他在问我。\n</think>\n\n在的", "他在问我。", "在的"},
		"other tag":          {"  <thinking>嗯</thinking>在的", "嗯", "在的"},
		"opened in a prompt": {"他在问我。\n</think>\n\n在的", "他在问我。", "在的"},
		"cut off":            {"<think>他在问", "他在问", ""},
		"cut in the tag":     {"<think>他在问</thi", "他在问</thi", ""},
		"empty":              {"<think>\n\n</think>\n\n在的", "", "在的"},
		"only the head":      {"标签 <think> 怎么写", "", "标签 <think> 怎么写"},
		"later":              {"看 <think>x</think>", "", "看 <think>x</think>"},
		"half a tag":         {"<thi", "", "<thi"},
		"another tag":        {"<thin>ks", "", "<thin>ks"},
		"twice":              {"<think>a</think>b<think>c</think>", "a", "b<think>c</think>"},
		"nothing":            {"", "", ""},
	} {
		resp, err := models.Normalize(modeltest.New(modeltest.Say(tc.given))).GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		assert.Equal(t, tc.text, resp.Choices[0].Content, name)
		assert.Equal(t, tc.thought, resp.Choices[0].ReasoningContent, name)
		if name == "opened in a prompt" {
			continue // too late for a stream
		}
		for n := 1; n < 9; n++ { // any size of chunks
			var chunks []string
			for rest := []rune(tc.given); len(rest) > 0; rest = rest[min(n, len(rest)):] {
				chunks = append(chunks, string(rest[:min(n, len(rest))]))
			}
			heard, both, thought := "", "", ""
			_, err := models.Normalize(modeltest.New(modeltest.Step{Text: tc.given, Chunks: chunks})).GenerateContent(t.Context(), prompt("在吗"),
				llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
					assert.NotEmpty(t, b)
					heard += string(b)
					return nil
				}))
			require.NoError(t, err)
			assert.Equal(t, tc.text, heard, name)
			m := modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
				for _, c := range chunks {
					_ = p.Options.StreamingReasoningFunc(ctx, nil, []byte(c))
				}
				return modeltest.Step{Text: tc.given, Chunks: []string{}}
			})
			_, err = models.Normalize(m).GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingReasoningFunc(func(_ context.Context, r, b []byte) error {
				thought, both = thought+string(r), both+string(b)
				return nil
			}))
			require.NoError(t, err)
			assert.Equal(t, []string{tc.thought, tc.text}, []string{strings.TrimSpace(thought), both}, name)
		}
	}
}

func TestNormalize_MergesChoices(t *testing.T) {
	info := map[string]any{"InputTokens": 7}
	// Anthropic's client returns a choice for each block.
	parts := &llms.ContentResponse{Choices: []*llms.ContentChoice{
		{GenerationInfo: map[string]any{"ThinkingContent": "查一下", "InputTokens": 7}, StopReason: "tool_use"},
		nil,
		{Content: "我查查", GenerationInfo: info},
		{ToolCalls: []llms.ToolCall{{ID: "t1", FunctionCall: &llms.FunctionCall{Name: "weather"}}, {ID: "t2"}}},
		{ToolCalls: []llms.ToolCall{{ID: "t3", FunctionCall: &llms.FunctionCall{Name: "poke", Arguments: `{"who":"小明"}`}}}},
	}}
	resp, err := models.Normalize(modeltest.New(modeltest.Raw(parts, nil))).GenerateContent(t.Context(), prompt("天气"))
	require.NoError(t, err)
	require.Len(t, resp.Choices, 1)
	c := resp.Choices[0]
	assert.Equal(t, []string{"我查查", "查一下", "tool_use"}, []string{c.Content, c.ReasoningContent, c.StopReason})
	assert.Equal(t, `t1 function weather {}; t2 function  {}; t3 function poke {"who":"小明"}`, callsOf(c), "what has no function is a call without a name")
	assert.Equal(t, "weather", c.FuncCall.Name)
	assert.Equal(t, 7, c.GenerationInfo["InputTokens"])
	assert.Empty(t, parts.Choices[3].ToolCalls[0].Type, "the model's own answer stays")
	assert.Empty(t, parts.Choices[3].ToolCalls[0].FunctionCall.Arguments)

	alternatives := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "一"}, {Content: "二"}}}
	resp, err = models.Normalize(modeltest.New(modeltest.Raw(alternatives, nil))).GenerateContent(t.Context(), prompt("?"), llms.WithN(2))
	require.NoError(t, err)
	assert.Len(t, resp.Choices, 2)

	for _, nothing := range []*llms.ContentResponse{nil, {}, {Choices: []*llms.ContentChoice{nil}}} {
		resp, err := models.Normalize(modeltest.New(modeltest.Raw(nothing, nil))).GenerateContent(t.Context(), prompt("?"))
		require.NoError(t, err)
		assert.True(t, resp == nil || len(resp.Choices) == 0)
	}
	boom := errors.New("boom")
	_, err = asked(t.Context(), models.Normalize(modeltest.New(modeltest.Fail(boom))))
	require.ErrorIs(t, err, boom)
}

func TestNormalize_JoinsToolCallParts(t *testing.T) {
	// The bare client's result for "type in each part".
	f := func(name, args string) llms.ToolCall {
		return llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
	}
	torn := modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{f("weather", ""), f("", `{"city":`), f("", `"杭州"}`), f("poke", " "), f("", "")}}}}, nil)
	resp, err := models.Normalize(modeltest.New(torn)).GenerateContent(t.Context(), prompt("?"))
	require.NoError(t, err)
	assert.Equal(t, ` function weather {"city":"杭州"};  function poke {}`, callsOf(resp.Choices[0]))
	nameless := modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{f("", `{"a":1}`)}}}}, nil)
	resp, err = models.Normalize(modeltest.New(nameless)).GenerateContent(t.Context(), prompt("?"))
	require.NoError(t, err)
	assert.Equal(t, ` function  {"a":1}`, callsOf(resp.Choices[0]), "whoever calls tells the model that this is no call")
}

func TestNormalize_KeepsJSONText(t *testing.T) {
	for _, text := range []string{`[{"a":1}]`, `[{"id":"1"}]`, `[{"id":"x","type":"function","function":{}}] 是什么`, "[{"} {
		heard := ""
		_, err := models.Normalize(modeltest.New(modeltest.Step{Text: text, Chunks: []string{text}})).GenerateContent(t.Context(), prompt("?"), tools,
			llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
		require.NoError(t, err)
		assert.Equal(t, text, heard)
	}
}

// TestNormalize_ReasoningOfRealClients reads the streams of real clients: DeepSeek's reasoning_content and Anthropic's thinking.
func TestNormalize_ReasoningOfRealClients(t *testing.T) {
	deepseek := delta(`{"role":"assistant","content":null,"reasoning_content":""}`) + delta(`{"content":null,"reasoning_content":"他在"}`) + delta(`{"reasoning_content":"问我"}`) +
		delta(`{"content":"在的","reasoning_content":null}`) + finish("stop") +
		`data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":12,"total_tokens":32,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":9}}}` + "\n\n" + done
	claude := strings.Join([]string{
		`{"type":"message_start","message":{"usage":{"input_tokens":4,"cache_read_input_tokens":16,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"他在问我"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"在的"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}`,
		`{"type":"message_stop"}`,
	}, "\n\ndata: ")
	for name, tc := range map[string]struct {
		client func(*testing.T) llms.Model
		usage  models.Usage
	}{
		"deepseek": {func(t *testing.T) llms.Model { return openAI(t, serve(t, 200, sse, deepseek), fresh(true)) }, models.Usage{Calls: 1, Prompt: 20, Completion: 12, CacheRead: 16, Reasoning: 9}},
		"claude": {func(t *testing.T) llms.Model {
			return anthropicAt(t, serve(t, 200, sse, "data: "+claude+"\n\n"), fresh(true))
		}, models.Usage{Calls: 1, Prompt: 20, Completion: 12, CacheRead: 16}},
	} {
		var seen models.Usage
		m := models.Meter(chain(t, models.ChainOptions{}, models.Normalize(tc.client(t))), func(_ context.Context, u models.Usage) { seen = u })
		heard, thought := "", ""
		resp, err := m.GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }),
			llms.WithStreamingReasoningFunc(func(_ context.Context, r, _ []byte) error { thought += string(r); return nil }))
		require.NoError(t, err, name)
		assert.Equal(t, []string{"在的", "他在问我"}, []string{heard, thought}, name)
		assert.Equal(t, []string{"在的", "他在问我"}, []string{resp.Choices[0].Content, resp.Choices[0].ReasoningContent}, name)
		assert.Equal(t, tc.usage, seen, name)

		thought = "" // a StreamingReasoningFunc alone
		_, err = models.Normalize(tc.client(t)).GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingReasoningFunc(func(_ context.Context, r, _ []byte) error { thought += string(r); return nil }))
		require.NoError(t, err, name)
		assert.Equal(t, "他在问我", thought, name)
	}
}
