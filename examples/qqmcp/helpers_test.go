package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	shared "github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	self  = 10001
	zhang = 111222
	wang  = 111333
	li    = 555666
)

// patience is the timeout of a wait, much longer than any machine needs.
const patience = 2 * time.Minute

// A session is a qqmcp in the test's process with an MCP client.
type session struct {
	*sdk.ClientSession
	t       testing.TB
	p       *program
	log     *journal
	hangUp  func() // closes the client's side of the input
	stop    func() // ends the program like a signal
	ended   chan error
	updates chan string // URIs of changed resources
}

// bubble runs a test in fake time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// newQQ returns a QQ with the group 123456 and a friend.
func newQQ(t testing.TB, o onebottest.Options) (*onebottest.Server, *onebottest.Group, *onebottest.Friend) {
	o.SelfID, o.Nickname = self, "Glitch"
	qq := onebottest.New(o)
	t.Cleanup(qq.Close)
	g := qq.Group(123456, "技术交流群")
	g.Member(zhang, "张三")
	g.Member(wang, "王五")
	return qq, g, qq.Friend(li, "李四")
}

// start runs qqmcp with a QQ until the end of the test.
func start(t testing.TB, qq *onebottest.Server, args ...string) *session {
	t.Helper()
	s := launch(t, qq, args...)
	s.settle()
	return s
}

// launch starts qqmcp without waiting for the connection.
func launch(t testing.TB, qq *onebottest.Server, args ...string) *session {
	t.Helper()
	s := &session{t: t, log: &journal{}, ended: make(chan error, 1), updates: make(chan string, 100)}
	o, err := parse(append([]string{"--qq", fmt.Sprint(self), "--onebot-ws", "ws://test", "--log-level", "debug"}, args...), io.Discard)
	require.NoError(t, err)
	if qq != nil {
		o.httpClient = qq.HTTPClient()
	}
	s.p, err = newProgram(o, newLog(o.level, s.log))
	require.NoError(t, err)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	go func() { s.ended <- s.p.run(ctx, in, out); out.Close() }()
	s.hangUp, s.stop = func() { toServer.Close() }, stop
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "0"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { s.updates <- r.Params.URI },
	})
	s.ClientSession, err = c.Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(s.end)
	return s
}

// end closes the input, as a client does.
func (s *session) end() {
	s.hangUp()
	s.ClientSession.Close()
	select {
	case err := <-s.ended:
		assert.NoError(s.t, err)
		s.ended <- nil
	case <-time.After(patience):
		s.t.Error("it did not end")
	}
	s.stop()
	if s.t.Failed() {
		s.t.Log(s.log)
	}
}

// settle waits until the connection exists and all histories are read. It works in a bubble only.
func (s *session) settle() {
	s.t.Helper()
	time.Sleep(3 * time.Second) // in fake time
	synctest.Wait()
}

type args = map[string]any

// try calls a tool.
func (s *session) try(name string, a args) *sdk.CallToolResult {
	s.t.Helper()
	if a == nil {
		a = args{}
	}
	res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: a})
	require.NoError(s.t, err)
	return res
}

// call calls a tool and expects success.
func call[T any](s *session, name string, a args) T {
	s.t.Helper()
	res := s.try(name, a)
	require.False(s.t, res.IsError, "%s: %s", name, text(res))
	return structured[T](s.t, res)
}

// fails calls a tool and expects a failure. It returns the text.
func (s *session) fails(name string, a args) string {
	s.t.Helper()
	res := s.try(name, a)
	require.True(s.t, res.IsError, "%s: %s", name, text(res))
	return text(res)
}

func structured[T any](t testing.TB, res *sdk.CallToolResult) (out T) {
	t.Helper()
	raw, err := json.Marshal(res.StructuredContent)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&out), string(raw))
	return out
}

func text(res *sdk.CallToolResult) string {
	var b bytes.Buffer
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// context reads the context of the group.
func (s *session) context(limit int) contextOut {
	s.t.Helper()
	return call[contextOut](s, "get_recent_context", args{"target": "123456", "limit": limit})
}

// contents returns the texts of messages.
func contents(all []messageOutput) (out []string) {
	for _, m := range all {
		out = append(out, m.Content)
	}
	return out
}

func says(s string) onebot.Message { return onebot.Message{onebot.Text(s)} }

// A journal is a log that a test reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newLog(level slog.Level, w io.Writer) *slog.Logger { return shared.NewLog(w, lang.English, level) }
