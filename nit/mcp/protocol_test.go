package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// versions are the protocol versions with a handshake.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

func helloIn(version string) string { return strings.Replace(hello, "2025-11-25", version, 1) }

// modern returns a request of the protocol version without a handshake.
func modern(id int, method, params string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, meta, params)
}

// slowServer has a tool slow that reports its start and ends when its call is cancelled.
func slowServer(t testing.TB) (s *mcp.Server, began, ended chan struct{}) {
	began, ended = make(chan struct{}), make(chan struct{})
	r := house(t)
	require.NoError(t, r.Add(define(t, "slow", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return "", ctx.Err()
	}, nit.Timeout(-1))))
	return serverOf(t, viewOf(r, stranger), mcp.ServerOptions{}), began, ended
}

func cancelLine(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

const pingLine = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`

func TestServe_Batches(t *testing.T) {
	quiet(t)
	for _, version := range versions {
		s, began, ended := slowServer(t)
		w := serve(t, s)
		batch := `[` + callLine(10, "echo", `{"text":"a"}`) + `,` + fmt.Sprintf(pingLine, 11) + `,{"jsonrpc":"2.0","id":12,"method":"zq7"},{"jsonrpc":"2.0","method":"notifications/zq7"}]`
		w.send(batch)
		assert.Equal(t, -32600, w.next().Error.Code, "no version is known yet")
		w.send(helloIn(version))
		assert.Contains(t, string(w.next().Result), `"protocolVersion":"`+version+`"`)
		w.send(ready, batch)
		if version != "2025-03-26" {
			m := w.next()
			require.NotNil(t, m.Error, version)
			assert.Equal(t, -32600, m.Error.Code)
			assert.Nil(t, m.ID)
			continue
		}
		answers := func() map[any]message {
			var all []message
			require.NoError(t, w.dec.Decode(&all))
			byID := map[any]message{}
			for _, m := range all {
				byID[m.ID] = m
			}
			require.Len(t, byID, len(all))
			return byID
		}
		all := answers()
		require.Len(t, all, 3)
		assert.Contains(t, string(all[10.0].Result), `"a"`)
		assert.Equal(t, "{}", string(all[11.0].Result))
		assert.Equal(t, -32601, all[12.0].Error.Code)

		// Notifications get no answer, and a batch of unknown methods gets one.
		w.send(`[`+ready+`,{"jsonrpc":"2.0","method":"notifications/zq7"}]`, `[{"jsonrpc":"2.0","id":13,"method":"zq7"}]`)
		assert.Equal(t, -32601, answers()[13.0].Error.Code)
		w.send(`[` + helloIn(version) + `]`)
		assert.Equal(t, -32600, answers()[1.0].Error.Code)
		for _, bad := range []string{`[]`, `[1]`, `[` + fmt.Sprintf(pingLine, 5) + `,{}]`, `[` + fmt.Sprintf(pingLine, 5) + `,` + fmt.Sprintf(pingLine, 5) + `]`} {
			w.send(bad)
			assert.Equal(t, -32600, w.next().Error.Code, bad)
		}

		// The answer to a batch lacks a cancelled request.
		w.send(`[` + callLine(20, "slow", `{}`) + `,` + fmt.Sprintf(pingLine, 21) + `]`)
		<-began
		w.send(cancelLine(20))
		<-ended
		all = answers()
		require.Len(t, all, 1)
		assert.NotNil(t, all[21.0].Result)
		w.send(`[` + callLine(22, "slow", `{}`) + `]`)
		<-began
		w.send(cancelLine(22))
		<-ended
		w.send(fmt.Sprintf(pingLine, 23))
		assert.Equal(t, 23.0, w.next().ID)
	}
}

func TestServe_CancelledRequestGetsNoAnswer(t *testing.T) {
	quiet(t)
	s, began, ended := slowServer(t)
	w := start(t, s)
	for id := range 20 {
		w.send(callLine(100+id, "slow", `{}`))
		<-began
		w.send(cancelLine(100 + id))
		<-ended
		w.send(fmt.Sprintf(pingLine, 200+id))
		require.Equal(t, float64(200+id), w.next().ID)
	}
	w.send(cancelLine(300), cancelLine(1), fmt.Sprintf(pingLine, 300)) // cancelled before it began
	assert.Equal(t, 300.0, w.next().ID)
}

func TestServe_Handshake(t *testing.T) {
	quiet(t)
	w := serve(t, serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{}))
	code := func(line string) any {
		w.send(line)
		m := w.next()
		if m.Error == nil {
			return "ok"
		}
		return m.Error.Code
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	assert.Equal(t, -32600, code(list), "before initialize")
	assert.Equal(t, "ok", code(fmt.Sprintf(pingLine, 3)))
	assert.Equal(t, -32602, code(`{"jsonrpc":"2.0","id":5,"method":"initialize"}`))
	assert.Equal(t, -32600, code(list), "initialize failed")
	assert.Equal(t, -32602, code(`{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":7}}`))
	assert.Equal(t, -32600, code(list), "initialize failed")
	assert.Equal(t, "ok", code(hello))
	assert.Equal(t, -32600, code(hello), "a second time")
	assert.Equal(t, "ok", code(list))

	w = serve(t, serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{}))
	assert.Equal(t, "ok", code(modern(4, "server/discover", "")), "later versions have no handshake")
	assert.Equal(t, "ok", code(modern(5, "tools/list", "")))
}

