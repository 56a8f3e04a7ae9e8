package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func serverOf(t testing.TB, view func() *nit.View, o mcp.ServerOptions) *mcp.Server {
	t.Helper()
	s, err := mcp.NewServer(view, o)
	require.NoError(t, err)
	return s
}

func handlerOf(t testing.TB, s *mcp.Server, o mcp.HTTPOptions) http.Handler {
	t.Helper()
	h, err := s.Handler(o)
	require.NoError(t, err)
	return h
}

func TestNewServer_RejectsBadOptions(t *testing.T) {
	view := viewOf(house(t), stranger)
	for name, o := range map[string]mcp.ServerOptions{
		"a negative Parallel":        {MaxConcurrent: -1},
		"a schema that is no JSON":   {OutputSchemas: map[string]json.RawMessage{"pair": json.RawMessage(`{`)}},
		"a schema that is no object": {OutputSchemas: map[string]json.RawMessage{"pair": json.RawMessage(`null`)}},
	} {
		_, err := mcp.NewServer(view, o)
		assert.Error(t, err, name)
	}
	_, err := mcp.NewServer(nil, mcp.ServerOptions{})
	assert.Error(t, err)
}

func start(t testing.TB, s *mcp.Server) *wire {
	w := serve(t, s)
	w.send(hello)
	require.Nil(t, w.next().Error)
	w.send(ready)
	return w
}

func TestServer_HiddenToolsAreAbsent(t *testing.T) {
	quiet(t)
	w := start(t, serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{}))
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	list := string(w.next().Result)
	for _, name := range []string{"echo", "pair", "fail", "wait"} {
		assert.Contains(t, list, `"name":"`+name+`"`)
	}
	assert.NotContains(t, list, "zq7")
	assert.Contains(t, list, `"readOnlyHint":true`)

	// Hidden and unknown names get the same bytes.
	var answers []string
	for i, name := range []string{"zq7_shell", "no_such_tool", "", "echo ", strings.Repeat("x", 300)} {
		w.send(callLine(10+i, name, `{"text":1}`))
		m := w.next()
		require.NotNil(t, m.Error, name)
		answers = append(answers, fmt.Sprint(*m.Error))
	}
	for _, a := range answers {
		assert.Equal(t, `{-32602 unknown tool}`, a)
	}
	for i, method := range []string{"prompts/list", "resources/list", "resources/read", "completion/complete", "logging/setLevel", "zq7_shell"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":"zq7:shell"}}`, 30+i, method))
		m := w.next()
		assert.NotContains(t, string(m.Result), "about", method)
	}
}

// With random tiers and principals, a client sees the tools of the view and no word of the others.
func TestServer_HiddenToolsLeaveNoTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 16))
	for range 50 {
		r := &nit.Registry{Limits: nit.Limits{Calls: -1}, Redact: func(_ context.Context, s string) (string, error) { return s, nil }}
		for i := range 12 {
			require.NoError(t, r.Add(define(t, fmt.Sprintf("zq7_%02d", i), nit.Tier(1<<rng.IntN(3)), echo)))
		}
		p := nit.Principal{Mode: []string{nit.ModePersona, nit.ModeAgent, "nowhere"}[rng.IntN(3)], Tiers: nit.Tier(rng.IntN(8))}
		var seen []string
		for _, tool := range r.View(p).Tools() {
			seen = append(seen, tool.Function.Name)
		}
		w := start(t, serverOf(t, viewOf(r, p), mcp.ServerOptions{}))
		w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		var list struct{ Tools []struct{ Name string } }
		said := w.next().Result
		require.NoError(t, json.Unmarshal(said, &list))
		var shown []string
		for _, tool := range list.Tools {
			shown = append(shown, tool.Name)
		}
		require.Equal(t, seen, shown)
		require.Equal(t, len(seen)*2, strings.Count(string(said), "zq7_"), "name and description of each, and nothing else")
		for i := range 12 {
			name := fmt.Sprintf("zq7_%02d", i)
			w.send(callLine(100+i, name, `{"text":7}`))
			m := w.next()
			if slices.Contains(seen, name) {
				require.Contains(t, string(m.Result), "bad arguments")
				continue
			}
			require.Equal(t, "unknown tool", m.Error.Message, "and nothing about the arguments")
		}
	}
}

func TestServer_CallsUseTheView(t *testing.T) {
	quiet(t)
	r := house(t)
	w := start(t, serverOf(t, viewOf(r, stranger), mcp.ServerOptions{}))
	for i, tt := range []struct{ name, args, want string }{
		{"echo", `{"text":"你好"}`, `{"content":[{"type":"text","text":"你好"}]}`},
		{"pair", `{}`, `{"content":[{"type":"text","text":"{\"sum\":3,\"words\":\"三\"}"}],"structuredContent":{"sum":3,"words":"三"}}`},
		{"pair", `null`, `{"content":[{"type":"text","text":"{\"sum\":3,\"words\":\"三\"}"}],"structuredContent":{"sum":3,"words":"三"}}`},
		{"echo", `null`, `{"content":[{"type":"text","text":"error: bad arguments: text is missing"}],"isError":true}`},
		{"fail", `{}`, `{"content":[{"type":"text","text":"error: the tool failed: 不行"}],"isError":true}`},
		{"echo", `{"text":7}`, `{"content":[{"type":"text","text":"error: bad arguments: text is not of type string"}],"isError":true}`},
		{"echo", `{"text":"a","text":"b"}`, `{"content":[{"type":"text","text":"error: bad arguments: a key given twice"}],"isError":true}`},
		{"echo", `{"TEXT":"a"}`, `{"content":[{"type":"text","text":"error: bad arguments: text is missing; has a key that the tool does not know"}],"isError":true}`},
	} {
		w.send(callLine(10+i, tt.name, tt.args))
		m := w.next()
		require.Nil(t, m.Error, tt.args)
		assert.JSONEq(t, tt.want, string(m.Result), tt.args)
	}
	// The view truncates a long result.
	w.send(callLine(40, "echo", `{"text":"`+strings.Repeat("长", 5000)+`"}`))
	assert.Contains(t, string(w.next().Result), "1000 more characters")
}

func TestServer_QuotaOfOneView(t *testing.T) {
	r := house(t)
	r.Limits.Calls = 2
	v := r.View(stranger)
	w := start(t, serverOf(t, func() *nit.View { return v }, mcp.ServerOptions{}))
	for i, want := range []string{"a", "a", "no tool calls left"} {
		w.send(callLine(10+i, "echo", `{"text":"a"}`))
		assert.Contains(t, string(w.next().Result), want)
	}
	w.send(callLine(20, "zq7_shell", `{}`)) // the quota is checked before the name
	assert.Contains(t, string(w.next().Result), "no tool calls left")
}

func TestServe_InvalidLinesDoNotEndTheSession(t *testing.T) {
	quiet(t)
	w := start(t, serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{}))
	for _, tt := range []struct {
		line string
		code int
		id   any
	}{
		{"{bad json", -32700, nil},
		{"hello", -32700, nil},
		{`{"id":5,"method":"ping"}`, -32600, 5.0},
		{`{"jsonrpc":"1.0","id":"x","method":"ping"}`, -32600, "x"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{strings.Repeat("[", 100_000), -32700, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 2<<20) + `"}`, -32600, nil},
		{"\x00\xff\xfe", -32700, nil},
		{`{"jsonrpc":"2.0","id":5,"method":"ping"}{"jsonrpc":"2.0","id":6,"method":"ping"}`, -32700, nil},
		{`{"jsonrpc":"2.0","id":5,"method":"ping"} x`, -32700, nil},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","method":"ping"}`, -32600, 5.0},
		{`{"jsonrpc":"2.0","id":5,"id":5,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","name":"echo","arguments":{}}}`, -32600, 5.0},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"a":1,"a":2}}}`, -32600, 5.0},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{`7`, -32600, nil},
	} {
		w.send(tt.line)
		m := w.next()
		require.NotNil(t, m.Error)
		assert.Equal(t, tt.code, m.Error.Code, "%.40q", tt.line)
		assert.Equal(t, tt.id, m.ID, "%.40q", tt.line)
	}
	w.send("", " \r", callLine(9, "echo", `{"text":"still here"}`)+"\r")
	assert.Contains(t, string(w.next().Result), "still here")
}

func TestServe_EndOfInputKeepsAnswers(t *testing.T) {
	quiet(t)
	var calls []string
	for i := range 20 {
		calls = append(calls, callLine(100+i, "echo", `{"text":"a"}`))
	}
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{MaxConcurrent: 32})
	for _, end := range []string{"\n", ""} {
		in := io.NopCloser(strings.NewReader(strings.Join(append([]string{hello, ready}, calls...), "\n") + end))
		var out bytes.Buffer
		require.NoError(t, s.Serve(t.Context(), in, &out))
		seen := map[any]bool{}
		for d := json.NewDecoder(&out); d.More(); { // only messages
			var m message
			require.NoError(t, d.Decode(&m))
			require.Nil(t, m.Error)
			seen[m.ID] = true
		}
		assert.Len(t, seen, 21)
	}
}

func TestServe_CancelledRequestCancelsTheTool(t *testing.T) {
	quiet(t)
	r := house(t)
	began, ended := make(chan struct{}), make(chan error, 1)
	require.NoError(t, r.Add(define(t, "slow", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return "", ctx.Err()
	}, nit.Timeout(-1))))
	w := start(t, serverOf(t, viewOf(r, stranger), mcp.ServerOptions{}))
	w.send(callLine(7, "slow", `{}`))
	<-began
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	assert.ErrorIs(t, <-ended, context.Canceled)
}

// After ctx ends, running calls are cancelled and Serve returns.
func TestServe_EndCancelsCalls(t *testing.T) {
	quiet(t)
	r := house(t)
	began := make(chan struct{})
	require.NoError(t, r.Add(define(t, "slow", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		close(began)
		<-ctx.Done()
		return "", ctx.Err()
	}, nit.Timeout(-1))))
	w := start(t, serverOf(t, viewOf(r, stranger), mcp.ServerOptions{}))
	w.send(callLine(7, "slow", `{}`))
	<-began // the cleanup of start ends ctx
}

// The client closed its input, so running calls are cancelled.
func TestServe_ClientClosedOutput(t *testing.T) {
	quiet(t)
	r := house(t)
	began, ended := make(chan struct{}), make(chan error, 1)
	require.NoError(t, r.Add(define(t, "slow", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return "", ctx.Err()
	}, nit.Timeout(-1))))
	in, toServer := io.Pipe()
	defer toServer.Close()
	fromServer, out := io.Pipe()
	over := make(chan error, 1)
	s := serverOf(t, viewOf(r, stranger), mcp.ServerOptions{})
	go func() { over <- s.Serve(context.Background(), in, out) }()
	say := func(line string) {
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
	}
	say(hello)
	_, err := bufio.NewReader(fromServer).ReadString('\n')
	require.NoError(t, err)
	say(ready)
	say(callLine(7, "slow", `{}`))
	<-began
	fromServer.Close()
	say(callLine(8, "echo", `{"text":"anybody there?"}`))
	require.NoError(t, <-over)
	assert.ErrorIs(t, <-ended, context.Canceled)
}

// The client does not read, so no answer can be written. Serve still ends with ctx.
func TestServe_ClientDoesNotRead(t *testing.T) {
	r := house(t)
	synctest.Test(t, func(t *testing.T) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		s := serverOf(t, viewOf(r, stranger), mcp.ServerOptions{})
		go func() { over <- s.Serve(ctx, in, out) }()
		_, err := io.WriteString(toServer, hello+"\n")
		require.NoError(t, err)
		synctest.Wait() // the answer is being written
		cancel()
		select {
		case err := <-over:
			assert.NoError(t, err)
		case <-time.After(time.Minute):
			t.Error("it waits for the client")
		}
		fromServer.Close() // ends the pending write
	})
}

func TestServer_LimitsConcurrentCalls(t *testing.T) {
	quiet(t)
	r := house(t)
	began := make(chan struct{})
	require.NoError(t, r.Add(define(t, "slow", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		began <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}, nit.Timeout(-1))))
	w := start(t, serverOf(t, viewOf(r, stranger), mcp.ServerOptions{MaxConcurrent: 2}))
	w.send(callLine(1000, "slow", `{}`), callLine(1001, "slow", `{}`))
	<-began // calls start in any order
	<-began
	w.send(callLine(2000, "echo", `{"text":"a"}`))
	assert.Contains(t, string(w.next().Result), "too many calls")
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000}}`)
	for i := 0; ; i++ {
		w.send(callLine(9000+i, "echo", `{"text":"again"}`))
		if strings.Contains(string(w.next().Result), "again") {
			break
		}
	}
}

