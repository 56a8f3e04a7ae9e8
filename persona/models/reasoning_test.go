package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	turns "github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// forecast is a toolbox with one tool.
type forecast struct{}

func (forecast) Tools() []llms.Tool {
	return []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "weather"}}}
}

func (forecast) Call(_ context.Context, c llms.ToolCall) llms.ToolCallResponse {
	return llms.ToolCallResponse{ToolCallID: c.ID, Content: "有雨"}
}

// A recorder keeps the bodies of the requests that it forwards.
type recorder struct {
	http.RoundTripper
	bodies []string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) != req.ContentLength {
		return nil, fmt.Errorf("%d bytes, ContentLength %d", len(body), req.ContentLength)
	}
	again, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	if copied, _ := io.ReadAll(again); string(copied) != string(body) {
		return nil, fmt.Errorf("GetBody returns %s", copied)
	}
	r.bodies = append(r.bodies, string(body))
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	return r.RoundTripper.RoundTrip(req)
}

// recorded returns a client of models.OpenAI and the bodies of its requests.
func recorded(t *testing.T, url string) (llms.Model, *recorder) {
	t.Helper()
	r := &recorder{RoundTripper: &http.Transport{DisableKeepAlives: true}}
	m, err := models.OpenAI(url, "m", "sk-test", models.OpenAIOptions{Base: r})
	require.NoError(t, err)
	return m, r
}

func thinkingServer(t *testing.T, o modeltest.HandlerOptions, script ...modeltest.Step) string {
	t.Helper()
	api := httptest.NewServer(modeltest.New(script...).HandlerWith(o))
	t.Cleanup(api.Close)
	return api.URL
}

func thinking(s modeltest.Step, reasoning string) modeltest.Step {
	s.Reasoning = reasoning
	return s
}

// numbered returns a tool call with an id, as servers send it that number the calls of each answer.
func numbered(id, args string) llms.ToolCall {
	c := modeltest.ToolCall("weather", args)
	c.ID = id
	return c
}

var ways = map[string][]llms.CallOption{"whole": nil, "streamed": {stream}}

// TestTransport_ReasoningInTurn runs turns with tools against servers that refuse requests without the reasoning, in the forms of
// all providers. Without a Transport the turns fail.
func TestTransport_ReasoningInTurn(t *testing.T) {
	steps := []modeltest.Step{
		thinking(modeltest.Calls(numbered("call_0", `{"city":"杭州"}`), numbered("call_1", `{"city":"上海"}`)), "他问两个城市。\n先查 \"杭州\" <1>"),
		thinking(modeltest.Step{Text: "再查查", Calls: []llms.ToolCall{numbered("call_0", `{"city":"北京"}`)}}, "还有北京"),
		thinking(modeltest.Calls(numbered("call_0", `{"city":"北京"}`)), "又是北京"),
		modeltest.Calls(numbered("call_0", ``)),
		thinking(modeltest.Say("都有雨"), "可以回答了"),
	}
	refusals := map[modeltest.ReasoningField]string{
		modeltest.ReasoningContent: "`reasoning_content` in the thinking mode must be passed back",
		modeltest.Reasoning:        "`reasoning` in the thinking mode must be passed back",
		modeltest.ReasoningDetails: "Invalid `signature` in `thinking` block",
		modeltest.ThoughtSignature: "missing a thought_signature",
	}
	for field, refusal := range refusals {
		for way, options := range ways {
			t.Run(string(field)+" "+way, func(t *testing.T) {
				o := modeltest.HandlerOptions{Reasoning: field, RequireReasoning: true}
				model, sent := recorded(t, thinkingServer(t, o, steps...))
				turn := turns.Turn{Model: model, Toolbox: forecast{}, Options: options}
				reply, err := turn.Run(t.Context(), "你是小炉。", "天气怎么样？")
				require.NoError(t, err)
				assert.Equal(t, "都有雨", reply.Text)
				assert.Equal(t, 5, reply.Steps)
				assert.NotContains(t, sent.bodies[4], "可以回答了")

				turn.Model = models.Normalize(openAI(t, thinkingServer(t, o, steps...), fresh(false)))
				_, err = turn.Run(t.Context(), "你是小炉。", "天气怎么样？")
				require.ErrorContains(t, err, refusal, "control: a client without a Transport")
			})
		}
	}
}

