package models_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// chain returns a chain of models named a, b, c, …
func chain(t *testing.T, opts models.ChainOptions, list ...llms.Model) *models.Chain {
	t.Helper()
	var links []models.Candidate
	for i, m := range list {
		links = append(links, models.Candidate{Name: string(rune('a' + i)), Model: m})
	}
	return chainOf(t, opts, links...)
}

func chainOf(t *testing.T, opts models.ChainOptions, links ...models.Candidate) *models.Chain {
	t.Helper()
	if opts.Seed == 0 {
		opts.Seed = 1
	}
	c, err := models.NewChain(links, opts)
	require.NoError(t, err)
	return c
}

// asked calls m and returns the text.
func asked(ctx context.Context, m llms.Model, options ...llms.CallOption) (string, error) {
	resp, err := m.GenerateContent(ctx, prompt("在吗"), options...)
	if err != nil {
		return "", err
	}
	return resp.Choices[0].Content, nil
}

func kindsOf(t *testing.T, err error) string {
	t.Helper()
	var failed *models.ChainError
	require.ErrorAs(t, err, &failed)
	var kinds []string
	for _, c := range failed.Calls {
		kinds = append(kinds, c.Model+" "+c.Kind.String())
	}
	return strings.Join(kinds, ", ")
}

func TestNewChain_RejectsBadArguments(t *testing.T) {
	for want, links := range map[string][]models.Candidate{
		"models: chain: no models":                          nil,
		"models: chain: model 2 is nil":                     {{Model: modeltest.New()}, {}},
		"models: chain: x: MaxConcurrent of -1 is negative": {{Name: "x", Model: modeltest.New(), MaxConcurrent: -1}},
	} {
		_, err := models.NewChain(links, models.ChainOptions{})
		assert.EqualError(t, err, want)
	}
	c, err := models.NewChain([]models.Candidate{{Model: modeltest.New()}}, models.ChainOptions{})
	require.NoError(t, err)
	assert.NotZero(t, c.Seed())
}

// TestChain_RetriesAndFallsBack checks the number of calls and the fallback after each kind of failure.
func TestChain_RetriesAndFallsBack(t *testing.T) {
	status := modeltest.HTTPError
	for name, tc := range map[string]struct {
		step modeltest.Step
		kind models.FailureKind
		asks int
		last bool // no fallback
	}{
		"429":              {status(429, ""), models.RateLimit, 3, false},
		"429, long":        {modeltest.RateLimited(time.Minute), models.RateLimit, 1, false},
		"500":              {status(500, "oops"), models.Overloaded, 3, false},
		"529":              {status(529, ""), models.Overloaded, 3, false},
		"408":              {status(408, ""), models.Overloaded, 3, false},
		"quota":            {status(429, "You exceeded your current quota"), models.QuotaExceeded, 1, false},
		"402":              {status(402, "Insufficient Balance"), models.QuotaExceeded, 1, false},
		"401":              {status(401, "no such key"), models.Unauthorized, 1, false},
		"403":              {status(403, ""), models.Unauthorized, 1, false},
		"404":              {status(404, ""), models.NotFound, 1, false},
		"400":              {status(400, "no pictures, please"), models.InvalidRequest, 1, false},
		"400, length":      {status(400, "This model's maximum context length is 8192 tokens"), models.PromptTooLong, 1, false},
		"400, filter":      {status(400, "Content Exists Risk"), models.ContentFiltered, 1, true},
		"connection":       {modeltest.Fail(errors.New("network error: failed to reach API server")), models.Network, 3, false},
		"broken":           {modeltest.CutStream(""), models.BadResponse, 1, false},
		"slow":             {modeltest.Hang(""), models.Timeout, 1, false},
		"unknown":          {modeltest.Fail(errors.New("boom")), models.Unknown, 1, false},
		"panic":            {modeltest.Step{Panic: "oh"}, models.Panicked, 1, false},
		"nil":              {modeltest.Raw(nil, nil), models.EmptyAnswer, 1, false},
		"no choice":        {modeltest.Raw(&llms.ContentResponse{}, nil), models.EmptyAnswer, 1, false},
		"nil choice":       {modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil), models.EmptyAnswer, 1, false},
		"no word":          {raw("", ""), models.EmptyAnswer, 1, false},
		"all thought":      {raw("", "length"), models.EmptyAnswer, 1, false},
		"filtered midway":  {raw("", "content_filter"), models.ContentFiltered, 1, true},
		"no more machines": {raw("", "insufficient_system_resource"), models.Overloaded, 3, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			bad, good := modeltest.Always(tc.step), modeltest.Always(modeltest.Say("好"))
			text, err := asked(t.Context(), chain(t, models.ChainOptions{}, bad, good))
			if tc.last {
				assert.Equal(t, "a "+tc.kind.String(), kindsOf(t, err), name)
			} else {
				require.NoError(t, err, name)
				assert.Equal(t, "好", text, name)
			}
			assert.Len(t, bad.Prompts(), tc.asks, name)

			_, err = asked(t.Context(), chain(t, models.ChainOptions{NoFallback: []models.FailureKind{}, Retries: -1}, bad, bad))
			assert.Equal(t, "a "+tc.kind.String()+", b "+tc.kind.String(), kindsOf(t, err), name)
		})
	}
}