func TestServer_RejectsUndeclaredMethods(t *testing.T) {
	quiet(t)
	bare := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	url := serveHTTP(t, bare)
	w, h := start(t, bare), connect(t, url, "2025-11-25")
	methods := map[string]string{
		"prompts/list": ``, "prompts/get": `"name":"a"`, "logging/setLevel": `"level":"info"`, "completion/complete": `"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":"b"}`,
		"resources/list": ``, "resources/templates/list": ``, "resources/read": `"uri":"qq://a"`, "resources/subscribe": `"uri":"qq://a"`, "resources/unsubscribe": `"uri":"qq://a"`,
		"zq7": ``, "hearth/rejected": `"code":1`,
	}
	for method, params := range methods {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":{%s}}`, method, params)
		w.send(line)
		m := w.next()
		require.NotNil(t, m.Error, method)
		assert.Equal(t, -32601, m.Error.Code, method)
		status, all := h.post(line)
		assert.Equal(t, 200, status, method)
		require.Len(t, all, 1)
		assert.Equal(t, -32601, all[0].Error.Code, method)
		assert.Equal(t, 2.0, all[0].ID)

		name := "a"
		if strings.Contains(params, "uri") {
			name = "qq://a"
		}
		later := &httpSession{t: t, url: url, header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name}}}
		status, all = later.post(modern(3, method, params))
		assert.Equal(t, 404, status, method)
		require.Len(t, all, 1)
		assert.Equal(t, -32601, all[0].Error.Code, method)
	}
	w.send(fmt.Sprintf(pingLine, 4))
	assert.Nil(t, w.next().Error)
}