// afterCall returns a conversation after a tool call. Conversations differ in the first message only: id, name and arguments of
// the calls are equal.
func afterCall(first string) []llms.MessageContent {
	return []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeHuman, first),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{numbered("call_0", `{"city":"杭州"}`)}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "call_0", Content: "有雨"}}},
	}
}

// TestTransport_ReasoningStaysInConversation: another conversation, model, key or server never gets the reasoning, although the
// ids, names and arguments of the tool calls are equal.
func TestTransport_ReasoningStaysInConversation(t *testing.T) {
	calls := []llms.ToolCall{numbered("call_0", `{"city":"杭州"}`)}
	m := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if len(p.Messages) > 1 {
			return modeltest.HTTPError(500, "later")
		}
		return modeltest.Step{Calls: calls, Reasoning: "秘密：" + strings.TrimSpace(p.Human())}
	})
	one, two := httptest.NewServer(m.Handler()), httptest.NewServer(m.Handler())
	defer one.Close()
	defer two.Close()

	sent := &recorder{RoundTripper: http.DefaultTransport}
	shared := &models.Transport{Base: sent} // the worst case: one Transport for all clients
	client := func(url, model, key string) llms.Model {
		c, err := models.OpenAI(url, model, key, models.OpenAIOptions{Base: shared})
		require.NoError(t, err)
		return c
	}
	ask := func(m llms.Model, messages []llms.MessageContent) string {
		_, _ = m.GenerateContent(t.Context(), messages, tools)
		return sent.bodies[len(sent.bodies)-1]
	}
	a := client(one.URL, "m", "sk-a")
	ask(a, prompt("主人"))
	ask(a, prompt("群里"))

	assert.Contains(t, ask(a, afterCall("主人")), "秘密：主人", "control")
	assert.NotContains(t, ask(a, afterCall("主人")), "秘密：群里")
	assert.Contains(t, ask(a, afterCall("群里")), "秘密：群里", "control")
	assert.NotContains(t, ask(a, afterCall("群里")), "秘密：主人")
	for name, other := range map[string]string{
		"another conversation": ask(a, afterCall("别的群")),
		"more before it":       ask(a, append(prompt("你好"), afterCall("主人")...)),
		"another model":        ask(client(one.URL, "m2", "sk-a"), afterCall("主人")),
		"another key":          ask(client(one.URL, "m", "sk-b"), afterCall("主人")),
		"another path":         ask(client(one.URL+"/v1", "m", "sk-a"), afterCall("主人")),
		"another server":       ask(client(two.URL, "m", "sk-a"), afterCall("主人")),
	} {
		assert.NotContains(t, other, "秘密", name)
	}
	assert.Contains(t, ask(a, afterCall("主人")), "秘密：主人", "control, after the others")
}

// TestTransport_ReasoningInChain: a retry sends the same reasoning again, and a fallback model gets none.
func TestTransport_ReasoningInChain(t *testing.T) {
	for way, options := range ways {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				thinker := modeltest.New(
					thinking(modeltest.Call("weather", `{"city":"杭州"}`), "第一步"),
					modeltest.HTTPError(500, "busy"),
					thinking(modeltest.Call("weather", `{"city":"上海"}`), "第二步"),
					modeltest.HTTPError(401, "key"),
				)
				other := modeltest.New(modeltest.Say("都有雨"))
				first := &recorder{RoundTripper: overPipes(t, thinker.HandlerWith(modeltest.HandlerOptions{RequireReasoning: true})).Transport.(*models.Transport).Base}
				second := &recorder{RoundTripper: overPipes(t, other.Handler()).Transport.(*models.Transport).Base}
				client := func(r *recorder) llms.Model {
					m, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: r})
					require.NoError(t, err)
					return m
				}
				c := chain(t, models.ChainOptions{RetryAfterTools: true}, client(first), client(second))
				turn := turns.Turn{Model: c, Toolbox: forecast{}, Options: options}
				reply, err := turn.Run(t.Context(), "你是小炉。", "天气怎么样？")
				require.NoError(t, err)
				assert.Equal(t, "都有雨", reply.Text)
				require.Len(t, first.bodies, 4)
				assert.Equal(t, first.bodies[1], first.bodies[2], "the retry")
				assert.Equal(t, 1, strings.Count(first.bodies[2], "第一步"))
				assert.Equal(t, []int{1, 1}, []int{strings.Count(first.bodies[3], "第一步"), strings.Count(first.bodies[3], "第二步")})
				require.Len(t, second.bodies, 1)
				assert.NotContains(t, second.bodies[0], "reasoning")
				assert.Contains(t, second.bodies[0], "上海", "control: the same conversation")
				require.NoError(t, c.Wait(t.Context()))
			})
		})
	}
}

