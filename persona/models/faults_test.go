package models_test

import (
	"bytes"
	"context"
	"log/slog"
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
)

// faults are failures of providers as a real server sends them. The bodies are from the providers' documentation and from reports
// of their users.
var faults = map[string]struct {
	step modeltest.Step
	kind models.FailureKind
	says string // in the error; "" for nothing in particular
	end  bool   // no fallback to another model
}{
	"429 with Retry-After": {modeltest.RateLimited(7 * time.Second), models.RateLimit, "again in 7s", false},
	"429":                  {modeltest.HTTPError(429, "Too many requests"), models.RateLimit, "", false},
	"500":                  {modeltest.HTTPError(500, "oops"), models.Overloaded, "500", false},
	"502 of a gateway":     {modeltest.ErrorBody(502, "<html>Bad Gateway</html>"), models.Overloaded, "502", false},
	"529":                  {modeltest.ErrorBody(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), models.Overloaded, "529", false},

	"401":             {modeltest.HTTPError(401, "Incorrect API key provided"), models.Unauthorized, "", false},
	"403":             {modeltest.HTTPError(403, "You have insufficient permissions for this operation."), models.Unauthorized, "", false},
	"region, OpenAI":  {modeltest.ErrorBody(403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}`), models.RegionBlocked, "", false},
	"region, by code": {modeltest.ErrorBody(403, `{"error":{"code":"unsupported_country_region_territory","message":"forbidden"}}`), models.RegionBlocked, "", false},
	"region, Gemini":  {modeltest.ErrorBody(400, `[{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}]`), models.InvalidRequest, "", false},
	"region, proxied": {modeltest.HTTPError(400, "User location is not supported for the API use."), models.RegionBlocked, "", false},

	"balance, DeepSeek":  {modeltest.ErrorBody(402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`), models.QuotaExceeded, "", false},
	"balance, OpenAI":    {modeltest.ErrorBody(429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`), models.QuotaExceeded, "", false},
	"balance, DashScope": {modeltest.ErrorBody(400, `{"error":{"code":"Arrearage","param":null,"message":"Access denied, please make sure your account is in good standing.","type":"Arrearage"},"id":"chatcmpl-1","request_id":"1"}`), models.QuotaExceeded, "", false},
	"balance, flat":      {modeltest.ErrorBody(400, `{"code":"Arrearage","message":"Access denied.","request_id":"1"}`), models.QuotaExceeded, "Arrearage: Access denied.", false},
	"balance, Zhipu":     {modeltest.ErrorBody(429, `{"error":{"code":"1113","message":"您的账户已欠费，请充值后重试。"}}`), models.QuotaExceeded, "", false},
	"balance, by code":   {modeltest.ErrorBody(429, `{"error":{"code":"1113","message":"please pay"}}`), models.QuotaExceeded, "", false},
	"balance, Kimi":      {modeltest.ErrorBody(403, `{"error":{"message":"Your account org-1 is not active, please check your plan and billing details","type":"exceeded_current_quota_error"}}`), models.QuotaExceeded, "", false},
	"suspended, Kimi":    {modeltest.ErrorBody(429, `{"error":{"message":"Your account org-1 is suspended due to insufficient balance, please recharge your account","type":"exceeded_current_quota_error"}}`), models.QuotaExceeded, "", false},

	"model, OpenAI":   {modeltest.ErrorBody(404, `{"error":{"message":"The model 'm' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`), models.NotFound, "", false},
	"model, DeepSeek": {modeltest.HTTPError(400, `The supported API model names are deepseek-flash, deepseek-v4-pro, but you passed m.`), models.NotFound, "", false},
	"model, Kimi":     {modeltest.ErrorBody(404, `{"error":{"message":"Not found the model m or Permission denied","type":"resource_not_found_error"}}`), models.NotFound, "", false},
	"model, vLLM":     {modeltest.ErrorBody(404, `{"object":"error","message":"The model m does not exist.","type":"NotFoundError","param":null,"code":404}`), models.NotFound, "The model m does not exist.", false},
	"model, Ollama":   {modeltest.ErrorBody(404, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`), models.NotFound, "try pulling it first", false},

	"length, OpenAI":    {modeltest.ErrorBody(400, `{"error":{"message":"too many tokens","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`), models.PromptTooLong, "", false},
	"length, DeepSeek":  {modeltest.HTTPError(400, "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens."), models.PromptTooLong, "", false},
	"length, DashScope": {modeltest.ErrorBody(400, `{"error":{"code":"invalid_parameter_error","param":null,"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]","type":"invalid_request_error"}}`), models.PromptTooLong, "", false},
	"length, Kimi":      {modeltest.ErrorBody(400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`), models.PromptTooLong, "", false},
	"length, Zhipu":     {modeltest.ErrorBody(400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`), models.PromptTooLong, "", false},
	"length, xAI":       {modeltest.ErrorBody(400, `{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 but the request contains 136973 tokens."}`), models.PromptTooLong, "136973", false},
	"length, vLLM":      {modeltest.ErrorBody(400, `{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).","type":"BadRequestError","param":null,"code":400}`), models.PromptTooLong, "122946", false},
	"length, llama.cpp": {modeltest.ErrorBody(400, `{"error":{"code":400,"message":"request (4476 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":4476,"n_ctx":4096}}`), models.PromptTooLong, "4476", false},
	"length, 500":       {modeltest.ErrorBody(500, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"server_error"}}`), models.PromptTooLong, "", false},
	"413":               {modeltest.HTTPError(413, "Request Entity Too Large"), models.PromptTooLong, "", false},

	"filter, Azure":     {modeltest.ErrorBody(400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400}}`), models.ContentFiltered, "", true},
	"filter, DashScope": {modeltest.ErrorBody(400, `{"error":{"code":"data_inspection_failed","param":null,"message":"Input data may contain inappropriate content.","type":"data_inspection_failed"}}`), models.ContentFiltered, "", true},
	"filter, DeepSeek":  {modeltest.HTTPError(400, "Content Exists Risk"), models.ContentFiltered, "", true},
	"filter, Kimi":      {modeltest.ErrorBody(400, `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`), models.ContentFiltered, "", true},
	"filter, Zhipu":     {modeltest.ErrorBody(400, `{"contentFilter":[{"level":1,"role":"user"}],"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`), models.ContentFiltered, "", true},
	"filter, midway":    {modeltest.Body(`{"choices":[{"index":0,"message":{"content":""},"finish_reason":"content_filter"}]}`), models.ContentFiltered, "", true},

	"400":            {modeltest.HTTPError(400, "tools are not supported"), models.InvalidRequest, "", false},
	"422":            {modeltest.ErrorBody(422, `{"detail":[{"loc":["body"],"msg":"field required","input":"余额不足"}]}`), models.InvalidRequest, "", false},
	"web page":       {modeltest.Body("<!doctype html><title>Open WebUI</title>"), models.WebPage, "web page", false},
	"web page, POST": {modeltest.ErrorBody(405, "<html>405 Not Allowed</html>"), models.WebPage, "web page", false},
	"403 of a proxy": {modeltest.ErrorBody(403, "<html>Access denied</html>"), models.WebPage, "web page", false},
	"half JSON":      {modeltest.Body(`{"choices":[{"index":0,"message":{"role":"assi`), models.BadResponse, "", false},
	"cut":            {modeltest.CutStream("半句"), models.BadResponse, "", false},
	"no answer":      {modeltest.Hang(""), models.Timeout, "", false},
	"empty":          {modeltest.Body(`{"choices":[]}`), models.EmptyAnswer, "", false},
	"error, 200":     {modeltest.Body(`{"error":{"message":"upstream gone"}}`), models.EmptyAnswer, "upstream gone", false},
	"balance, 200":   {modeltest.Body(`{"code":402,"message":"Insufficient Balance"}`), models.QuotaExceeded, "Insufficient Balance", false},
	"reset":          {modeltest.Step{Panic: "reset"}, models.Network, "", false},
	"loading":        {modeltest.ErrorBody(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), models.Loading, "", false},
}

// TestFaults walks the faults over a real client and a real server, with and without streaming, with one model and with a chain of
// two. Each is logged once with what to do.
func TestFaults(t *testing.T) {
	for name, tc := range faults {
		for _, streams := range []bool{false, true} {
			if streams && (name == "empty" || name == "filter, midway" || name == "half JSON") {
				continue // bodies without streaming
			}
			synctest.Test(t, func(t *testing.T) {
				var options []llms.CallOption
				if streams {
					options = append(options, stream)
				}
				bad := modeltest.Always(tc.step)
				base := overPipes(t, bad.Handler()).Transport.(*models.Transport).Base
				m, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: base})
				require.NoError(t, err)

				var log bytes.Buffer
				o := models.ChainOptions{Retries: -1, Timeout: 20 * time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))}
				c := chain(t, o, m)
				_, err = asked(t.Context(), c, options...)
				assert.Equal(t, "a "+tc.kind.String(), kindsOf(t, err), name)
				assert.Contains(t, err.Error(), tc.says, name)
				f, ok := models.Cause(err)
				assert.True(t, ok)
				require.NotEmpty(t, f.Advice(), name)
				assert.Equal(t, 1, strings.Count(log.String(), f.Advice()), "%s: %s", name, log.String())

				good := modeltest.Always(modeltest.Say("好"))
				text, err := asked(t.Context(), chain(t, models.ChainOptions{Retries: -1, Timeout: 20 * time.Second}, m, good), options...)
				switch {
				case tc.end, streams && name == "cut": // a part of the answer was streamed
					assert.Equal(t, "a "+tc.kind.String(), kindsOf(t, err), name)
					assert.Empty(t, good.Prompts())
				default:
					require.NoError(t, err, name)
					assert.Equal(t, "好", text, name)
				}
				require.NoError(t, c.Wait(t.Context()))
			})
		}
	}
}

// audioFaults are the faults that mean something else for audio than for a chat: their bodies have a good status, and neither a text
// nor audio.
var audioFaults = map[string]map[string]models.FailureKind{
	"transcriber": {"filter, midway": models.EmptyAnswer},
	"speech":      {"filter, midway": models.BadResponse, "empty": models.BadResponse, "error, 200": models.BadResponse},
}

// TestFaults_Audio walks the same faults over the clients for audio.
func TestFaults_Audio(t *testing.T) {
	for name, tc := range faults {
		for client, kinds := range audioFaults {
			kind := tc.kind
			if other, ok := kinds[name]; ok {
				kind = other
			}
			synctest.Test(t, func(t *testing.T) {
				bad := modeltest.Always(tc.step)
				m, use, good := audioOf(t, client, bad)
				c := chain(t, models.ChainOptions{Retries: -1, Timeout: 20 * time.Second}, m)
				got, err := use(t.Context(), c)
				assert.Empty(t, got)
				assert.Equal(t, "a "+kind.String(), kindsOf(t, err), "%s: %s", client, name)
				assert.Contains(t, err.Error(), tc.says, "%s: %s", client, name)
				f, _ := models.Cause(err)
				assert.NotEmpty(t, f.Advice())
				assert.NotContains(t, err.Error(), "sk-test")

				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				_, err = use(ctx, m)
				var alone *models.CallError
				require.ErrorAs(t, err, &alone, name)
				assert.Equal(t, f, alone.Failure, "%s: %s: without a chain", client, name)

				got, err = use(t.Context(), chain(t, models.ChainOptions{Retries: -1, Timeout: 20 * time.Second}, m, good))
				if tc.end && kind == models.ContentFiltered {
					assert.Equal(t, "a content filtered", kindsOf(t, err), name)
				} else {
					require.NoError(t, err, name)
					assert.Equal(t, "你好", got, name)
				}
				require.NoError(t, c.Wait(t.Context()))
			})
		}
	}
}

// TestFaults_SlowFirstToken: a slow answer is an answer.
func TestFaults_SlowFirstToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := overPipes(t, modeltest.Always(modeltest.Say("在的").After(19*time.Second)).Handler()).Transport.(*models.Transport).Base
		m, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: base})
		require.NoError(t, err)
		for _, options := range [][]llms.CallOption{nil, {stream}} {
			text, err := asked(t.Context(), chain(t, models.ChainOptions{Timeout: 20 * time.Second}, m), options...)
			require.NoError(t, err)
			assert.Equal(t, "在的", text)
		}
	})
}

// TestLoading_Said: a llama.cpp server answers 503 until its model is loaded. A single model is waited for, a chain calls the next one,
// and no breaker opens.
func TestLoading_Said(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		local := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			if time.Since(begin) < 40*time.Second {
				return faults["loading"].step
			}
			return modeltest.Say("在的")
		})
		var log bytes.Buffer
		c := chain(t, models.ChainOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, atHome(t, local.Handler()))
		text, err := asked(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, "在的", text)
		assert.Equal(t, 40*time.Second, time.Since(begin).Round(2*time.Second))
		assert.Equal(t, models.Closed, c.Stats()[0].State)
		assert.Equal(t, 1, strings.Count(log.String(), "waiting for the model to load"), log.String())
		assert.Contains(t, log.String(), `msg="models: the model is loaded" model=a after=40s`)
		assert.NotContains(t, log.String(), "call failed")

		begin = time.Now()
		text, err = asked(t.Context(), chain(t, models.ChainOptions{}, atHome(t, local.Handler()), modeltest.Always(modeltest.Say("我来"))))
		require.NoError(t, err)
		assert.Equal(t, "我来", text)
		assert.Zero(t, time.Since(begin))
	})
}

// TestLoading_TooLong: a model that loads for more than five minutes has failed, and its breaker opens.
func TestLoading_TooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local := modeltest.Always(faults["loading"].step)
		c := chain(t, models.ChainOptions{}, atHome(t, local.Handler()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := asked(ctx, c)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		f, _ := models.Cause(err)
		assert.Equal(t, models.Loading, f.Kind)
		begin := time.Now()
		_, err = asked(t.Context(), c)
		assert.Less(t, time.Since(begin), 5*time.Minute)
		f, _ = models.Cause(err)
		assert.Equal(t, models.Failure{Kind: models.Overloaded, Status: 503}, f)
		for range 5 {
			_, _ = asked(t.Context(), c)
		}
		assert.Equal(t, models.Open, c.Stats()[0].State)
	})
}

// TestLoading_Silent: Ollama sends nothing until its model is loaded. Only a server at home that has not answered lately may be loading.
func TestLoading_Silent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.New(modeltest.Hang(""), modeltest.Say("在的"), modeltest.Hang(""), modeltest.Say("又在了"), modeltest.Hang(""))
		var log bytes.Buffer
		c := chain(t, models.ChainOptions{Timeout: 30 * time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))}, atHome(t, script.Handler()))
		ask := func(want models.FailureKind) {
			t.Helper()
			_, err := asked(t.Context(), c)
			f, failed := models.Cause(err)
			assert.Equal(t, want != models.Unknown, failed)
			assert.Equal(t, want, f.Kind)
		}
		ask(models.Loading)
		assert.Contains(t, log.String(), "waiting for the model to load")
		ask(models.Unknown)
		ask(models.Timeout) // it answered a moment ago
		ask(models.Unknown)
		time.Sleep(5 * time.Minute) // unloaded
		ask(models.Loading)
		assert.Equal(t, models.Closed, c.Stats()[0].State)
		require.NoError(t, c.Wait(t.Context()))

		far, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: overPipes(t, modeltest.Always(modeltest.Hang("")).Handler()).Transport.(*models.Transport).Base})
		require.NoError(t, err)
		c = chain(t, models.ChainOptions{Timeout: 30 * time.Second}, far)
		ask(models.Timeout)
		require.NoError(t, c.Wait(t.Context()))
	})
}

