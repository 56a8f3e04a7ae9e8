package modeltest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func human(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "sys"), llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

func TestModel_Script(t *testing.T) {
	m := modeltest.New(modeltest.Say("一")).Append(modeltest.Calls(modeltest.ToolCall("a", map[string]int{"x": 1}), modeltest.ToolCall("b", nil), modeltest.ToolCall("c", `{bad`)))
	got, err := m.Call(t.Context(), "hi")
	require.NoError(t, err)
	assert.Equal(t, "一", got)
	assert.Equal(t, 1, m.Remaining())

	resp, err := m.GenerateContent(t.Context(), human("?"))
	require.NoError(t, err)
	calls := resp.Choices[0].ToolCalls
	assert.Equal(t, llms.ToolCall{ID: "call_2_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "a", Arguments: `{"x":1}`}}, calls[0])
	assert.Equal(t, "{}", calls[1].FunctionCall.Arguments)
	assert.Equal(t, "{bad", calls[2].FunctionCall.Arguments)
	assert.Equal(t, "a", resp.Choices[0].FuncCall.Name)
	require.NoError(t, m.Err())

	_, err = m.GenerateContent(t.Context(), human("more"))
	require.ErrorIs(t, err, modeltest.ErrScriptOver)
	assert.Contains(t, err.Error(), "call 3")
	require.ErrorIs(t, m.Err(), modeltest.ErrScriptOver)
	assert.Len(t, m.Prompts(), 3, "the prompt that was one too many is kept")
}

func TestModel_RecordsPrompts(t *testing.T) {
	m := modeltest.Always(modeltest.Say("好"))
	messages := human("在吗")
	tool := llms.Tool{Function: &llms.FunctionDefinition{Name: "poke", Description: "戳一戳"}}
	_, err := m.GenerateContent(t.Context(), messages, llms.WithTools([]llms.Tool{tool, {}}), llms.WithMaxTokens(7))
	require.NoError(t, err)
	messages[1].Parts[0] = llms.TextPart("changed")
	p := m.Prompts()[0]
	assert.Equal(t, "sys\n", p.System())
	assert.Equal(t, "在吗\n", p.Human())
	assert.Equal(t, []string{"poke"}, p.ToolNames())
	assert.Equal(t, 7, p.Options.MaxTokens)
	assert.Equal(t, "sys\n在吗\npoke: 戳一戳\n", p.Text())
}

func TestEcho(t *testing.T) {
	messages := append(human("问"), llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{modeltest.ToolCall("look", `{"q":"CANARY-1"}`)}},
		llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{Content: "CANARY-2"}}})
	resp, err := modeltest.Echo().GenerateContent(t.Context(), messages)
	require.NoError(t, err)
	for _, want := range []string{"sys", "问", "look", "CANARY-1", "CANARY-2"} {
		assert.Contains(t, resp.Choices[0].Content, want)
	}
}

func TestModel_Streaming(t *testing.T) {
	for _, tc := range []struct {
		step modeltest.Step
		want []string
	}{
		{modeltest.Say("你好呀"), []string{"你", "好", "呀"}},
		{modeltest.Step{Text: "你好呀", Chunks: []string{"你好", "呀"}}, []string{"你好", "呀"}},
		{modeltest.Say(""), nil},
	} {
		var got []string
		stream := llms.WithStreamingFunc(func(_ context.Context, b []byte) error { got = append(got, string(b)); return nil })
		resp, err := modeltest.New(tc.step).GenerateContent(t.Context(), human("?"), stream)
		require.NoError(t, err)
		assert.Equal(t, tc.step.Text, resp.Choices[0].Content)
		assert.Equal(t, tc.want, got)
	}
	stop := errors.New("enough")
	_, err := modeltest.New(modeltest.Say("你好呀")).GenerateContent(t.Context(), human("?"), llms.WithStreamingFunc(func(context.Context, []byte) error { return stop }))
	require.ErrorIs(t, err, stop)

	boom, heard := errors.New("link lost"), ""
	_, err = modeltest.New(modeltest.Step{Text: "半句", Err: boom}).GenerateContent(t.Context(), human("?"), llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
	require.ErrorIs(t, err, boom)
	assert.Equal(t, "半句", heard, "a link may fail after it streamed")
}

func TestStep_DelayEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.Always(modeltest.Say("好").After(time.Minute))
		begin := time.Now()
		_, err := m.GenerateContent(t.Context(), human("?"))
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(begin))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		_, err = m.GenerateContent(ctx, human("?"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(begin))
	})
}

func TestModel_Faults(t *testing.T) {
	boom := errors.New("429")
	_, err := modeltest.New(modeltest.Fail(boom)).GenerateContent(t.Context(), human("?"))
	require.ErrorIs(t, err, boom)
	assert.PanicsWithValue(t, "oh", func() {
		_, _ = modeltest.New(modeltest.Step{Panic: "oh"}).GenerateContent(context.Background(), human("?"))
	})
	resp, err := modeltest.New(modeltest.Raw(nil, nil)).GenerateContent(t.Context(), human("?"))
	require.NoError(t, err)
	assert.Nil(t, resp)
	assert.Panics(t, func() { modeltest.ToolCall("a", func() {}) })
}

func TestModel_Concurrent(t *testing.T) {
	var steps []modeltest.Step
	for range 100 {
		steps = append(steps, modeltest.Say("好"))
	}
	m := modeltest.New(steps...)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 10 {
				_, err := m.GenerateContent(context.Background(), human("?"))
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, m.Remaining())
	assert.Len(t, m.Prompts(), 100)
	assert.NoError(t, m.Err())
}
