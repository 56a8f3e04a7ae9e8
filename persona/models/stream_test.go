package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// The streams have the formats of providers, with texts of our own.

func delta(d string) string {
	return `data: {"id":"c1","choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n"
}

func finish(reason string) string {
	return `data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

const done = "data: [DONE]\n\n"

func part(index, id, typ, name, args string) string {
	var fields []string
	add := func(k, v string) {
		if v != "" {
			fields = append(fields, `"`+k+`":`+v)
		}
	}
	quote := func(s string) string {
		if s == "" {
			return ""
		}
		b, _ := json.Marshal(s)
		return string(b)
	}
	add("index", index)
	add("id", quote(id))
	add("type", quote(typ))
	args, _ = strings.CutPrefix(args, "∅")
	function := `{"arguments":` + fmt.Sprintf("%q", args)
	if name != "" {
		function += `,"name":` + quote(name)
	}
	add("function", function+"}")
	return delta(`{"tool_calls":[{` + strings.Join(fields, ",") + `}]}`)
}

var tools = llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "weather"}}})

// streamed lets a real OpenAI client read a stream. It returns the text, the streamed text and the tool calls.
func streamed(t *testing.T, m func(llms.Model) llms.Model, mended bool, body string) (heard string, c *llms.ContentChoice, err error) {
	t.Helper()
	model := m(openAI(t, serve(t, 200, sse, body), fresh(mended)))
	resp, err := model.GenerateContent(t.Context(), prompt("在吗"), tools, llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
		heard += string(b)
		return nil
	}))
	if err != nil {
		return heard, nil, err
	}
	return heard, resp.Choices[0], nil
}

func asIs(m llms.Model) llms.Model { return m }

func callsOf(c *llms.ContentChoice) string {
	var calls []string
	for _, call := range c.ToolCalls {
		calls = append(calls, call.ID+" "+call.Type+" "+call.FunctionCall.Name+" "+call.FunctionCall.Arguments)
	}
	return strings.Join(calls, "; ")
}