func raw(text, reason string) modeltest.Step {
	return modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: reason}}}, nil)
}

func TestChain_EmptyAnswerWithFinishReason(t *testing.T) {
	for name, step := range map[string]modeltest.Step{
		"stop":             raw("", "stop"),
		"counted (Ollama)": modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{GenerationInfo: map[string]any{"CompletionTokens": 1}}}}, nil),
		"no reason":        raw("嗯", ""),
		"a call":           modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {ToolCalls: []llms.ToolCall{{ID: "1"}}}}}, nil),
		"an old call":      modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{FuncCall: &llms.FunctionCall{Name: "a"}}}}, nil),
	} {
		_, err := chain(t, models.ChainOptions{}, modeltest.New(step)).GenerateContent(t.Context(), prompt("在吗"))
		assert.NoError(t, err, name)
	}
}

func TestChain_Backoff(t *testing.T) {
	waits := func(seed uint64, steps ...modeltest.Step) (waits []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			last := time.Now()
			m := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
				waits = append(waits, time.Since(last))
				last = time.Now()
				return steps[min(len(waits), len(steps))-1]
			})
			_, err := asked(t.Context(), chain(t, models.ChainOptions{Seed: seed, Retries: 4}, m))
			require.Error(t, err)
		})
		return waits[1:]
	}
	got := waits(1, modeltest.HTTPError(503, ""))
	require.Len(t, got, 4)
	for i, w := range got {
		full := time.Second << i
		assert.True(t, w >= full/2 && w <= full, "%d: %v", i, w)
	}
	assert.Equal(t, got, waits(1, modeltest.HTTPError(503, "")), "same seed, same waits")
	assert.NotEqual(t, got, waits(2, modeltest.HTTPError(503, "")))
	assert.Equal(t, []time.Duration{9 * time.Second, 9 * time.Second, 9 * time.Second, 9 * time.Second}, waits(1, modeltest.RateLimited(9*time.Second)))
	assert.Equal(t, []time.Duration{13 * time.Second}, waits(1, modeltest.Fail(errors.New("API returned unexpected status code: 429: Please try again in 13s.")), modeltest.HTTPError(400, "")))
}

func TestChain_NoDelayBeyondDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		text, err := asked(ctx, chain(t, models.ChainOptions{}, modeltest.Always(modeltest.RateLimited(10*time.Second)), modeltest.New(modeltest.Say("好"))))
		require.NoError(t, err)
		assert.Equal(t, "好", text, "the next one has the time")
		assert.Zero(t, time.Since(begin))
	})
}

func TestChain_NoRetryAfterStreaming(t *testing.T) {
	for name, tc := range map[string]struct {
		step modeltest.Step
		asks int
	}{
		"broken":                 {modeltest.CutStream("半句"), 1},
		"hangs":                  {modeltest.Hang("半句"), 1},
		"refused after a chunk":  {modeltest.Step{Text: "半", Err: &modeltest.StatusError{Code: 500}}, 1},
		"empty chunks":           {modeltest.Step{Chunks: []string{"", ""}, Err: &modeltest.StatusError{Code: 500}}, 4},
		"broken before the text": {modeltest.CutStream(""), 2},
	} {
		for _, both := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				m := modeltest.Always(tc.step)
				heard := ""
				option := llms.WithStreamingFunc(func(_ context.Context, b []byte) error { heard += string(b); return nil })
				if both {
					m = modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
						if tc.step.Text != "" {
							_ = p.Options.StreamingReasoningFunc(ctx, []byte("半句"), nil)
						}
						return tc.step
					})
					option = llms.WithStreamingReasoningFunc(func(_ context.Context, b, _ []byte) error { heard += string(b); return nil })
				}
				_, err := asked(t.Context(), chain(t, models.ChainOptions{}, m, modeltest.Always(modeltest.CutStream(""))), option)
				require.Error(t, err, name)
				total := len(m.Prompts())
				if tc.asks == 4 {
					total++
					assert.Contains(t, kindsOf(t, err), "b broken off", name)
				}
				if tc.asks == 2 {
					total++
				}
				assert.Equal(t, tc.asks, total, name)
			})
		}
	}
}

