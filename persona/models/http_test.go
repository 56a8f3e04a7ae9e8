package models_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// clients are the real ones of langchaingo.
var clients = map[string]func(t *testing.T, url string, web *http.Client) llms.Model{
	"openai":    openAI,
	"anthropic": anthropicAt,
	"ollama":    ollamaAt,
}

func openAI(t *testing.T, url string, web *http.Client) llms.Model {
	t.Helper()
	m, err := openai.New(openai.WithBaseURL(url), openai.WithToken("sk-test"), openai.WithModel("m"), openai.WithHTTPClient(web))
	require.NoError(t, err)
	return m
}

func anthropicAt(t *testing.T, url string, web *http.Client) llms.Model {
	t.Helper()
	m, err := anthropic.New(anthropic.WithBaseURL(url), anthropic.WithToken("k"), anthropic.WithModel("m"), anthropic.WithHTTPClient(web))
	require.NoError(t, err)
	return m
}

func ollamaAt(t *testing.T, url string, web *http.Client) llms.Model {
	t.Helper()
	m, err := ollama.New(ollama.WithServerURL(url), ollama.WithModel("m"), ollama.WithHTTPClient(web))
	require.NoError(t, err)
	return m
}

// serve answers every request. With status 0 it closes the connection after the body.
func serve(t *testing.T, status int, header http.Header, body string) string {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for k, v := range header {
			w.Header()[k] = v
		}
		if status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
		if body != "" {
			_, _ = io.WriteString(w, body)
			_ = http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	}))
	api.Config.ErrorLog = nil
	t.Cleanup(api.Close)
	return api.URL
}

// fresh returns a client that keeps no connections alive.
func fresh(mended bool) *http.Client {
	base := &http.Transport{DisableKeepAlives: true}
	if mended {
		return &http.Client{Transport: &models.Transport{Base: base}}
	}
	return &http.Client{Transport: base}
}

var (
	stream  = llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	sse     = http.Header{"Content-Type": {"text/event-stream"}}
	ndjson  = http.Header{"Content-Type": {"application/x-ndjson"}}
	jsonish = http.Header{"Content-Type": {"application/json"}}
)

// failureOf returns the failure of m as a chain classifies it.
func failureOf(t *testing.T, m llms.Model, options ...llms.CallOption) models.Failure {
	t.Helper()
	resp, err := chain(t, models.ChainOptions{Retries: -1}, m).GenerateContent(t.Context(), prompt("在吗"), options...)
	if !assert.Error(t, err, "%v", resp) {
		return models.Failure{}
	}
	var failed *models.ChainError
	require.ErrorAs(t, err, &failed)
	return failed.Calls[0].Failure
}

