package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.ended <- run(ctx, append([]string{"-http-token", l.token}, args...), in, l.out, t.Output())
		in.Close() // the reader ends, too
	}()
	t.Cleanup(func() { typed.Close(); stop(); <-done }) // it logs until its end
	until(t, func() bool { l.url = address.FindString(l.out.String()); return l.url != "" })
	return l
}

// ask sends a form, or a request without a body, with the bearer token. change may replace what it likes.
func (l *runningCompanion) ask(t *testing.T, method, path string, form url.Values, change func(*http.Request)) (status int, text string, head http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, l.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+l.token)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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

// talk says something to the companion by its page, and returns the answer.
func (l *runningCompanion) talk(t *testing.T, text string) string {
	t.Helper()
	status, answer, _ := l.ask(t, http.MethodPost, "bot/0/talk", url.Values{"text": {text}}, nil)
	require.Equal(t, http.StatusOK, status, answer)
	return answer
}

// A day is what tests read of the day.
type day struct {
	Name    string
	Entries []struct{ Kind, Where, Text string }
	Tasks   []struct{ Title string }
	Timers  []struct{ Text string }

	Documents []struct{ Name, Text string }
}

func (l *runningCompanion) day(t *testing.T) (d day) {
	t.Helper()
	status, text, _ := l.ask(t, http.MethodGet, "bot/0/day", nil, func(r *http.Request) { r.Header.Set("Accept", "application/json") })
	require.Equal(t, http.StatusOK, status, text)
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	return d
}

// The companion opens into its day, for those with the token alone. What is said there is printed, and is part of the day.
func TestPages_Talk(t *testing.T) {
	t.Parallel()
	l := startCompanion(t, "-speed", "60")
	status, text, _ := l.ask(t, http.MethodGet, "", nil, func(r *http.Request) { r.Header.Del("Authorization") })
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, text, "小炉")
	status, text, _ = l.ask(t, http.MethodPost, "bot/0/talk", url.Values{"text": {"在吗"}}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+l.token[:5]) })
	assert.Equal(t, http.StatusUnauthorized, status, text)

	assert.Equal(t, `{"text":"不客气，主人。","type":"item"}`+"\n"+`{"text":"","type":"done"}`+"\n", l.talk(t, "谢谢 <b>你</b>"))
	until(t, func() bool { // the rules act when the link is up
		status, text, head := l.ask(t, http.MethodPost, "bot/0/talk", url.Values{"text": {"mute 老王 for 10 min in 炉边夜话"}}, func(r *http.Request) { r.Header.Set("Accept", "text/event-stream") })
		require.Equal(t, http.StatusOK, status)
		assert.Equal(t, "text/event-stream", head.Get("Content-Type"))
		return text == "event: item\ndata: {\"text\":\"办好了。\",\"type\":\"item\"}\n\nevent: done\ndata: {\"text\":\"\",\"type\":\"done\"}\n\n"
	})
	_, err := io.WriteString(l.typed, "两小时后跟进一下发布\n半小时后提醒我喝水\n")
	require.NoError(t, err)
	until(t, func() bool { return strings.Contains(l.out.String(), "到时候叫你") })
	d := l.day(t)
	assert.Equal(t, "小炉", d.Name)
	all := fmt.Sprint(d.Entries, d.Tasks, d.Timers, d.Documents)
	for _, want := range []string{"谢谢 <b>你</b>", "qq_group_ban", "跟进一下发布", "喝水", "## 对主人的了解"} {
		assert.Contains(t, all, want)
	}
	status, text, _ = l.ask(t, http.MethodGet, "", nil, nil)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, text, "谢谢 &lt;b&gt;你&lt;/b&gt;", "/ is the day")
	assert.NotContains(t, text, "<b>")
	until(t, func() bool { return strings.Contains(l.out.String(), "owner: 谢谢 <b>你</b>") })
	assert.Contains(t, l.out.String(), "reply: 不客气，主人。")
	assert.NotContains(t, l.out.String(), l.token, "a token that was given is not printed")
}

// With a file the port and the token are the same after a restart. The address that is printed never has the token.
func TestPages_Restart(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "a.db")
	printed := regexp.MustCompile(`(http://127\.0\.0\.1:\d+/)，令牌是 (\w+)`)
	start := func(args ...string) (l *runningCompanion, found []string) {
		l = startCompanion(t, append([]string{"-http-token", "", "-speed", "60"}, args...)...)
		found = printed.FindStringSubmatch(l.out.String())
		require.NotNil(t, found, l.out.String())
		l.token = found[2]
		assert.Equal(t, "小炉", l.day(t).Name)
		assert.NotContains(t, found[1], l.token)
		return l, found
	}
	end := func(l *runningCompanion) {
		require.NoError(t, l.typed.Close())
		require.NoError(t, <-l.ended)
	}
	l, first := start("-db", db)
	end(l)
	info, err := os.Stat(db + ".http")
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	l, second := start("-db", db)
	for range 9 {
		if first[1] == second[1] {
			break
		}
		end(l)
		first = second
		l, second = start("-db", db) // another program had got the port meanwhile
	}
	assert.Equal(t, first, second)
	_, other := start()
	assert.NotEqual(t, first[1], other[1], "another companion beside it")
	assert.NotEqual(t, first[2], other[2])
	end(l)

	held, err := net.Listen("tcp", strings.TrimSuffix(strings.TrimPrefix(first[1], "http://"), "/"))
	if err == nil { // else another program has it
		defer held.Close()
	}
	_, third := start("-db", db)
	assert.NotEqual(t, first[1], third[1], "the port is taken")
	assert.Equal(t, first[2], third[2])
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
func TestPages_SlowTurns(t *testing.T) {
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
	const atOnce = 4 // a limit of package inspect
	talks, first := make(chan string, atOnce+1), make(chan string, atOnce)
	for range atOnce + 1 {
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+"bot/0/talk", strings.NewReader("text=在吗"))
			r.Header.Set("Authorization", "Bearer "+l.token)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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
	for range atOnce {
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