// answering returns a model of a scripted HTTP body for each request, and the bodies of its requests.
func answering(t *testing.T, bodies ...string) (llms.Model, *recorder) {
	t.Helper()
	r := &recorder{RoundTripper: roundTrip(func(*http.Request) (*http.Response, error) {
		header := jsonish
		if strings.HasPrefix(bodies[0], "data:") {
			header = sse
		}
		resp := &http.Response{StatusCode: 200, Header: header.Clone(), Body: io.NopCloser(strings.NewReader(bodies[0]))}
		bodies = bodies[1:]
		return resp, nil
	})}
	m, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: r})
	require.NoError(t, err)
	return m, r
}

const (
	someCall = `"tool_calls":[{"id":"call_0","type":"function","function":{"name":"weather","arguments":"{\"city\":\"杭州\"}"}}]`
	silence  = `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`
)

func message(fields string) string {
	return `{"choices":[{"message":{"role":"assistant","content":null,` + fields + `},"finish_reason":"tool_calls"}]}`
}

func deltas(fields ...string) string {
	return delta(`{`+strings.Join(fields, `}`+`,"finish_reason":null}]}`+"\n\n"+`data: {"choices":[{"index":0,"delta":{`)+`}`) + finish("tool_calls") + done
}

// TestTransport_ReasoningFields: a message gets exactly the fields that came with it, and the rest of the request is unchanged.
func TestTransport_ReasoningFields(t *testing.T) {
	const detail = `"reasoning_details":[{"type":"reasoning.%s","index":0,%s}]`
	for name, tc := range map[string]struct {
		answer string
		fields string // inserted into the message
		extra  string // inserted into the call
	}{
		"none":              {message(someCall), "", ""},
		"null":              {message(`"reasoning_content":null,"reasoning":null,"reasoning_details":null,` + someCall), "", ""},
		"empty":             {message(`"reasoning_content":"",` + someCall), `"reasoning_content":"",`, ""},
		"two fields":        {message(`"reasoning":"查","reasoning_content":"查",` + someCall), `"reasoning_content":"查","reasoning":"查",`, ""},
		"details":           {message(`"reasoning_details":[{"type":"reasoning.encrypted","data":"x=="}],` + someCall), `"reasoning_details":[{"type":"reasoning.encrypted","data":"x=="}],`, ""},
		"signature":         {message(strings.Replace(someCall, `"type"`, `"extra_content":{"google":{"thought_signature":"s=="}},"type"`, 1)), "", `"extra_content":{"google":{"thought_signature":"s=="}},`},
		"odd types":         {message(`"reasoning":{"a":1},"reasoning_content":7,` + someCall), `"reasoning_content":7,"reasoning":{"a":1},`, ""},
		"stream, none":      {deltas(someCall), "", ""},
		"stream, null":      {deltas(`"reasoning_content":null`, someCall), "", ""},
		"stream, empty":     {deltas(`"reasoning_content":""`, someCall), `"reasoning_content":"",`, ""},
		"stream, parts":     {deltas(`"reasoning":"先\n"`, `"reasoning":"查","content":null`, `"reasoning":null,`+someCall), `"reasoning":"先\n查",`, ""},
		"stream, with call": {deltas(`"reasoning_content":"查",` + someCall), `"reasoning_content":"查",`, ""},
		"stream, after":     {deltas(someCall, `"reasoning_content":"查"`), `"reasoning_content":"查",`, ""},
		"stream, odd types": {deltas(`"reasoning":{"a":1},"reasoning_content":[7],"reasoning_details":"x"`, someCall), "", ""},
		"stream, blocks": {
			deltas(fmt.Sprintf(detail, "text", `"text":"一","signature":null`), fmt.Sprintf(detail, "text", `"text":"二"`), fmt.Sprintf(detail, "text", `"signature":"s1","format":"f"`),
				fmt.Sprintf(detail, "text", `"text":"三"`), fmt.Sprintf(detail, "summary", `"summary":"四"`), fmt.Sprintf(detail, "summary", `"summary":"五"`),
				fmt.Sprintf(detail, "encrypted", `"data":"x"`), fmt.Sprintf(detail, "encrypted", `"data":"y"`), someCall),
			`"reasoning_details":[{"format":"f","index":0,"signature":"s1","text":"一二","type":"reasoning.text"},{"index":0,"text":"三","type":"reasoning.text"},` +
				`{"index":0,"summary":"四五","type":"reasoning.summary"},{"data":"x","index":0,"type":"reasoning.encrypted"},{"data":"y","index":0,"type":"reasoning.encrypted"}],`, "",
		},
		"stream, signature":  {deltas(strings.Replace(someCall, `"type"`, `"index":0,"extra_content":{"google":{"thought_signature":"s=="}},"type"`, 1)), "", `"extra_content":{"google":{"thought_signature":"s=="}},`},
		"stream, no [DONE]":  {strings.TrimSuffix(deltas(`"reasoning":"查"`, someCall), done), `"reasoning":"查",`, ""},
		"stream, cut":        {delta(`{"reasoning":"查",` + someCall + `}`), "", ""},
		"stream, then error": {delta(`{"reasoning":"查",`+someCall+`}`) + `data: {"error":{"message":"no"}}` + "\n\n" + done, "", ""},
		"another call":       {message(`"reasoning":"查",` + strings.NewReplacer("call_0", "call_9", "杭州", "北京").Replace(someCall)), "", ""},
		"another id":         {message(`"reasoning":"查",` + strings.Replace(someCall, "call_0", "", 1)), `"reasoning":"查",`, ""},
		"other arguments":    {message(`"reasoning":"查",` + strings.Replace(someCall, "杭州", "杭", 1)), `"reasoning":"查",`, ""},
		"two calls":          {message(`"reasoning":"查",` + strings.Replace(someCall, `[`, `[{"id":"x"},`, 1)), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var options []llms.CallOption
			if strings.HasPrefix(name, "stream") {
				options = append(options, stream)
			}
			options = append(options, tools)
			m, sent := answering(t, tc.answer, silence)
			_, _ = m.GenerateContent(t.Context(), prompt("天气"), options...)
			_, _ = m.GenerateContent(t.Context(), afterCall("天气"), options...)
			plain, unchanged := answering(t, silence)
			_, _ = plain.GenerateContent(t.Context(), afterCall("天气"), options...)
			want := strings.Replace(unchanged.bodies[0], `{"role":"assistant"`, `{`+tc.fields+`"role":"assistant"`, 1)
			want = strings.Replace(want, `{"id":"call_0"`, `{`+tc.extra+`"id":"call_0"`, 1)
			assert.Equal(t, want, sent.bodies[1])
			assert.True(t, json.Valid([]byte(sent.bodies[1])))
		})
	}
}