// TestTransport_ToolCalls checks the tool calls that the client returns without and with a Transport.
func TestTransport_ToolCalls(t *testing.T) {
	const two = `call_a function weather {"city":"杭州"}; call_b function weather {"city":"上海"}`
	for name, tc := range map[string]struct {
		body, bare, mended string
	}{
		"OpenAI": {
			body: delta(`{"role":"assistant","content":null}`) + part("0", "call_a", "function", "weather", "") + part("0", "", "", "", `{"city":`) + part("0", "", "", "", `"杭州"}`) +
				part("1", "call_b", "function", "weather", "") + part("1", "", "", "", `{"city":"上海"}`) + finish("tool_calls") + done,
			bare: two, mended: two,
		},
		"mixed": {
			body: part("0", "call_a", "function", "weather", "") + part("1", "call_b", "function", "weather", "") + part("0", "", "", "", `{"city":"杭州"}`) +
				part("1", "", "", "", `{"city":"上海"}`) + finish("tool_calls") + done,
			bare:   `call_a function weather ; call_b function weather {"city":"杭州"}{"city":"上海"}`,
			mended: two,
		},
		"the last first": {
			body: part("1", "call_b", "function", "weather", `{"city":"上海"}`) + part("0", "call_a", "function", "weather", `{"city":"杭州"}`) + finish("tool_calls") + done,
			bare: `call_b function weather {"city":"上海"}; call_a function weather {"city":"杭州"}`, mended: two,
		},
		"type in each part": {
			body: part("0", "call_a", "function", "weather", "") + part("0", "", "function", "", `{"city":`) + part("0", "", "function", "", `"杭州"}`) + finish("tool_calls") + done,
			bare: `call_a function weather ;  function  {"city":;  function  "杭州"}`, mended: `call_a function weather {"city":"杭州"}`,
		},
		"no type": {
			body: part("0", "call_a", "", "weather", `{"city":"杭州"}`) + finish("tool_calls") + done,
			bare: ``, mended: `call_a function weather {"city":"杭州"}`,
		},
		"an empty part at the end": {
			body: part("0", "call_a", "function", "weather", `{"city":"杭州"}`) + part("0", "", "", "", "") + finish("tool_calls") + done,
			bare: `call_a function weather {"city":"杭州"};    `, mended: `call_a function weather {"city":"杭州"}`,
		},
		"id and name in each part": {
			body: part("0", "call_a", "function", "weather", `{"city":`) + part("0", "call_a", "function", "weather", `"杭州"}`) + finish("tool_calls") + done,
			bare: `call_a function weather {"city":; call_a function weather "杭州"}`, mended: `call_a function weather {"city":"杭州"}`,
		},
		"index 0 for each": {
			body: part("0", "call_a", "function", "weather", `{"city":"杭州"}`) + part("0", "call_b", "function", "weather", `{"city":"上海"}`) + finish("tool_calls") + done,
			bare: two, mended: two,
		},
		"no index": {
			body: part("", "call_a", "function", "weather", `{"city":`) + part("", "", "", "", `"杭州"}`) + part("", "call_b", "function", "weather", `{"city":"上海"}`) + finish("tool_calls") + done,
			bare: two, mended: two,
		},
		"with the finish": {
			body: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n" + done,
			bare: `call_a function weather {}`, mended: `call_a function weather {}`,
		},
		"no finish": {
			body: part("0", "call_a", "function", "weather", `{}`) + done,
			bare: `call_a function weather {}`, mended: `call_a function weather {}`,
		},
		"long arguments": {
			body: part("0", "call_a", "function", "weather", `"`+strings.Repeat("杭", 9000)+`"`) + finish("tool_calls") + done,
			bare: `call_a function weather "` + strings.Repeat("杭", 9000) + `"`, mended: `call_a function weather "` + strings.Repeat("杭", 9000) + `"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, c, err := streamed(t, asIs, false, tc.body)
			require.NoError(t, err)
			assert.Equal(t, tc.bare, callsOf(c), "bare")
			heard, c, err := streamed(t, models.Normalize, true, delta(`{"content":"我查查"}`)+tc.body)
			require.NoError(t, err)
			assert.Equal(t, tc.mended, callsOf(c), "mended")
			assert.Equal(t, "我查查", heard, "no JSON is shown to people")
			assert.Equal(t, "我查查", c.Content)
			if strings.Contains(tc.body, `"finish_reason":"tool_calls"`) {
				assert.Equal(t, "tool_calls", c.StopReason)
			}
		})
	}
}

func TestTransport_TruncatedStream(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		kind models.FailureKind // with a Transport
	}{
		"without a word": {delta(`{"content":"半句"}`), models.BadResponse},
		"with an error":  {delta(`{"content":"半句"}`) + `data: {"choices":[],"error":{"message":"no capacity","type":"server_error","code":"x"}}` + "\n\n" + done, models.Overloaded},
		"error as text":  {delta(`{"content":"半句"}`) + `data: {"error":"gone"}` + "\n\n", models.BadResponse},
		"too many calls": {strings.Repeat(part("", "", "", "weather", "x"), 300), models.BadResponse},
	} {
		_, c, err := streamed(t, asIs, false, tc.body)
		if assert.NoError(t, err, "%s: this is what it is for", name) && name != "too many calls" {
			assert.Equal(t, "半句", c.Content)
		}
		_, _, err = streamed(t, asIs, true, tc.body)
		require.Error(t, err, name)
		assert.Equal(t, tc.kind, models.Classify(err).Kind, "%s: %v", name, err)
	}
	for name, body := range map[string]string{
		"no [DONE]":                delta(`{"content":"一句"}`) + finish("stop"),
		"no finish":                delta(`{"content":"一句"}`) + done,
		"comments and other lines": ": wait\n\nevent: x\nretry: 5\n\n" + delta(`{"content":"一句"}`) + "data: not JSON\n\n" + finish("stop") + done,
		"no newline at the end":    delta(`{"content":"一句"}`) + "data: [DONE]",
	} {
		_, c, err := streamed(t, asIs, true, body)
		require.NoError(t, err, name)
		assert.Equal(t, "一句", c.Content, name)
	}
}

// repairedText passes a body through a Transport.
func repairedText(header http.Header, body io.Reader) (string, error) {
	web := http.Client{Transport: &models.Transport{Base: roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(body), ContentLength: 9}, nil
	})}}
	resp, err := web.Get("http://model.test")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	return string(out), err
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransport_OtherBodiesUnchanged(t *testing.T) {
	for _, body := range []string{"", "x", "data: x", delta(`{"content":"半"}`)} {
		got, err := repairedText(jsonish, strings.NewReader(body))
		require.NoError(t, err)
		assert.Equal(t, body, got)
	}
	body := delta(`{"content":"一"}`) + "\r\n: x\n" + finish("stop") + done
	got, err := repairedText(sse, iotest.OneByteReader(strings.NewReader(body)))
	require.NoError(t, err)
	assert.Equal(t, body, got, "what needs no mending stays, byte by byte")

	boom := errors.New("boom")
	got, err = repairedText(sse, io.MultiReader(strings.NewReader(delta(`{"content":"一"}`)), iotest.ErrReader(boom)))
	require.ErrorIs(t, err, boom)
	assert.Equal(t, delta(`{"content":"一"}`), got)
	_, err = repairedText(sse, strings.NewReader("data: "+strings.Repeat("x", 5<<20)))
	require.Error(t, err, "a line is bounded")
	_, err = repairedText(sse, strings.NewReader(part("0", "a", "function", "w", strings.Repeat("x", 2<<20))))
	require.ErrorContains(t, err, "too large")
	_, err = repairedText(nil, iotest.ErrReader(boom))
	require.ErrorIs(t, err, boom)
	_, err = (&models.Transport{Base: roundTrip(func(*http.Request) (*http.Response, error) { return nil, boom })}).RoundTrip(&http.Request{})
	require.ErrorIs(t, err, boom)
}

// FuzzTransport checks that any stream ends in bounded time, with the same result for any size of reads, and that lines
// without data stay unchanged.
func FuzzTransport(f *testing.F) {
	f.Add([]byte(delta(`{"content":"一"}`)+part("0", "a", "function", "w", `{}`)+finish("stop")+done), uint8(3))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\nevent: x\ndata:"), uint8(1))
	f.Add([]byte("data: {\"error\":{\"code\":500}}\n"), uint8(9))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		whole, err1 := repairedText(sse, bytes.NewReader(body))
		cut, err2 := repairedText(sse, chopped{r: bytes.NewReader(body), n: int(n)%7 + 1})
		if whole != cut || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Fatalf("%q %v\n%q %v", whole, err1, cut, err2)
		}
		if err1 == nil && !bytes.Contains(body, []byte("data:")) && strings.TrimSuffix(whole, "\n") != strings.TrimSuffix(string(body), "\n") {
			t.Fatalf("%q became %q", body, whole)
		}
	})
}

type chopped struct {
	r io.Reader
	n int
}

func (c chopped) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }
