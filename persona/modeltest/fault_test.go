package modeltest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

func TestStatusError_Text(t *testing.T) {
	m := modeltest.New(modeltest.HTTPError(500, "oops"), modeltest.HTTPError(502, ""), modeltest.RateLimited(7*time.Second))
	want := []string{"API returned unexpected status code: 500: oops", "API returned unexpected status code: 502", "API returned unexpected status code: 429: Rate limit reached"}
	for i, text := range want {
		_, err := m.GenerateContent(t.Context(), human("?"))
		require.EqualError(t, err, text)
		var status *modeltest.StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, []int{500, 502, 429}[i], status.StatusCode())
		assert.Equal(t, []time.Duration{0, 0, 7 * time.Second}[i], status.RetryAfter())
	}
}

func TestStep_Faults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := ""
		stream := llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil })
		_, err := modeltest.New(modeltest.CutStream("半句")).GenerateContent(t.Context(), human("?"), stream)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, "半句", heard)

		heard = ""
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		_, err = modeltest.New(modeltest.Hang("半句")).GenerateContent(ctx, human("?"), stream)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, "半句", heard)
		assert.Equal(t, time.Minute, time.Since(begin))

		until := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(until) })
		resp, err := modeltest.New(modeltest.IgnoreContext(until, modeltest.Say("晚"))).GenerateContent(ctx, human("?"))
		require.NoError(t, err, "its context is over")
		assert.Equal(t, "晚", resp.Choices[0].Content)
		assert.Equal(t, time.Minute+time.Hour, time.Since(begin))
	})
	_, err := modeltest.New(modeltest.Body("{")).GenerateContent(t.Context(), human("?"))
	require.Error(t, err)
}

// overHTTP returns a real client of a model with this script.
func overHTTP(t *testing.T, m *modeltest.Model) (client llms.Model, url string) {
	t.Helper()
	api := httptest.NewServer(m.Handler())
	t.Cleanup(api.Close)
	client, err := openai.New(openai.WithBaseURL(api.URL), openai.WithToken("sk-test"), openai.WithModel("m"), openai.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
	require.NoError(t, err)
	return client, api.URL
}

func TestHandler_ServesScript(t *testing.T) {
	info := map[string]any{"PromptTokens": 9, "CompletionTokens": 4, "TotalTokens": 13, "PromptCachedTokens": 8, "CompletionReasoningTokens": 2}
	script := []modeltest.Step{
		{Text: "在的", Reasoning: "他在问我", Info: info},
		{Text: "我查查", Calls: []llms.ToolCall{modeltest.ToolCall("weather", `{"city":"杭州","days":2}`), modeltest.ToolCall("poke", nil)}},
		modeltest.Say(""),
	}
	for _, streaming := range []bool{false, true} {
		m := modeltest.New(script...)
		client, _ := overHTTP(t, m)
		heard := ""
		options := []llms.CallOption{llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "weather"}}}), llms.WithToolChoice("none")}
		if streaming {
			options = append(options, llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
		}
		messages := append(human("天气"), llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextContent{Text: "等等"}, llms.ToolCall{ID: "c1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "weather", Arguments: "{}"}}}},
			llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "c1", Content: "有雨"}}})
		resp, err := client.GenerateContent(t.Context(), messages, options...)
		require.NoError(t, err)
		c := resp.Choices[0]
		assert.Equal(t, []string{"在的", "他在问我", "stop"}, []string{c.Content, c.ReasoningContent, c.StopReason})
		for name, n := range info {
			assert.Equal(t, n, c.GenerationInfo[name], name)
		}
		if streaming {
			assert.Equal(t, "在的", heard)
		}
		p := m.Prompts()[0]
		assert.Equal(t, "sys\n", p.System())
		assert.Equal(t, "天气\n", p.Human())
		assert.Equal(t, []string{"weather"}, p.ToolNames())
		assert.Equal(t, "none", p.Options.ToolChoice)
		assert.Equal(t, []llms.ToolCallResponse{{ToolCallID: "c1", Content: "有雨"}}, p.ToolResults())
		assert.Contains(t, p.Text(), "等等\nweather {}\n有雨\n")

		resp, err = client.GenerateContent(t.Context(), human("天气"), options...)
		require.NoError(t, err)
		c = resp.Choices[0]
		require.Len(t, c.ToolCalls, 2)
		assert.Equal(t, llms.ToolCall{ID: "call_2_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "weather", Arguments: `{"city":"杭州","days":2}`}}, c.ToolCalls[0])
		assert.Equal(t, "{}", c.ToolCalls[1].FunctionCall.Arguments)
		assert.Equal(t, "tool_calls", c.StopReason)

		resp, err = client.GenerateContent(t.Context(), human("天气"), options...)
		require.NoError(t, err)
		assert.Empty(t, resp.Choices[0].Content)
		_, err = client.GenerateContent(t.Context(), human("天气"), options...)
		require.ErrorContains(t, err, "status code: 400: modeltest: the model was called after the end of its script")
		require.ErrorIs(t, m.Err(), modeltest.ErrScriptOver)
	}
}

func TestHandler_Faults(t *testing.T) {
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	for name, tc := range map[string]struct {
		step modeltest.Step
		bare string // error text without streaming; "" means no error
		flow string // with streaming
	}{
		"refused":    {modeltest.HTTPError(503, "busy"), "status code: 503: busy", "status code: 503: busy"},
		"gone":       {modeltest.Fail(errors.New("x")), "network error", "network error"},
		"panic":      {modeltest.Step{Panic: "oh"}, "network error", "network error"},
		"raw":        {modeltest.Raw(nil, nil), "network error", "network error"},
		"broken":     {modeltest.CutStream("半句"), "unexpected EOF", "unexpected EOF"},
		"wrong JSON": {modeltest.Body(`{"choices":[`), "unexpected EOF", ""},
		"no choices": {modeltest.Body(`{"choices":[]}`), "empty response", ""},
	} {
		m := modeltest.Always(tc.step)
		client, _ := overHTTP(t, m)
		for want, options := range map[*string][]llms.CallOption{&tc.bare: nil, &tc.flow: {stream}} {
			_, err := client.GenerateContent(t.Context(), human("?"), options...)
			if *want == "" {
				require.NoError(t, err, name)
				continue
			}
			require.ErrorContains(t, err, *want, name)
		}
		assert.Len(t, m.Prompts(), 2, name)
	}
}

func TestHandler_HangsUntilClientCloses(t *testing.T) {
	for _, text := range []string{"", "半"} {
		ctx, cancel := context.WithCancel(t.Context())
		client, _ := overHTTP(t, modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			if text == "" {
				cancel()
			}
			return modeltest.Hang(text)
		}))
		heard := ""
		_, err := client.GenerateContent(ctx, human("?"), llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
			if heard += string(b); heard != "" {
				cancel()
			}
			return nil
		}))
		require.Error(t, ctx.Err())
		assert.Equal(t, text, heard)
		if text == "" {
			require.Error(t, err) // after the first byte the client may return no error
		}
	} // here the servers close
}

func TestHandler_HTTP(t *testing.T) {
	m := modeltest.New(modeltest.RateLimited(1500*time.Millisecond), modeltest.Body("data: x\n\n"), modeltest.Body("<html>"))
	_, url := overHTTP(t, m)
	post := func(body string) *http.Response {
		resp, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	assert.Equal(t, 400, post("{").StatusCode)
	parts := `{"messages":[{"role":"developer","content":"d"},{"role":"user","content":[{"type":"text","text":"一"},{"type":"image_url"},{"type":"text","text":"二"}]}]}`
	limited := post(parts)
	assert.Equal(t, 429, limited.StatusCode)
	assert.Equal(t, "2", limited.Header.Get("Retry-After"), "whole seconds, not too few")
	assert.Equal(t, "1500", limited.Header.Get("Retry-After-Ms"))
	assert.Equal(t, "d\n", m.Prompts()[0].System())
	assert.Equal(t, "一二\n", m.Prompts()[0].Human())
	assert.Equal(t, "text/event-stream", post(parts).Header.Get("Content-Type"))
	assert.Equal(t, "text/html", post(parts).Header.Get("Content-Type"))
}
