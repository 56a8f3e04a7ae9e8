package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A screen stores the output of a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A runningCompanion is a companion that runs in the test's process.
type runningCompanion struct {
	url, token string
	out        *screen
	typed      *io.PipeWriter
	stop       context.CancelFunc
	ended      chan error
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

// startCompanion starts a companion and waits for its page.
func startCompanion(t *testing.T, args ...string) *runningCompanion {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	in, typed := io.Pipe()
	l := &runningCompanion{out: &screen{}, typed: typed, stop: stop, ended: make(chan error, 1), token: "a token of the test's own"}
	go func() {
		l.ended <- run(ctx, append([]string{"-http-token", l.token}, args...), in, l.out, t.Output())
		in.Close() // the reader ends, too
	}()
	t.Cleanup(func() { typed.Close(); stop() })
	until(t, func() bool { l.url = address.FindString(l.out.String()); return l.url != "" })
	return l
}

// ask sends a request with the bearer token, unless change replaces it.
func (l *runningCompanion) ask(t *testing.T, method, path, body string, change func(*http.Request)) (status int, text string, head http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, l.url+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+l.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b), resp.Header
}

// Requests without the token or with another host name get no data.
func TestWebServer_Access(t *testing.T) {
	t.Parallel()
	l := startCompanion(t, "-speed", "60")
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	basic := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("owner", token) }
	}
	say := `{"text": "在吗"}`
	for name, test := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		want               int
	}{
		"the day":                {"GET", "day", "", nil, 200},
		"the page":               {"GET", "", "", nil, 200},
		"the page by a password": {"GET", "", "", basic(l.token), 200},
		"the day by a password":  {"GET", "day", "", basic(l.token), 200},
		"a talk":                 {"POST", "talk", say, nil, 200},
		"any case":               {"GET", "day", "", set("Authorization", "bearer "+l.token), 200},
		"localhost":              {"GET", "day", "", func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }, 200},

		"no token":               {"GET", "day", "", set("Authorization", ""), 401},
		"no token for the page":  {"GET", "", "", set("Authorization", ""), 401},
		"another":                {"GET", "day", "", set("Authorization", "Bearer wrong"), 401},
		"a part of it":           {"GET", "day", "", set("Authorization", "Bearer "+l.token[:5]), 401},
		"nothing as a token":     {"GET", "day", "", set("Authorization", "Bearer "), 401},
		"another password":       {"GET", "", "", basic("wrong"), 401},
		"in the query":           {"GET", "?token=" + strings.ReplaceAll(l.token, " ", "+"), "", set("Authorization", ""), 401},
		"a talk by a password":   {"POST", "talk", say, basic(l.token), 401},
		"a page of the internet": {"GET", "day", "", func(r *http.Request) { r.Host = "evil.example" }, 421},
		"with our port":          {"GET", "", "", func(r *http.Request) { r.Host = "evil.example:" + r.URL.Port() }, 421},
		"another port":           {"GET", "", "", func(r *http.Request) { r.Host = "127.0.0.1:1" }, 421},
		"a talk by another name": {"POST", "talk", say, func(r *http.Request) { r.Host = "evil.example" }, 421},
		"CORS":                   {"OPTIONS", "talk", "", nil, 405},
		"a form":                 {"POST", "talk", "text=hi", set("Content-Type", "application/x-www-form-urlencoded"), 415},
		"plain text":             {"POST", "talk", say, set("Content-Type", "text/plain"), 415},
		"no JSON":                {"POST", "talk", "hello", nil, 400},
		"no text":                {"POST", "talk", `{"text": " "}`, nil, 400},
		"more than text":         {"POST", "talk", `{"text": "hi", "mode": "agent"}`, nil, 400},
		"two of them":            {"POST", "talk", say + say, nil, 400},
		"a long talk":            {"POST", "talk", `{"text": "` + strings.Repeat("长", maxText+1) + `"}`, nil, 413},
		"a large body":           {"POST", "talk", `{"text": "` + strings.Repeat("a", maxBody) + `"}`, nil, 413},
		"a talk by GET":          {"GET", "talk", "", nil, 405},
		"elsewhere":              {"GET", "etc/passwd", "", nil, 404},
	} {
		status, text, head := l.ask(t, test.method, test.path, test.body, test.change)
		assert.Equal(t, test.want, status, "%s: %s", name, text)
		assert.Empty(t, head.Get("Access-Control-Allow-Origin"), name)
		assert.NotContains(t, text, l.token, name)
		if status == 200 {
			assert.Equal(t, "no-store", head.Get("Cache-Control"), name)
			assert.Equal(t, "nosniff", head.Get("X-Content-Type-Options"), name)
		}
		if status == 401 && test.path != "talk" {
			assert.Contains(t, head.Get("WWW-Authenticate"), "Basic", "a browser can ask")
		}
	}
	assert.NotContains(t, l.out.String(), l.token, "a token that was given is not printed")
}

