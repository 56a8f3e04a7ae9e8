package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// openAIAt returns a client of models.OpenAI without connections kept alive.
func openAIAt(t *testing.T, url string) llms.Model {
	t.Helper()
	m, err := models.OpenAI(url, "m", "sk-test", models.OpenAIOptions{Base: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	return m
}

func TestOpenAI_Arguments(t *testing.T) {
	const secret = "sk-0123456789"
	for name, tc := range map[string]struct{ url, model, key, want string }{
		"empty URL":          {"", "m", secret, "the base URL is empty; OpenAI's is https://api.openai.com/v1"},
		"no scheme":          {"api.deepseek.com/v1", "m", secret, "the base URL must begin with http:// or https:// and a host, for example https://api.openai.com/v1"},
		"other scheme":       {"ws://127.0.0.1:3001", "m", secret, "the base URL must begin with http:// or https:// and a host, for example https://api.openai.com/v1"},
		"no host":            {"https:///v1", "m", secret, "the base URL must begin with http:// or https:// and a host, for example https://api.openai.com/v1"},
		"bad port":           {"https://api.deepseek.com:v1", "m", secret, "the base URL cannot be parsed"},
		"key for URL":        {secret, "m", secret, "the base URL must begin with http:// or https:// and a host, for example https://api.openai.com/v1"},
		"password":           {"https://me:" + secret + "@api.deepseek.com/v1", "m", secret, "the base URL contains a user name or a password"},
		"query":              {"https://api.deepseek.com/v1?key=" + secret, "m", secret, "the base URL contains a query or a fragment"},
		"whole path":         {"https://api.deepseek.com/v1/chat/completions/", "m", secret, "the base URL must not contain /chat/completions"},
		"path for audio":     {"https://api.deepseek.com/v1/audio/speech", "m", secret, "the base URL must not contain /audio/speech"},
		"no name":            {"https://api.deepseek.com/v1", "", secret, "the model's name is empty"},
		"no key":             {"https://api.deepseek.com/v1", "m", "", "the API key for api.deepseek.com is empty"},
		"key with line":      {"https://api.deepseek.com/v1", "m", secret + "\n", "the API key contains a space, a line break or a character outside ASCII"},
		"key with full stop": {"https://api.deepseek.com/v1", "m", secret + "。", "the API key contains a space, a line break or a character outside ASCII"},
		"no key, public IP":  {"http://8.8.8.8/v1", "m", "", "the API key for 8.8.8.8 is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := models.OpenAI(tc.url, tc.model, tc.key, models.OpenAIOptions{})
			require.EqualError(t, err, "models: OpenAI: "+tc.want)
			_, err = models.OpenAIEmbedder(tc.url, tc.model, tc.key, models.OpenAIOptions{})
			require.EqualError(t, err, "models: OpenAIEmbedder: "+tc.want)
			_, err = models.OpenAITranscriber(tc.url, tc.model, tc.key, models.OpenAIOptions{})
			require.EqualError(t, err, "models: OpenAITranscriber: "+tc.want)
			_, err = models.OpenAISpeech(tc.url, tc.model, tc.key, "alloy", models.OpenAIOptions{})
			require.EqualError(t, err, "models: OpenAISpeech: "+tc.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
	for _, url := range []string{models.OllamaURL, "http://localhost:8000/v1", "http://[::1]/v1", "http://192.168.1.2:8080", "http://ollama:11434/v1", "https://gpu.lan/v1/"} {
		_, err := models.OpenAI(url, "m", "", models.OpenAIOptions{})
		require.NoError(t, err, url)
	}
}

// TestOpenAI_Environment: the variables that langchaingo reads have no effect.
func TestOpenAI_Environment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORGANIZATION"} {
		t.Setenv(name, "http://wrong.invalid")
	}
	var paths []string
	var keys []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		keys = append(keys, r.Header.Get("Authorization"))
		assert.Empty(t, r.Header.Get("OpenAI-Organization"))
		var in struct{ Model string }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		assert.Equal(t, "qwen-plus", in.Model)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"在的"},"finish_reason":"stop"}],"data":[{"index":0,"embedding":[1,2]}]}`)
	}))
	defer api.Close()
	for _, key := range []string{"sk-test", ""} {
		m, err := models.OpenAI(api.URL+"/v1/", "qwen-plus", key, models.OpenAIOptions{})
		require.NoError(t, err)
		text, err := asked(t.Context(), m)
		require.NoError(t, err)
		assert.Equal(t, "在的", text)
	}
	e, err := models.OpenAIEmbedder(api.URL+"/v1", "qwen-plus", "", models.OpenAIOptions{})
	require.NoError(t, err)
	vector, err := e.EmbedQuery(t.Context(), "在吗")
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2}, vector)
	assert.Equal(t, []string{"/v1/chat/completions", "/v1/chat/completions", "/v1/embeddings"}, paths)
	assert.Equal(t, []string{"Bearer sk-test", "", ""}, keys)
}

// TestOpenAI_ToolCalls: interleaved parts of two tool calls are joined, and thoughts are separated from the text.
func TestOpenAI_ToolCalls(t *testing.T) {
	part := func(index int, rest string) string {
		i, _ := json.Marshal(index)
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":` + string(i) + `,` + rest + `}]}}]}` + "\n\n"
	}
	url := serve(t, 200, sse, `data: {"choices":[{"index":0,"delta":{"content":"<think>查一下</think>等等"}}]}`+"\n\n"+
		part(0, `"id":"a","type":"function","function":{"name":"weather","arguments":""}`)+
		part(1, `"id":"b","type":"function","function":{"name":"clock","arguments":""}`)+
		part(0, `"function":{"arguments":"{\"city\":"}`)+
		part(1, `"function":{"arguments":""}`)+
		part(0, `"function":{"arguments":"\"杭州\"}"}`)+
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
	var streamed string
	resp, err := openAIAt(t, url).GenerateContent(t.Context(), prompt("在吗"), llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "weather"}}}),
		llms.WithStreamingFunc(func(_ context.Context, text []byte) error { streamed += string(text); return nil }))
	require.NoError(t, err)
	require.Len(t, resp.Choices, 1)
	c := resp.Choices[0]
	assert.Equal(t, "等等", c.Content)
	assert.Equal(t, "查一下", c.ReasoningContent)
	assert.Equal(t, "等等", streamed)
	require.Len(t, c.ToolCalls, 2)
	assert.Equal(t, llms.FunctionCall{Name: "weather", Arguments: `{"city":"杭州"}`}, *c.ToolCalls[0].FunctionCall)
	assert.Equal(t, llms.FunctionCall{Name: "clock", Arguments: "{}"}, *c.ToolCalls[1].FunctionCall)
}