// TestLoading_Refused: vLLM listens when its model is loaded.
func TestLoading_Refused(t *testing.T) {
	url := closedURL(t)
	c := chain(t, models.ChainOptions{Retries: -1}, openAIAt(t, url))
	for range 6 {
		_, err := asked(t.Context(), c)
		f, _ := models.Cause(err)
		assert.Equal(t, models.Failure{Kind: models.Loading}, f)
	}
	assert.Equal(t, models.Closed, c.Stats()[0].State)
}

// atHome returns a client of a server on this machine.
func atHome(t *testing.T, h http.Handler) llms.Model {
	t.Helper()
	m, err := models.OpenAI("http://127.0.0.1:8080/v1", "m", "", models.OpenAIOptions{Base: overPipes(t, h).Transport.(*models.Transport).Base})
	require.NoError(t, err)
	return m
}

// TestErrorBody_NotRepeatedRequest: only fields of the provider decide.
func TestErrorBody_NotRepeatedRequest(t *testing.T) {
	api := httptest.NewServer(modeltest.Always(modeltest.ErrorBody(400, `{"error":{"message":"bad tool","code":null},"request":"余额不足"}`)).Handler())
	defer api.Close()
	_, err := asked(t.Context(), chain(t, models.ChainOptions{Retries: -1}, openAIAt(t, api.URL)))
	assert.Equal(t, "a invalid request", kindsOf(t, err))
}

// TestFailure_Advice: every kind that a person can do something about has an advice of one line.
func TestFailure_Advice(t *testing.T) {
	none := 0
	for k := models.Unknown; k.String() != "unknown error" || k == models.Unknown; k++ {
		text := models.Failure{Kind: k}.Advice()
		if text == "" {
			none++
		}
		assert.NotContains(t, text, "\n")
		assert.False(t, strings.HasSuffix(text, "."))
	}
	assert.Equal(t, 3, none, "unknown, canceled and the open breaker, which names its cause")
	assert.Empty(t, models.Failure{Kind: 200}.Advice())
}