// TestClassify_RealClients classifies the failures of langchaingo's clients, with and without a Transport.
func TestClassify_RealClients(t *testing.T) {
	type want struct{ bare, mended models.Failure }
	same := func(k models.FailureKind, status int) want {
		return want{bare: models.Failure{Kind: k, Status: status}, mended: models.Failure{Kind: k, Status: status}}
	}
	asOpenAI := `{"error":{"message":"%s","type":"t","code":null}}`
	asOllama := `{"error":"%s"}`
	for name, tc := range map[string]struct {
		client string
		status int
		header http.Header
		format string
		text   string
		option llms.CallOption
		want   want
	}{
		"openai 401":             {client: "openai", status: 401, format: asOpenAI, text: "Incorrect API key provided: sk-te*t", want: same(models.Unauthorized, 401)},
		"openai 429":             {client: "openai", status: 429, format: asOpenAI, text: "Rate limit reached for m in organization org-1. Limit: 3 / min.", want: same(models.RateLimit, 429)},
		"openai 429, text":       {client: "openai", status: 429, format: asOpenAI, text: "Please try again in 1.5s.", want: want{bare: models.Failure{Kind: models.RateLimit, Status: 429, RetryAfter: 1500 * time.Millisecond}, mended: models.Failure{Kind: models.RateLimit, Status: 429, RetryAfter: 1500 * time.Millisecond}}},
		"openai 429, header":     {client: "openai", status: 429, header: http.Header{"Retry-After": {"7"}}, format: asOpenAI, text: "slow down", want: want{bare: models.Failure{Kind: models.RateLimit, Status: 429}, mended: models.Failure{Kind: models.RateLimit, Status: 429, RetryAfter: 7 * time.Second}}},
		"openai quota":           {client: "openai", status: 429, format: asOpenAI, text: "You exceeded your current quota, please check your plan and billing details.", want: same(models.QuotaExceeded, 429)},
		"openai 400":             {client: "openai", status: 400, format: asOpenAI, text: "Invalid value: 'tool'", want: same(models.InvalidRequest, 400)},
		"openai context":         {client: "openai", status: 400, format: asOpenAI, text: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140429 tokens.", want: same(models.PromptTooLong, 400)},
		"azure filter":           {client: "openai", status: 400, format: asOpenAI, text: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", want: same(models.ContentFiltered, 400)},
		"deepseek filter":        {client: "openai", status: 400, format: asOpenAI, text: "Content Exists Risk", want: same(models.ContentFiltered, 400)},
		"deepseek balance":       {client: "openai", status: 402, format: asOpenAI, text: "Insufficient Balance", want: same(models.QuotaExceeded, 402)},
		"openai 404":             {client: "openai", status: 404, format: asOpenAI, text: "The model `m` does not exist", want: same(models.NotFound, 404)},
		"openai 500":             {client: "openai", status: 500, format: asOpenAI, text: "The server had an error", want: same(models.Overloaded, 500)},
		"gateway, HTML":          {client: "openai", status: 502, format: "%s", text: "<html>Bad Gateway</html>", want: same(models.Overloaded, 502)},
		"openai cut":             {client: "openai", format: "%s", text: `{"choices":[{"mess`, want: same(models.BadResponse, 0)},
		"openai gone":            {client: "openai", format: "%s", want: same(models.Network, 0)},
		"openai wrong JSON":      {client: "openai", status: 200, header: jsonish, format: "%s", text: "<html>", want: want{bare: models.Failure{Kind: models.BadResponse}, mended: models.Failure{Kind: models.WebPage, Status: 200}}},
		"openai no choices":      {client: "openai", status: 200, header: jsonish, format: "%s", text: `{"choices":[]}`, want: same(models.EmptyAnswer, 0)},
		"error with status 200":  {client: "openai", status: 200, header: jsonish, format: asOpenAI, text: "provider went away", want: same(models.EmptyAnswer, 0)},
		"openai stream, nothing": {client: "openai", status: 200, header: sse, option: stream, format: "%s", want: same(models.EmptyAnswer, 0)},
		"openai stream, error":   {client: "openai", status: 200, header: sse, option: stream, format: "data: " + `{"error":{"message":"%s","code":502}}` + "\n\n", text: "upstream", want: want{bare: models.Failure{Kind: models.EmptyAnswer}, mended: models.Failure{Kind: models.Overloaded, Status: 502}}},
		"anthropic 401":          {client: "anthropic", status: 401, format: `{"type":"error","error":{"type":"authentication_error","message":"%s"}}`, text: "invalid x-api-key", want: same(models.Unauthorized, 401)},
		"anthropic 529":          {client: "anthropic", status: 529, format: `{"type":"error","error":{"type":"overloaded_error","message":"%s"}}`, text: "Overloaded", want: same(models.Overloaded, 529)},
		"anthropic 429":          {client: "anthropic", status: 429, header: http.Header{"Retry-After": {"3"}}, format: `{"type":"error","error":{"type":"rate_limit_error","message":"%s"}}`, text: "tokens per minute", want: want{bare: models.Failure{Kind: models.RateLimit, Status: 429}, mended: models.Failure{Kind: models.RateLimit, Status: 429, RetryAfter: 3 * time.Second}}},
		"anthropic context":      {client: "anthropic", status: 400, format: `{"error":{"type":"invalid_request_error","message":"%s"}}`, text: "prompt is too long: 210000 tokens > 200000 maximum", want: same(models.PromptTooLong, 400)},
		"anthropic credit":       {client: "anthropic", status: 400, format: `{"error":{"type":"invalid_request_error","message":"%s"}}`, text: "Your credit balance is too low to access the API.", want: same(models.QuotaExceeded, 400)},
		"anthropic gone":         {client: "anthropic", format: "%s", want: same(models.Network, 0)},
		"anthropic no content":   {client: "anthropic", status: 200, header: jsonish, format: "%s", text: `{"content":[],"usage":{}}`, want: same(models.EmptyAnswer, 0)},
		"anthropic stream error": {client: "anthropic", status: 200, header: sse, option: stream, format: "event: error\ndata: " + `{"type":"error","error":{"type":"overloaded_error","message":"%s"}}` + "\n\n", text: "Overloaded", want: want{bare: models.Failure{Kind: models.Overloaded}, mended: models.Failure{Kind: models.Overloaded, Status: 529}}},
		"anthropic stream cut":   {client: "anthropic", status: 200, header: sse, option: stream, format: "data: %s\n\n", text: `{"type":"message_start","message":{"usage":{"input_tokens":1}}}`, want: want{bare: models.Failure{Kind: models.EmptyAnswer}, mended: models.Failure{Kind: models.BadResponse}}},
		"ollama 404":             {client: "ollama", status: 404, format: asOllama, text: "model 'm' not found", want: want{bare: models.Failure{Kind: models.NotFound}, mended: models.Failure{Kind: models.NotFound, Status: 404}}},
		"ollama 500":             {client: "ollama", status: 500, format: asOllama, text: "llama runner process has terminated", want: want{bare: models.Failure{Kind: models.Unknown}, mended: models.Failure{Kind: models.Overloaded, Status: 500}}},
		"ollama 503":             {client: "ollama", status: 503, format: `{"message":"%s"}`, text: "busy", want: same(models.Overloaded, 503)},
		"ollama gone":            {client: "ollama", format: "%s", want: same(models.Network, 0)},
		"ollama wrong JSON":      {client: "ollama", status: 200, format: "%s", text: "<html>", want: want{bare: models.Failure{Kind: models.BadResponse}, mended: models.Failure{Kind: models.WebPage, Status: 200}}},
		"ollama cut":             {client: "ollama", header: ndjson, option: stream, format: "%s\n", text: `{"message":{"content":""},"done":false}`, want: same(models.EmptyAnswer, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			var options []llms.CallOption
			if tc.option != nil {
				options = append(options, tc.option)
			}
			url := serve(t, tc.status, tc.header, strings.Replace(tc.format, "%s", tc.text, 1))
			assert.Equal(t, tc.want.bare, failureOf(t, clients[tc.client](t, url, fresh(false)), options...), "bare")
			assert.Equal(t, tc.want.mended, failureOf(t, clients[tc.client](t, url, fresh(true)), options...), "mended")
		})
	}
}

func TestClassify_UnreachableServer(t *testing.T) {
	url := closedURL(t)
	for name, client := range clients {
		assert.Equal(t, models.Failure{Kind: models.Loading}, failureOf(t, client(t, url, fresh(true))), "%s: it is on this machine, so it may be starting", name)
		assert.Equal(t, models.Failure{Kind: models.Network}, failureOf(t, client(t, url, fresh(false))), name)
	}
}

// TestChain_RealClientWithRetryAfter runs a real client and a real server over pipes, in fake time.
func TestChain_RealClientWithRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.New(modeltest.RateLimited(7*time.Second), modeltest.Hang("半"), modeltest.HTTPError(500, "oops"), modeltest.Say("好"))
		m := openAI(t, "http://model.test/v1", overPipes(t, script.Handler()))
		c := chainOf(t, models.ChainOptions{Timeout: 10 * time.Second}, models.Candidate{Name: "first", Model: m}, models.Candidate{Name: "second", Model: m})
		begin := time.Now()
		text, err := asked(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, "好", text)
		waited := time.Since(begin) - 17*time.Second // 7 s of Retry-After, 10 s of timeout, then a backoff
		assert.True(t, waited >= 500*time.Millisecond && waited <= time.Second, "%v", waited)
		require.NoError(t, script.Err())
		assert.Zero(t, script.Remaining())
		require.NoError(t, c.Wait(t.Context()))
	})
}

// TestChain_CanceledStream: langchaingo's OpenAI client sometimes returns the streamed part without an error.
func TestChain_CanceledStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			m := openAI(t, "http://model.test/v1", overPipes(t, modeltest.Always(modeltest.Hang("半句")).Handler()))
			c := chain(t, models.ChainOptions{Timeout: time.Second}, m, modeltest.Always(modeltest.Say("别的")))
			heard := ""
			_, err := asked(t.Context(), c, llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil }))
			require.EqualError(t, err, "models: no model answered; a: timed out: no answer within 1s")
			require.NotErrorIs(t, err, context.DeadlineExceeded, "it is not the caller's time that is up")
			assert.Equal(t, "半句", heard)
			require.NoError(t, c.Wait(t.Context()))
		}
	})
}

// overPipes returns an HTTP client that is connected to the handler in memory.
func overPipes(t *testing.T, h http.Handler) *http.Client {
	t.Helper()
	l := pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		_ = server.Serve(l)
		close(ended)
	}()
	base := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		l.conns <- far
		return near, nil
	}}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		_ = server.Close()
		<-ended
	})
	return &http.Client{Transport: &models.Transport{Base: base}}
}

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.IPAddr{} }