// An answer arrives item by item, as lines or events, and is part of the day.
func TestWebServer_Talk(t *testing.T) {
	t.Parallel()
	l := startCompanion(t, "-speed", "60")
	status, text, head := l.ask(t, "POST", "talk", `{"text": "谢谢 <b>你</b>"}`, nil)
	require.Equal(t, 200, status, text)
	assert.Equal(t, "application/x-ndjson", head.Get("Content-Type"))
	var kinds []string
	for line := range strings.Lines(text) {
		var item struct{ Type, Text string }
		require.NoError(t, json.Unmarshal([]byte(line), &item), line)
		kinds = append(kinds, item.Type+" "+item.Text)
	}
	assert.Equal(t, []string{"item 不客气，主人。", "done "}, kinds)

	until(t, func() bool { // the entry may appear later
		status, text, head = l.ask(t, "POST", "talk", `{"text": "mute 老王 for 10 min in 炉边夜话"}`, func(r *http.Request) { r.Header.Set("Accept", "text/event-stream") })
		require.Equal(t, 200, status)
		assert.Equal(t, "text/event-stream", head.Get("Content-Type"))
		return !strings.Contains(text, "没做成")
	})
	assert.Equal(t, "event: item\ndata: {\"text\":\"办好了。\",\"type\":\"item\"}\n\nevent: done\ndata: {\"text\":\"\",\"type\":\"done\"}\n\n", text)

	_, err := io.WriteString(l.typed, "两小时后跟进一下发布\n半小时后提醒我喝水\n")
	require.NoError(t, err)
	until(t, func() bool { return strings.Contains(l.out.String(), "到时候叫你") })
	var d day
	status, text, _ = l.ask(t, "GET", "day", "", nil)
	require.Equal(t, 200, status)
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	assert.Equal(t, "小炉", d.Name)
	all := fmt.Sprint(d.Entries, d.Tasks, d.Timers, d.Documents)
	for _, want := range []string{"谢谢 <b>你</b>", "禁言 600 秒", "跟进一下发布", "喝水", "## 对主人的了解"} {
		assert.Contains(t, all, want)
	}
	_, text, _ = l.ask(t, "GET", "", "", nil)
	assert.Contains(t, text, "谢谢 &lt;b&gt;你&lt;/b&gt;")
	assert.NotContains(t, text, "<b>")
}

// Ctrl-D ends the program, and open requests end with it.
func TestRun_EndsWithInput(t *testing.T) {
	before := runtime.NumGoroutine()
	l := startCompanion(t, "-speed", "60")
	_, err := io.WriteString(l.typed, "在吗\n")
	require.NoError(t, err)
	until(t, func() bool { return strings.Contains(l.out.String(), "reply: 在呢，主人") })
	conn, err := http.Get(l.url) // kept alive
	require.NoError(t, err)
	conn.Body.Close()
	require.NoError(t, l.typed.Close())
	select {
	case err := <-l.ended:
		require.NoError(t, err)
	case <-time.After(giveUp):
		t.Fatal("it does not end")
	}
	_, err = http.Get(l.url)
	require.Error(t, err, "nobody listens any more")
	http.DefaultClient.CloseIdleConnections()
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}

// A turn may take longer than the read timeout. Too many concurrent turns are rejected.
func TestWebServer_SlowTurns(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var in struct{ Stream bool }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		if !in.Stream { // a background call
			json.NewEncoder(rw).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "嗯。"}, "finish_reason": "stop"}}})
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		for i, piece := range []string{"<item>一</item><it", "em>二</item>"} {
			if i == 1 {
				select {
				case <-answer:
				case <-r.Context().Done():
				}
			}
			chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": piece}}}})
			fmt.Fprintf(rw, "data: %s\n\n", chunk)
			rw.(http.Flusher).Flush()
		}
		fmt.Fprint(rw, "data: [DONE]\n\n")
	}))
	defer model.Close()
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("k"), 0o600))
	l := startCompanion(t, "-model", "openai", "-model-name", "m", "-base-url", model.URL, "-key-file", key)
	talks, first := make(chan string, maxTurns+1), make(chan string, maxTurns)
	for range maxTurns + 1 {
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), "POST", l.url+"talk", strings.NewReader(`{"text": "在吗"}`))
			r.Header.Set("Authorization", "Bearer "+l.token)
			r.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				talks <- err.Error()
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				talks <- resp.Status
				return
			}
			var lines []string
			for s := bufio.NewScanner(resp.Body); s.Scan(); {
				if lines = append(lines, s.Text()); len(lines) == 1 {
					first <- s.Text()
				}
			}
			talks <- strings.Join(lines, "")
		}()
	}
	assert.Equal(t, "503 Service Unavailable", <-talks, "one too many")
	assert.Equal(t, `{"text":"一","type":"item"}`, <-first, "while the model writes")
	close(answer)
	for range maxTurns {
		assert.Equal(t, `{"text":"一","type":"item"}{"text":"二","type":"item"}{"text":"","type":"done"}`, <-talks)
	}
}

// A wrong token ends the program with a clear error.
func TestRun_WrongToken(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: botID, Token: "secret"})
	defer qq.Close()
	in, typed := io.Pipe()
	defer typed.Close()
	var out, diagnostics screen
	err := run(t.Context(), []string{"-onebot", qq.Start(), "-token", "wrong"}, in, &out, &diagnostics)
	require.ErrorIs(t, err, onebot.ErrAuth)
	assert.NotContains(t, err.Error()+out.String()+diagnostics.String(), "wrong", "the token is not printed")
}

// until waits until ok returns true.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		require.Less(t, time.Since(began), giveUp)
	}
}

// giveUp is the timeout of a wait, much longer than any machine needs.
const giveUp = 2 * time.Minute