// TestOpenAI_Errors: failures that langchaingo's client returns as answers, or without their cause, become clear errors. A chain
// classifies them alike and does not repeat the text.
func TestOpenAI_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		header http.Header
		body   string
		option llms.CallOption
		want   models.Failure
		text   string
	}{
		"wrong key":          {status: 401, header: jsonish, body: `{"error":{"message":"Incorrect API key provided: sk-0123456789abcdef"}}`, want: models.Failure{Kind: models.Unauthorized, Status: 401}, text: "not authorized (401): API returned unexpected status code: 401: Incorrect API key provided: …"},
		"rate limit":         {status: 429, header: http.Header{"Retry-After": {"7"}}, body: `{"error":{"message":"slow down"}}`, want: models.Failure{Kind: models.RateLimit, Status: 429, RetryAfter: 7 * time.Second}, text: "rate limited (429), again in 7s: API returned unexpected status code: 429: slow down"},
		"error in stream":    {status: 200, header: sse, option: stream, body: `data: {"error":{"message":"upstream","code":502}}` + "\n\n", want: models.Failure{Kind: models.Overloaded, Status: 502}, text: "overloaded (502): error reading streaming response: error in the stream: upstream"},
		"stream cut":         {status: 200, header: sse, option: stream, body: `data: {"choices":[{"index":0,"delta":{"content":"在"}}]}` + "\n\n", want: models.Failure{Kind: models.BadResponse}, text: "broken off: error reading streaming response: unexpected EOF"},
		"empty stream":       {status: 200, header: sse, option: stream, want: models.Failure{Kind: models.EmptyAnswer}, text: "empty answer: the answer is empty and has no finish reason"},
		"no stream":          {status: 200, header: jsonish, option: stream, body: `{"choices":[{"message":{"content":"在"},"finish_reason":"stop"}]}`, want: models.Failure{Kind: models.EmptyAnswer}, text: `empty answer: the service ignores "stream": true and sends its answer as a whole, where a stream is needed`},
		"error for a stream": {status: 200, header: jsonish, option: stream, body: `{"error":{"message":"upstream"}}`, want: models.Failure{Kind: models.EmptyAnswer}, text: "empty answer: an error with status 200: upstream"},
		"filtered":           {status: 200, header: jsonish, body: `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, want: models.Failure{Kind: models.ContentFiltered}, text: "content filtered: the provider filtered the whole answer"},
		"connection closed":  {header: jsonish, want: models.Failure{Kind: models.Network}, text: "network error: HOST did not answer: EOF"},
		"body cut":           {header: jsonish, body: `{"choices":[`, want: models.Failure{Kind: models.BadResponse}, text: "broken off: HOST was reached, but its answer broke off: unexpected EOF"},
		"nobody listens":     {status: -1, want: models.Failure{Kind: models.Network}, text: "network error: cannot reach HOST: dial tcp HOST: connect: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			var options []llms.CallOption
			if tc.option != nil {
				options = append(options, tc.option)
			}
			url := closedURL(t)
			if tc.status >= 0 {
				url = serve(t, tc.status, tc.header, tc.body)
			}
			m := openAIAt(t, url)
			tc.text = strings.ReplaceAll(tc.text, "HOST", strings.TrimPrefix(url, "http://"))
			_, err := m.GenerateContent(t.Context(), prompt("在吗"), options...)
			var failed *models.CallError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, tc.want, failed.Failure)
			assert.Equal(t, "m: "+tc.text, err.Error())

			if tc.status < 0 { // the server is on this machine, so it may be starting
				tc.text = strings.Replace(tc.text, "network error", "loading", 1)
			}
			_, err = chain(t, models.ChainOptions{Retries: -1}, m).GenerateContent(t.Context(), prompt("在吗"), options...)
			require.EqualError(t, err, "models: no model answered; a: "+tc.text)
		})
	}
}

// closedURL returns a URL at which nobody listens. It is the local address of a connection of the test, so no other program can
// listen there.
func closedURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	held, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { held.Close() })
	return "http://" + held.LocalAddr().String()
}

// TestOpenAI_Canceled: a canceled stream is an error, and so is a failing streaming function.
func TestOpenAI_Canceled(t *testing.T) {
	m := modeltest.Always(modeltest.Hang("在"))
	api := httptest.NewServer(m.Handler())
	defer api.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := openAIAt(t, api.URL).GenerateContent(ctx, prompt("在吗"), llms.WithStreamingFunc(func(context.Context, []byte) error {
		cancel()
		return nil
	}))
	require.ErrorIs(t, err, context.Canceled)

	boom := errors.New("boom")
	_, err = openAIAt(t, api.URL).GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingFunc(func(context.Context, []byte) error { return boom }))
	assert.Equal(t, boom, err)

	_, err = openAIAt(t, api.URL).GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingReasoningFunc(func(_ context.Context, _, _ []byte) error { return boom }))
	assert.Equal(t, boom, err)
}

// TestOpenAI_EmptyAnswerIsMetered: Meter reports the provider's token counts of an empty answer.
func TestOpenAI_EmptyAnswerIsMetered(t *testing.T) {
	url := serve(t, 200, jsonish, `{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`)
	var got models.Usage
	m := models.Meter(openAIAt(t, url), func(_ context.Context, u models.Usage) { got = u })
	_, err := m.GenerateContent(t.Context(), prompt("在吗"))
	require.ErrorContains(t, err, "reasoning used all of its tokens")
	assert.Equal(t, models.Usage{Calls: 1, Failed: 1, Prompt: 100, Completion: 20}, got)
}