// given reports whether a request for the conversation after a tool call gets reasoning.
func given(t *testing.T, m llms.Model, sent *recorder, first string, options ...llms.CallOption) bool {
	t.Helper()
	_, _ = m.GenerateContent(t.Context(), afterCall(first), append(options, tools)...)
	return strings.Contains(sent.bodies[len(sent.bodies)-1], `"reasoning"`)
}

// TestTransport_ForgetsReasoning: the reasoning is forgotten with the final answer, after ten minutes, and above 1 MiB.
func TestTransport_ForgetsReasoning(t *testing.T) {
	call := message(`"reasoning":"查",` + someCall)
	final := `{"choices":[{"message":{"content":"有雨"},"finish_reason":"stop"}]}`
	t.Run("final answer", func(t *testing.T) {
		for way, options := range ways {
			body := final
			if way == "streamed" {
				body = delta(`{"content":"有雨"}`) + delta(`{"content":""}`) + finish("stop") + done
			}
			m, sent := answering(t, call, call, silence, body, final, final)
			for _, first := range []string{"一", "二"} {
				_, _ = m.GenerateContent(t.Context(), prompt(first), tools)
			}
			assert.True(t, given(t, m, sent, "一"), way)
			assert.True(t, given(t, m, sent, "一", options...), "%s: an empty answer is asked for again", way)
			assert.False(t, given(t, m, sent, "一"), way)
			assert.True(t, given(t, m, sent, "二"), "%s: another turn", way)
		}
	})
	t.Run("age", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, sent := answering(t, call, silence, silence, silence)
			_, _ = m.GenerateContent(t.Context(), prompt("一"), tools)
			for range 2 {
				time.Sleep(10 * time.Minute)
				assert.True(t, given(t, m, sent, "一"))
			}
			time.Sleep(10*time.Minute + time.Second)
			assert.False(t, given(t, m, sent, "一"))
		})
	})
	t.Run("size", func(t *testing.T) {
		for name, tc := range map[string]struct {
			size int
			want []bool
		}{
			"all":           {200 << 10, []bool{true, true, true}},
			"two":           {400 << 10, []bool{true, false, true}},
			"one":           {1000 << 10, []bool{false, false, true}},
			"none":          {1100 << 10, []bool{false, false, false}},
			"many streamed": {-(1100 << 10), []bool{false, false, false}},
		} {
			body, options := message(fmt.Sprintf(`"reasoning":%q,`, strings.Repeat("a", max(tc.size, 0)))+someCall), []llms.CallOption{tools}
			if tc.size < 0 {
				body, options = strings.Repeat(delta(`{"reasoning":"`+strings.Repeat("a", 10000)+`"}`), 110)+deltas(someCall), append(options, stream)
			}
			bodies := []string{body, body, silence, body, silence, silence, silence}
			m, sent := answering(t, bodies...)
			_, _ = m.GenerateContent(t.Context(), prompt("一"), options...)
			_, _ = m.GenerateContent(t.Context(), prompt("二"), options...)
			given(t, m, sent, "一") // used later than the second
			_, _ = m.GenerateContent(t.Context(), prompt("三"), options...)
			assert.Equal(t, tc.want, []bool{given(t, m, sent, "一"), given(t, m, sent, "二"), given(t, m, sent, "三")}, name)
		}
	})
}