func TestServer_ResourceNotFoundCode(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{EnableResources: true})
	require.NoError(t, s.SetResources(mcp.Resource{URI: "qq://a", Name: "a", Read: func(context.Context) (string, error) { return "here", nil }}))
	read := func(uri string) string {
		return `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	}
	for _, version := range append(versions, "2099-01-01") {
		w := serve(t, s)
		w.send(helloIn(version))
		require.Nil(t, w.next().Error)
		w.send(ready, read("qq://b"))
		m := w.next()
		assert.Equal(t, -32002, m.Error.Code, version)
		w.send(strings.Replace(read("qq://b"), "/read", "/subscribe", 1))
		assert.Equal(t, -32002, w.next().Error.Code, version)
		w.send(read("qq://a"))
		assert.Contains(t, string(w.next().Result), "here")
	}
	w := serve(t, s)
	w.send(modern(3, "resources/read", `"uri":"qq://b"`))
	assert.Equal(t, -32602, w.next().Error.Code)
	w.send(modern(4, "resources/read", `"uri":"qq://a"`))
	assert.Contains(t, string(w.next().Result), "here")
}

// httpSession is a client over HTTP with hand-written messages.
type httpSession struct {
	t      testing.TB
	url    string
	header http.Header
}

// serveHTTP serves without a token until the end of the test, and returns the URL.
func serveHTTP(t testing.TB, s *mcp.Server) string {
	web := httptest.NewServer(handlerOf(t, s, mcp.HTTPOptions{}))
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	return web.URL
}

// connect begins a session.
func connect(t testing.TB, url, version string) *httpSession {
	h := &httpSession{t: t, url: url, header: http.Header{}}
	res := h.do(http.MethodPost, helloIn(version))
	require.Equal(t, 200, res.StatusCode)
	_, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	h.header.Set("Mcp-Session-Id", res.Header.Get("Mcp-Session-Id"))
	h.header.Set("Mcp-Protocol-Version", version)
	status, _ := h.post(ready)
	require.Equal(t, 202, status)
	return h
}

func (h *httpSession) do(method, body string) *http.Response {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url, strings.NewReader(body))
	require.NoError(h.t, err)
	r.Header = h.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { res.Body.Close() })
	return res
}

// post sends a message and returns all messages of the response.
func (h *httpSession) post(body string) (status int, all []message) {
	h.t.Helper()
	res := h.do(http.MethodPost, body)
	return res.StatusCode, read(h.t, res.Body)
}

// read reads messages, as JSON or as events.
func read(t testing.TB, body io.Reader) (all []message) {
	t.Helper()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		var m message
		if json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &m) == nil {
			all = append(all, m)
		}
	}
	require.NoError(t, lines.Err())
	return all
}

func TestHandler_ProtocolErrors(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	url := serveHTTP(t, s)
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for _, version := range versions {
		known := connect(t, url, version)
		lost := &httpSession{t: t, url: url, header: known.header.Clone()}
		lost.header.Set("Mcp-Session-Id", "zq7")
		none := &httpSession{t: t, url: url, header: http.Header{}}
		for name, tt := range map[string]struct {
			h      *httpSession
			body   string
			status int
			code   int
			id     any
		}{
			"without a session":              {none, list, 400, -32600, 2.0},
			"a ping without a session":       {none, fmt.Sprintf(pingLine, 2), 400, -32600, 2.0},
			"a notification, no session":     {none, ready, 400, -32600, nil},
			"a batch without a session":      {none, `[` + list + `]`, 400, -32600, 2.0},
			"initialize in a batch":          {none, `[` + hello + `]`, 400, -32600, 1.0},
			"an ended session":               {lost, list, 404, -32001, 2.0},
			"an unknown method":              {known, `{"jsonrpc":"2.0","id":2,"method":"zq7"}`, 200, -32601, 2.0},
			"a second initialize":            {known, helloIn(version), 200, -32600, 1.0},
			"no parameters":                  {known, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, 200, -32602, 2.0},
			"initialize without parameters":  {none, `{"jsonrpc":"2.0","id":2,"method":"initialize"}`, 400, -32602, 2.0},
			"initialize, bad parameters":     {none, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":7}}`, 400, -32602, 2.0},
			"no id":                          {known, `{"jsonrpc":"2.0","method":"tools/list"}`, 400, -32600, nil},
			"a list":                         {known, list, 200, 0, 2.0},
			"an unknown notification":        {known, `{"jsonrpc":"2.0","method":"notifications/zq7"}`, 202, 0, nil},
			"two objects":                    {known, list + list, 400, -32700, nil},
			"two lines":                      {known, list + "\n" + list, 400, -32700, nil},
			"a key twice":                    {known, `{"jsonrpc":"2.0","id":2,"method":"ping","method":"tools/list"}`, 400, -32600, 2.0},
			"an id twice":                    {known, `{"jsonrpc":"2.0","id":2,"id":3,"method":"ping"}`, 400, -32600, nil},
			"a parameter twice":              {known, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fail","name":"echo","arguments":{"text":"a"}}}`, 400, -32600, 2.0},
			"no JSON":                        {known, `{`, 400, -32700, nil},
			"nothing":                        {known, ``, 400, -32700, nil},
			"an id that is no whole number":  {known, `{"jsonrpc":"2.0","id":2.5,"method":"ping"}`, 400, -32600, nil},
			"a later version without header": {none, modern(2, "tools/list", ""), 400, -32020, 2.0},
		} {
			status, all := tt.h.post(tt.body)
			assert.Equal(t, tt.status, status, "%s: %s", version, name)
			if tt.status == 202 {
				assert.Empty(t, all)
				continue
			}
			require.Len(t, all, 1, "%s: %s", version, name)
			assert.Equal(t, tt.id, all[0].ID, "%s: %s", version, name)
			code := 0
			if all[0].Error != nil {
				code = all[0].Error.Code
			}
			assert.Equal(t, tt.code, code, "%s: %s", version, name)
		}

		batch := `[` + callLine(10, "echo", `{"text":"a"}`) + `,{"jsonrpc":"2.0","id":11,"method":"zq7"},` + ready + `,{"jsonrpc":"2.0","method":"notifications/zq7"}]`
		status, all := known.post(batch)
		if version != "2025-03-26" {
			assert.Equal(t, 400, status, version)
			require.Len(t, all, 1)
			assert.Equal(t, -32600, all[0].Error.Code)
			continue
		}
		assert.Equal(t, 200, status)
		require.Len(t, all, 2)
		if all[0].ID != 10.0 {
			all[0], all[1] = all[1], all[0]
		}
		assert.Contains(t, string(all[0].Result), `"a"`)
		assert.Equal(t, -32601, all[1].Error.Code)
		status, all = known.post(`[` + ready + `]`)
		assert.Equal(t, 202, status)
		assert.Empty(t, all)
	}
	later := &httpSession{t: t, url: url, header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}}
	status, all := later.post(`[` + modern(2, "tools/list", "") + `]`)
	assert.Equal(t, 400, status)
	assert.Equal(t, -32600, all[0].Error.Code)
}

