package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// post sends a message as a client does.
func post(h http.Handler, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/mcp", strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:40000"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandler_RejectsBadOptions(t *testing.T) {
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	for _, o := range []mcp.HTTPOptions{
		{MaxSessions: -1}, {IdleTimeout: -1}, {AllowedOrigins: []string{""}}, {AllowedOrigins: []string{"ours.example"}}, {AllowedOrigins: []string{"https://ours.example/"}},
		{AllowedOrigins: []string{"null"}}, {AllowedOrigins: []string{"https://ours.example:8080", "*"}},
	} {
		_, err := s.Handler(o)
		assert.Error(t, err, "%+v", o)
	}
	_, err := s.Handler(mcp.HTTPOptions{AllowedOrigins: []string{"https://ours.example:8080", "http://[::1]:3000"}})
	assert.NoError(t, err)
}

func TestHandler_Authorization(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	t.Cleanup(s.Close)
	bare, token := handlerOf(t, s, mcp.HTTPOptions{}), handlerOf(t, s, mcp.HTTPOptions{Token: "zq7_token", AllowedOrigins: []string{"https://ours.example"}})
	header := func(kv ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(kv); i += 2 {
				r.Header.Set(kv[i], kv[i+1])
			}
		}
	}
	for _, tt := range []struct {
		name   string
		h      http.Handler
		change func(*http.Request)
		want   int
	}{
		{"from here", bare, nil, 200},
		{"from here, IPv6", bare, func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:9", "[::1]:8080" }, 200},
		{"from here, by name", bare, func(r *http.Request) { r.Host = "localhost:8080" }, 200},
		{"from elsewhere", bare, func(r *http.Request) { r.RemoteAddr = "192.0.2.1:40000" }, 401},
		{"a rebound name", bare, func(r *http.Request) { r.Host = "evil.example:8080" }, 401},
		{"a name that looks like it", bare, func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 401},
		{"no host", bare, func(r *http.Request) { r.Host = "" }, 401},
		{"through a proxy", bare, header("X-Forwarded-For", "192.0.2.1"), 401},
		{"from a page of this host", bare, header("Origin", "http://127.0.0.1:8080"), 200},
		{"from a page of another port", bare, header("Origin", "http://127.0.0.1:8081"), 403},
		{"from a page of a rebound name", bare, func(r *http.Request) {
			r.Host = "evil.example:8080"
			r.Header.Set("Origin", "http://evil.example:8080")
		}, 401},
		{"from a page without an origin", bare, header("Origin", "null"), 403},
		{"no token", token, nil, 401},
		{"a wrong token", token, header("Authorization", "Bearer zq7_tokem"), 401},
		{"a prefix", token, header("Authorization", "Bearer zq7"), 401},
		{"another scheme", token, header("Authorization", "Basic zq7_token"), 401},
		{"an empty token", token, header("Authorization", "Bearer "), 401},
		{"the token", token, header("Authorization", "Bearer zq7_token"), 200},
		{"the token from elsewhere", token, func(r *http.Request) {
			r.RemoteAddr, r.Host = "192.0.2.1:40000", "bot.example"
			r.Header.Set("Authorization", "bearer zq7_token")
		}, 200},
		{"the token from our page", token, header("Authorization", "Bearer zq7_token", "Origin", "https://ours.example"), 200},
		{"the token from a page of its host", token, func(r *http.Request) {
			r.RemoteAddr, r.Host = "192.0.2.1:40000", "bot.example"
			r.Header.Set("Authorization", "Bearer zq7_token")
			r.Header.Set("Origin", "https://bot.example")
		}, 200},
		{"the token from another page", token, header("Authorization", "Bearer zq7_token", "Origin", "https://evil.example"), 403},
	} {
		w := post(tt.h, hello, tt.change)
		assert.Equal(t, tt.want, w.Code, tt.name)
		assert.NotContains(t, w.Body.String(), "zq7", tt.name)
	}
}

func TestHandler_LimitsSessions(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	h := handlerOf(t, s, mcp.HTTPOptions{MaxSessions: 3})
	var ids []string
	for range 3 {
		w := post(h, hello, nil)
		require.Equal(t, http.StatusOK, w.Code)
		ids = append(ids, w.Header().Get("Mcp-Session-Id"))
	}
	in := func(id string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Mcp-Session-Id", id) }
	}
	ping := func(id string) int { return post(h, fmt.Sprintf(pingLine, 2), in(id)).Code }
	assert.Equal(t, http.StatusOK, ping(ids[0]))
	assert.Equal(t, http.StatusOK, post(h, hello, nil).Code)
	assert.Equal(t, []int{200, 404, 200}, []int{ping(ids[0]), ping(ids[1]), ping(ids[2])}, "the one that was idle longest is closed")
	assert.Equal(t, http.StatusRequestEntityTooLarge, post(h, `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 2<<20)+`"}`, nil).Code)
	s.Close()
	assert.Equal(t, http.StatusOK, post(h, hello, nil).Code)
	s.Close()
}

// One registry serves its tools over HTTP with a token, and another one imports them.
func TestClient_ImportsOverHTTP(t *testing.T) {
	quiet(t)
	ours := house(t)
	asking, giveUp := context.WithCancel(t.Context())
	ours.Remove("wait")
	require.NoError(t, ours.Add(define(t, "wait", nit.L1, func(ctx context.Context, _ struct{}) (string, error) {
		giveUp()
		<-ctx.Done()
		return "", ctx.Err()
	})))
	server := serverOf(t, viewOf(ours, stranger), mcp.ServerOptions{})
	web := httptest.NewServer(handlerOf(t, server, mcp.HTTPOptions{Token: "t"}))
	t.Cleanup(web.Close)
	t.Cleanup(server.Close)

	reg := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	src := mcp.Source{Name: "far", URL: web.URL, Header: http.Header{"authorization": {"Bearer t"}}}
	s := run(t, reg, src, mcp.ClientOptions{Approve: yes, PollInterval: 20 * time.Millisecond, Limits: mcp.ClientLimits{MinBackoff: 20 * time.Millisecond}})
	s.until("imported", has("far__echo", "far__fail", "far__pair", "far__wait"))
	res, err := reg.View(owner).Do(t.Context(), "far__echo", `{"text":"你好"}`)
	require.NoError(t, err)
	assert.Equal(t, "你好", res.Text)
	_, err = reg.View(owner).Do(t.Context(), "far__fail", "")
	assert.EqualError(t, err, "nit: the tool failed: error: the tool failed: 不行")

	// Cancelling a call cancels it on the remote side too.
	_, err = reg.View(owner).Do(asking, "far__wait", "")
	assert.ErrorIs(t, err, nit.ErrFailed)
	require.NoError(t, ours.Wait(t.Context()))

	ours.Remove("pair")
	s.until("a poll finds it out", has("far__echo", "far__fail", "far__wait"))
	server.Close() // closes all sessions, also ours
	s.until("away", func(st mcp.Status) bool { return !st.Connected })
	s.until("and back", has("far__echo", "far__fail", "far__wait"))
	s.stop()

	src.Header = nil
	s = run(t, reg, src, mcp.ClientOptions{Approve: yes})
	st := s.until("no token", func(st mcp.Status) bool { return st.Err != nil })
	assert.ErrorContains(t, st.Err, "Unauthorized")
}

// As TestClient_HostileServers, for HTTP servers.
func TestClient_HostileServersOverHTTP(t *testing.T) {
	quiet(t)
	sse := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }
	asJSON := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json") }
	forever := func(w io.Writer, text string) {
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		err    string
	}{
		"silence":      {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "deadline"},
		"endless JSON": {func(w http.ResponseWriter, _ *http.Request) { asJSON(w); forever(w, strings.Repeat(" ", 1<<16)) }, "message too long"},
		"endless event": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			forever(w, "data: "+strings.Repeat("x", 1<<16)+"\n")
		}, "handshake"},
		"endless events": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			forever(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
		}, "too many unrequested messages"},
		"garbage":       {func(w http.ResponseWriter, _ *http.Request) { asJSON(w); fmt.Fprint(w, "{]") }, "decode"},
		"another type":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "content type"},
		"an error page": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); forever(w, "<html>") }, "Not Found"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "Temporary Redirect"},
		"a large header":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "header"},
		"an empty answer": {func(w http.ResponseWriter, _ *http.Request) { sse(w) }, "without response"},
		"a broken off line": {func(w http.ResponseWriter, _ *http.Request) {
			asJSON(w)
			w.Header().Set("Content-Length", "99")
			fmt.Fprint(w, "{")
		}, "unexpected EOF"},
		"a drip": {func(w http.ResponseWriter, r *http.Request) {
			asJSON(w)
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server detects the disconnect
				tt.answer(w, r)
			}))
			t.Cleanup(web.Close)
			limits := mcp.ClientLimits{}
			if tt.err == "deadline" {
				limits.HandshakeTimeout = 300 * time.Millisecond
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			s := run(t, &nit.Registry{}, mcp.Source{Name: "bad", URL: web.URL, Header: http.Header{"Authorization": {"Bearer zq7"}}},
				mcp.ClientOptions{Approve: yes, Limits: limits})
			st := s.until("over", func(st mcp.Status) bool { return st.Err != nil })
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			s.stop()
			assert.ErrorContains(t, st.Err, tt.err)
			cost := after.TotalAlloc - before.TotalAlloc
			t.Logf("%v, %.1f MiB", took.Round(time.Millisecond), float64(cost)/(1<<20))
			assert.Less(t, cost, uint64(mostMemory))
		})
	}
	assert.Zero(t, elsewhere.Load(), "nothing is sent where a server points")
}
