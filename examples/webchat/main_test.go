package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An output is the output of the program.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

var address = regexp.MustCompile(`http://(\S+)`)

func TestHelp(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	var said bytes.Buffer
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, nil, io.Discard, &said), flag.ErrHelp)
	described := regexp.MustCompile(`(?m)^  -[^\n]*\n      (.*)$`).FindAllStringSubmatch(said.String(), -1)
	assert.Greater(t, len(described), 8)
	for _, d := range described {
		assert.Regexp(t, `\p{Han}`, d[1], d[0])
	}
	assert.NotContains(t, said.String(), "-config")
}

// startProgram runs the program and returns the address of its page.
func startProgram(t *testing.T, args ...string) (host string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var out output
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), nil, &out, io.Discard) }()
	t.Cleanup(func() { stop(); assert.NoError(t, <-ended) })
	require.Eventually(t, func() bool {
		out.mu.Lock()
		defer out.mu.Unlock()
		found := address.FindStringSubmatch(out.text.String())
		if found != nil {
			host = found[1]
		}
		return found != nil
	}, time.Minute, 10*time.Millisecond)
	return host
}

// A person is a WebSocket client.
type person struct {
	*testing.T
	*websocket.Conn
}

func enter(t *testing.T, host, name string) person {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+host+"/ws", nil)
	require.NoError(t, err)
	t.Cleanup(func() { conn.CloseNow() })
	p := person{t, conn}
	p.send(line{Name: name})
	return p
}

func (p person) send(l line) {
	p.Helper()
	require.NoError(p, wsjson.Write(p.Context(), p.Conn, l))
}

// hears reads until a line with this text.
func (p person) hears(text string) line {
	p.Helper()
	for {
		var l line
		require.NoError(p, wsjson.Read(p.Context(), p.Conn, &l))
		if strings.Contains(l.Text, text) {
			return l
		}
	}
}

// People see each other's messages, also those from before they came, and the bot answers who calls it.
func TestRoom(t *testing.T) {
	host := startProgram(t)
	ann, bob := enter(t, host, "安"), enter(t, host, "波")
	ann.send(line{Text: "大家好"})
	first := bob.hears("大家好")
	assert.Equal(t, "安", first.Name)
	bob.send(line{Text: "@小炉 在吗", ReplyTo: first.ID})
	assert.Equal(t, first.ID, ann.hears("在吗").ReplyTo)
	answer := ann.hears("在")
	assert.True(t, answer.Own)
	assert.Equal(t, "小炉", answer.Name)
	assert.NotEqual(t, first.ID, answer.ID)
	late := enter(t, host, "迟")
	assert.Equal(t, first.ID, late.hears("大家好").ID)
}

// Hostile tabs are refused or closed, and others do not notice.
func TestRoom_Hostile(t *testing.T) {
	r := newRoom("小炉")
	server := httptest.NewServer(handler(r))
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	heard := make(chan persona.Message, 10)
	ended := make(chan error, 1)
	go func() {
		ended <- r.Run(ctx, func(_ context.Context, e persona.Event) {
			if m, ok := e.(persona.Message); ok {
				heard <- m
			}
		})
	}()
	host := strings.TrimPrefix(server.URL, "http://")
	ann := enter(t, host, "安")
	closed := func(p person) websocket.StatusCode {
		for {
			if _, _, err := p.Read(t.Context()); err != nil {
				return websocket.CloseStatus(err)
			}
		}
	}
	assert.Equal(t, websocket.StatusPolicyViolation, closed(enter(t, host, "小炉")), "the bot's name")
	assert.Equal(t, websocket.StatusPolicyViolation, closed(enter(t, host, " \x00 ")), "no name")
	big := enter(t, host, "大")
	_ = big.Write(t.Context(), websocket.MessageText, make([]byte, maxFrame+1))
	assert.Equal(t, websocket.StatusMessageTooBig, closed(big))
	for _, frame := range []string{"\xff", "[", "7"} {
		p := enter(t, host, "坏")
		require.NoError(t, p.Write(t.Context(), websocket.MessageText, []byte(frame)))
		closed(p)
	}
	ann.send(line{Text: strings.Repeat("长", maxText+5) + "\x00"})
	assert.Len(t, []rune(ann.hears("长").Text), maxText)
	_, _, err := websocket.Dial(t.Context(), "ws://"+host+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	assert.ErrorContains(t, err, "403")
	req, err := http.NewRequest(http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	req.Host = "evil.example"
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	assert.Equal(t, http.StatusMisdirectedRequest, resp.StatusCode)
	resp.Body.Close()

	assert.Equal(t, "安", (<-heard).From) // the room tells the bot after the tabs
	stop()
	require.NoError(t, <-ended)
	assert.Empty(t, heard, "of the others nothing")

	for range maxTabs {
		_, _, err := r.join("谁")
		if err != nil {
			assert.ErrorContains(t, err, "full")
			return
		}
	}
	t.Error("there is no end of tabs")
}

// A tab that does not read is closed, and the room goes on.
func TestRoom_SlowTab(t *testing.T) {
	r := newRoom("小炉")
	slow, _, err := r.join("慢")
	require.NoError(t, err)
	for range maxQueue + 1 {
		r.post(line{Name: "安", Text: "话"})
	}
	assert.Empty(t, r.tabs)
	for range maxQueue {
		<-slow.out
	}
	_, open := <-slow.out
	assert.False(t, open)
	assert.Len(t, r.past, maxQueue+1)
}

// The page works in a browser, on a phone and a desktop, and shows text of people as text.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	host := startProgram(t)
	hostile := `<img src=x onerror=alert(1)><script>document.title="owned"</script>`
	ann := enter(t, host, "<b>安</b>")
	for i, s := range []browsertest.Screen{{Width: 1280, Height: 800}, {Width: 360, Height: 640, Touch: true, Dark: true}} {
		p := b.Page(s)
		p.Load("http://" + host + "/")
		do := func(text string) {
			p.Eval(`document.forms[0].elements.text.value = `+"`"+text+"`"+`, document.forms[0].requestSubmit()`, nil)
		}
		count := func(text string) int {
			return browsertest.Value[int](p, "[...document.querySelectorAll('li')].filter(l => l.innerText.includes(`"+text+"`)).length")
		}
		do([]string{"波", "小黑"}[i])
		require.Eventually(t, func() bool { return browsertest.Value[bool](p, `socket && socket.readyState === 1`) }, time.Minute, 20*time.Millisecond)
		ann.send(line{Text: hostile})
		require.Eventually(t, func() bool { return count(hostile) == i+1 }, time.Minute, 20*time.Millisecond)
		do("@小炉 在吗")
		require.Eventually(t, func() bool { return browsertest.Value[int](p, `document.querySelectorAll("li.own").length`) > i }, time.Minute, 20*time.Millisecond)
		assert.Equal(t, "webchat", browsertest.Value[string](p, `document.title`))
		assert.Empty(t, p.Errors())
		for _, url := range p.Requests() {
			assert.True(t, strings.HasPrefix(url, "http://"+host+"/") || strings.HasPrefix(url, "data:"), url)
		}
		assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), s.Width)
		assert.Empty(t, p.Pale("li, li b, time, q, p, button"))
	}
}