// TestTransport_ReasoningInErrors: an error of a provider that repeats the request does not show the reasoning, and neither does a
// log. The rest of its text stays.
func TestTransport_ReasoningInErrors(t *testing.T) {
	const secret = "主人的密码是一二三四五六七八，不能告诉别人。\n先查天气。"
	quoted, err := json.Marshal(secret)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		status int
		body   string // %s is the request
		want   string
	}{
		"message": {400, `{"error":{"message":"bad request: %s"}}`, `status code: 400: bad request: {"model":"m"`},
		"input":   {422, `{"error":{"message":"bad request"},"input":"%s"}`, "status code: 422: bad request"},
		"detail":  {422, `{"detail":[{"input":"%s"}]}`, "status code: 422"},
		"text":    {500, `bad request: %s`, "status code: 500"},
		"stream":  {200, `data: {"error":{"message":"bad request: %s","code":400}}` + "\n\n", "error in the stream: bad request: {"},
		"control": {400, `{"error":{"message":"This model's maximum context length is 128000 tokens."}}`, "maximum context length is 128000 tokens."},
	} {
		t.Run(name, func(t *testing.T) {
			var echo string
			var log bytes.Buffer
			requests := 0
			base := roundTrip(func(req *http.Request) (*http.Response, error) {
				if requests++; requests == 1 {
					return &http.Response{StatusCode: 200, Header: jsonish.Clone(), Body: io.NopCloser(strings.NewReader(message(`"reasoning":` + string(quoted) + `,` + someCall)))}, nil
				}
				body, err := io.ReadAll(req.Body)
				inString, _ := json.Marshal(string(body))
				echo = strings.Replace(tc.body, "%s", strings.Trim(string(inString), `"`), 1)
				header := jsonish.Clone()
				if tc.status == 200 {
					header = sse.Clone()
				}
				return &http.Response{StatusCode: tc.status, Header: header, Body: io.NopCloser(strings.NewReader(echo))}, err
			})
			client, err := models.OpenAI("http://model.test/v1", "m", "sk-test", models.OpenAIOptions{Base: base})
			require.NoError(t, err)
			c := chain(t, models.ChainOptions{Retries: -1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, client)
			_, err = c.GenerateContent(t.Context(), prompt("天气"), tools)
			require.NoError(t, err)
			_, err = c.GenerateContent(t.Context(), afterCall("天气"), tools, stream)
			require.ErrorContains(t, err, tc.want)
			assert.Equal(t, name != "control", strings.Contains(echo, "不能告诉别人"), "the provider repeats it")
			_, bare := client.GenerateContent(t.Context(), afterCall("天气"), tools, stream)
			for _, text := range []string{err.Error(), bare.Error(), log.String()} {
				assert.NotContains(t, text, "一二三四")
				assert.NotContains(t, text, "先查天气")
			}
			assert.Contains(t, log.String(), tc.want[:12], "control: the log has the error")
		})
	}
}