func TestHandler_CancelledRequestGetsNoAnswer(t *testing.T) {
	quiet(t)
	s, began, ended := slowServer(t)
	url := serveHTTP(t, s)
	h, other := connect(t, url, "2025-03-26"), connect(t, url, "2025-03-26")
	answers := func(body string) chan []message {
		c := make(chan []message, 1)
		go func() {
			defer close(c) // also if the request fails
			_, all := h.post(body)
			c <- all
		}()
		return c
	}
	for id := range 10 {
		all := answers(callLine(100+id, "slow", `{}`))
		<-began
		for _, who := range []*httpSession{other, h} { // ids of another session mean nothing
			status, _ := who.post(cancelLine(100 + id))
			require.Equal(t, 202, status)
			if who == other {
				status, got := h.post(fmt.Sprintf(pingLine, 50))
				require.Equal(t, 200, status)
				require.Len(t, got, 1)
			}
		}
		<-ended
		assert.Empty(t, <-all)
	}
	all := answers(`[` + callLine(1, "slow", `{}`) + `,` + callLine(2, "echo", `{"text":"a"}`) + `]`)
	<-began
	h.post(cancelLine(1))
	<-ended
	got := <-all
	require.Len(t, got, 1)
	assert.Equal(t, 2.0, got[0].ID)

	// A batch may cancel a request of its own.
	_, got = h.post(`[` + callLine(3, "echo", `{"text":"a"}`) + `,` + cancelLine(3) + `,` + callLine(4, "echo", `{"text":"b"}`) + `]`)
	require.Len(t, got, 1)
	assert.Equal(t, 4.0, got[0].ID)
	_, got = h.post(`[` + callLine(5, "echo", `{"text":"a"}`) + `,` + cancelLine(5) + `]`)
	assert.Empty(t, got)
}

// Idle sessions and the streams of later versions keep nobody out.
func TestHandler_IdleSessions(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	url := serveHTTP(t, s)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	list := func(h *httpSession) int {
		status, _ := h.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		return status
	}
	all := make([]*httpSession, 65)
	for i := range all {
		if i == 64 {
			require.Equal(t, 200, list(all[0]), "now the second is idle longest")
		}
		all[i] = connect(t, url, "2025-11-25")
	}
	assert.Equal(t, 200, list(all[0]))
	assert.Equal(t, 404, list(all[1]))
	assert.Equal(t, 200, list(all[64]))

	later := func(method, params string) *http.Response {
		h := &httpSession{t: t, url: url, header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}}
		return h.do(http.MethodPost, modern(1, method, params))
	}
	for i := range 70 {
		res := later("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
		require.Equal(t, 200, res.StatusCode, i)
	}
	assert.Equal(t, 200, later("tools/list", "").StatusCode)
	require.Equal(t, 204, all[0].do(http.MethodDelete, "").StatusCode)
	all[0] = connect(t, url, "2025-11-25")
	for _, h := range all[2:] {
		require.Equal(t, 200, list(h), "there was room")
	}
	all[1] = connect(t, url, "2025-11-25") // now all[0] was idle longest

	// Sessions with a stream of notifications are not idle.
	for i, h := range all {
		if i > 0 {
			require.Equal(t, 200, h.do(http.MethodGet, "").StatusCode, i)
		}
	}
	none := &httpSession{t: t, url: url, header: http.Header{}}
	assert.Equal(t, 503, none.do(http.MethodPost, hello).StatusCode)
	assert.Equal(t, 200, later("tools/list", "").StatusCode)
}