func TestChain_NoRetryAfterTool(t *testing.T) {
	result := append(prompt("天气"), llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{Content: "雨"}}})
	asksOf := func(ctx context.Context, o models.ChainOptions, messages []llms.MessageContent, step modeltest.Step) (n int) {
		synctest.Test(t, func(t *testing.T) {
			m := modeltest.Always(step)
			_, err := chain(t, o, m, m).GenerateContent(ctx, messages)
			require.Error(t, err)
			n = len(m.Prompts())
		})
		return n
	}
	fail := modeltest.HTTPError(503, "")
	bare := context.Background()
	assert.Equal(t, 6, asksOf(bare, models.ChainOptions{}, prompt("天气"), fail))
	assert.Equal(t, 1, asksOf(bare, models.ChainOptions{}, result, fail))
	assert.Equal(t, 6, asksOf(bare, models.ChainOptions{RetryAfterTools: true}, result, fail))
	assert.Equal(t, 1, asksOf(models.WithoutRetry(bare), models.ChainOptions{RetryAfterTools: true}, result, fail))
	assert.Equal(t, 1, asksOf(models.WithoutRetry(bare), models.ChainOptions{}, prompt("天气"), fail))
	assert.Equal(t, 6, asksOf(bare, models.ChainOptions{}, append(result, prompt("还有呢")...), fail), "another turn")
	assert.Equal(t, 6, asksOf(bare, models.ChainOptions{}, nil, fail))
	shaped := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: result[1].Parts}}
	assert.Equal(t, 1, asksOf(bare, models.ChainOptions{}, shaped, fail), "whatever its role says")

	// A model that was not called does not count.
	dead, good := modeltest.Always(modeltest.HTTPError(401, "")), modeltest.Always(modeltest.Say("雨"))
	c := chain(t, models.ChainOptions{}, dead, good)
	for range 2 {
		_, err := asked(t.Context(), c)
		require.NoError(t, err)
	}
	_, err := c.GenerateContent(models.WithoutRetry(t.Context()), result)
	require.NoError(t, err)
	assert.Len(t, dead.Prompts(), 1, "its breaker is open")
}

func TestChain_Breakers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		m := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			if down {
				return modeltest.HTTPError(500, "")
			}
			return modeltest.Say("好").After(time.Second)
		})
		c := chain(t, models.ChainOptions{}, m)
		_, err := asked(t.Context(), c)
		assert.Equal(t, "a overloaded, a overloaded, a overloaded", kindsOf(t, err))
		_, err = asked(t.Context(), c)
		assert.Equal(t, "a overloaded, a overloaded", kindsOf(t, err), "the fifth in a row opens it")
		_, err = asked(t.Context(), c)
		assert.Equal(t, "a breaker open", kindsOf(t, err))
		assert.Equal(t, models.Open, c.Stats()[0].State)
		assert.Equal(t, 1, c.Stats()[0].Rejected)

		down = false
		time.Sleep(6 * time.Second)
		before := len(m.Prompts())
		probe := make(chan error)
		go func() { _, err := asked(t.Context(), c); probe <- err }()
		synctest.Wait()
		_, err = asked(t.Context(), c)
		assert.Equal(t, "a breaker open", kindsOf(t, err), "one probe at a time")
		require.NoError(t, <-probe)
		assert.Len(t, m.Prompts(), before+1)
		assert.Equal(t, models.Closed, c.Stats()[0].State)
	})
}

func TestChain_LongRetryAfterOpensBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.New(modeltest.RateLimited(2*time.Minute), modeltest.Say("好"))
		c := chain(t, models.ChainOptions{}, m)
		_, err := asked(t.Context(), c)
		assert.Equal(t, "a rate limited", kindsOf(t, err))
		assert.EqualError(t, err, "models: no model answered; a: rate limited (429), again in 2m0s: API returned unexpected status code: 429: Rate limit reached")
		time.Sleep(2*time.Minute - 1)
		_, err = asked(t.Context(), c)
		assert.Equal(t, "a breaker open", kindsOf(t, err))
		time.Sleep(time.Nanosecond)
		_, err = asked(t.Context(), c)
		require.NoError(t, err)
		assert.Zero(t, m.Remaining())
	})
}

func TestChain_CanceledCallsDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chainOf(t, models.ChainOptions{}, models.Candidate{Model: modeltest.Always(modeltest.Hang("")), Breaker: models.Breaker{Failures: 1}})
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := asked(ctx, c)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
		}
		assert.Equal(t, models.Closed, c.Stats()[0].State)
		_, err := asked(t.Context(), c)
		assert.Equal(t, "model 1 timed out", kindsOf(t, err))
		assert.Equal(t, models.Open, c.Stats()[0].State)
	})
}

func TestChainError_Text(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New(`Post "https://bob:hunter2@api.example.com/v1?key=abc123&x=1": Bearer sk-abcdefghijklmnop1234`)
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		c := chain(t, models.ChainOptions{Logger: logger}, modeltest.Always(modeltest.HTTPError(500, "oops")), modeltest.Always(modeltest.Fail(boom)), modeltest.Always(modeltest.CutStream("")))
		_, err := asked(t.Context(), c)
		require.EqualError(t, err, `models: no model answered; a: overloaded (500): API returned unexpected status code: 500: oops (3 times); `+
			`b: unknown error: Post "https://…@api.example.com/v1?key=…&x=1": Bearer …; c: broken off: unexpected EOF`)
		require.ErrorIs(t, err, boom)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		var status *modeltest.StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, 5, strings.Count(log.String(), "models: call failed"))
		assert.NotContains(t, log.String(), "hunter2")
	})
}

func ExampleChain() {
	first := modeltest.New(modeltest.HTTPError(401, "Incorrect API key provided: sk-0123456789abcdef"), modeltest.Say("不会被问到"))
	second := modeltest.Always(modeltest.Say("在的，怎么了？"))
	spent := models.Usage{}
	model, err := models.NewChain([]models.Candidate{
		{Name: "deepseek", Model: models.Normalize(first)},
		{Name: "qwen", Model: models.Normalize(second)},
	}, models.ChainOptions{Timeout: 20 * time.Second})
	if err != nil {
		panic(err)
	}
	metered := models.Meter(model, func(_ context.Context, u models.Usage) { spent = spent.Add(u) })
	for range 2 {
		reply, err := llms.GenerateFromSinglePrompt(context.Background(), metered, "在吗")
		fmt.Println(reply, err)
	}
	for _, s := range model.Stats() {
		fmt.Printf("%s: %s, %d calls, %d failed, %d refused\n", s.Name, s.State, s.Usage.Calls, s.Usage.Failed, s.Rejected)
	}
	fmt.Println(spent.Calls, "calls,", spent.Total(), "tokens")
	// Output:
	// 在的，怎么了？ <nil>
	// 在的，怎么了？ <nil>
	// deepseek: open, 1 calls, 1 failed, 1 refused
	// qwen: closed, 2 calls, 0 failed, 0 refused
	// 3 calls, 26 tokens
}

// A breaker that opens logs the cause and the end. Errors of later calls have the cause, and the first call after the end tries
// the model.
func TestChain_BreakerTellsWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		status := 401
		m := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			if status == 0 {
				return modeltest.Say("好")
			}
			return modeltest.HTTPError(status, `{"error":{"message":"wrong key"}}`)
		})
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		c := chainOf(t, models.ChainOptions{Seed: 1, Logger: logger}, models.Candidate{Name: "a", Model: m})
		_, err := asked(t.Context(), c)
		require.Error(t, err)
		f, ok := models.Cause(err)
		require.True(t, ok)
		assert.Equal(t, models.Failure{Kind: models.Unauthorized, Status: 401}, f)
		assert.Contains(t, log.String(), `level=WARN msg="models: no calls of the model for now; the first call after that time tries it again" model=a until=`+time.Now().Add(71*time.Second).Format(time.TimeOnly))
		assert.Contains(t, log.String(), `why="a: not authorized (401)`)

		time.Sleep(50 * time.Second)
		_, err = asked(t.Context(), c)
		assert.Regexp(t, `^models: no model answered; a: breaker open, again in 2\d\.\d+s: the last failure was a: not authorized \(401\): `, err.Error())
		f, ok = models.Cause(err)
		require.True(t, ok)
		assert.Equal(t, models.Unauthorized, f.Kind)
		assert.InDelta(t, 16, f.RetryAfter.Seconds(), 6)
		assert.Len(t, m.Prompts(), 1)

		time.Sleep(time.Hour)
		status = 0
		_, err = asked(t.Context(), c)
		require.NoError(t, err)
		assert.Contains(t, log.String(), `level=INFO msg="models: the model answers again" model=a`)
		_, ok = models.Cause(errors.New("another"))
		assert.False(t, ok)
	})
}