// TestTransport_OtherRequestsUnchanged: a request that needs no reasoning is passed on as it is.
func TestTransport_OtherRequestsUnchanged(t *testing.T) {
	for _, body := range []string{`{"messages":[]}`, `{`, ``, `{"tools":[],"messages":7}`, `{"tools":[],"messages":[7,null,"x",{"tool_calls":7},{"tool_calls":[7]}]}`} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(body))
		require.NoError(t, err)
		_, err = (&models.Transport{Base: roundTrip(func(sent *http.Request) (*http.Response, error) {
			assert.Same(t, req, sent)
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("x"))}, nil
		})}).RoundTrip(req)
		require.NoError(t, err)
	}
}

// FuzzTransport_Reasoning sends any request twice, with any answer between. The second request is the first with the
// fields inserted, and it is valid JSON if the first one is.
func FuzzTransport_Reasoning(f *testing.F) {
	f.Add(`{"tools":[],"messages":[{"role":"user"}]}`, message(`"reasoning":"查",`+someCall), `{"role":"assistant",`+someCall+`}`, false)
	f.Add(`{"messages":[ {"role":"user"} ],"model":"m" }`, deltas(`"reasoning_content":"查"`, `"reasoning_details":[{"type":"reasoning.text","text":"一"},{"index":1}]`, someCall), `{"content":"{","tool_calls":[{"function":{"name":"weather"},"id":"call_0"}]}`, true)
	f.Add(`{"messages":[]}`, message(strings.Replace(someCall, `"type"`, `"extra_content":{"a":1},"type"`, 1)), `{ "tool_calls" : [ {"id":"call_0"} ] }`, false)
	f.Fuzz(func(t *testing.T, request, answer, next string, streamed bool) {
		header := jsonish
		if streamed {
			header = sse
		}
		var sent []string
		web := http.Client{Transport: &models.Transport{Base: roundTrip(func(req *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(req.Body)
			sent = append(sent, string(body))
			return &http.Response{StatusCode: 200, Header: header.Clone(), Body: io.NopCloser(strings.NewReader(answer))}, err
		})}}
		post := func(body string) {
			resp, err := web.Post("http://model.test/v1/chat/completions", "application/json", strings.NewReader(body))
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			require.NoError(t, resp.Body.Close())
		}
		post(request)
		require.Equal(t, request, sent[0])
		after := strings.Replace(request, `]`, `,`+next+`]`, 1)
		after = strings.Replace(after, `[,`, `[`, 1)
		post(after)
		if json.Valid([]byte(after)) != json.Valid([]byte(sent[1])) {
			t.Fatalf("%s became %s", after, sent[1])
		}
		if rest := sent[1]; len(rest) != len(after) {
			for _, c := range []byte(after) { // the rest is unchanged
				i := strings.IndexByte(rest, c)
				require.GreaterOrEqual(t, i, 0, "%s became %s", after, sent[1])
				rest = rest[i+1:]
			}
		}
	})
}