func TestServer_NotifiesListChanges(t *testing.T) {
	quiet(t)
	r := house(t)
	s := serverOf(t, viewOf(r, stranger), mcp.ServerOptions{})
	w := start(t, s)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.Equal(t, 2.0, w.next().ID) // no notification: the client just got the list
	r.Remove("pair")
	s.Refresh()
	assert.Equal(t, "notifications/tools/list_changed", w.next().Method)
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	assert.NotContains(t, string(w.next().Result), "pair")
	w.send(callLine(4, "pair", `{}`))
	assert.Equal(t, "unknown tool", w.next().Error.Message)

	r.Remove("fail") // without Refresh, but a list is always current
	w.send(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	m, told := w.next(), w.next()
	if m.Method != "" { // the notification may come before the answer
		m, told = told, m
	}
	assert.Equal(t, 5.0, m.ID)
	assert.NotContains(t, string(m.Result), "fail")
	assert.Equal(t, "notifications/tools/list_changed", told.Method)
}

// Zero views have no tools, and a panic of the host's view function does not crash the program.
func TestServer_NilViewHasNoTools(t *testing.T) {
	quiet(t)
	for name, view := range map[string]func() *nit.View{
		"nil":  func() *nit.View { return nil },
		"zero": func() *nit.View { return new(nit.View) },
		"nobody": func() *nit.View {
			return house(t).View(nit.Principal{})
		},
	} {
		w := start(t, serverOf(t, view, mcp.ServerOptions{}))
		w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		assert.JSONEq(t, `{"tools":[],"ttlMs":0,"cacheScope":"private"}`, string(w.next().Result), name)
		w.send(callLine(3, "echo", `{"text":"a"}`))
		assert.Equal(t, "unknown tool", w.next().Error.Message, name)
	}
	calm := true
	w := start(t, serverOf(t, func() *nit.View {
		if !calm {
			panic("zq7")
		}
		return nil
	}, mcp.ServerOptions{}))
	calm = false
	w.send(callLine(3, "echo", `{}`))
	assert.Equal(t, "internal error", w.next().Error.Message)
	w.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	assert.Nil(t, w.next().Error)
}
