package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// patience is when a test gives up on what has to come: much later than any machine needs.
const patience = 2 * time.Minute

// A session is a qqmcp that runs in the test's process, and an MCP client of it.
type session struct {
	*sdk.ClientSession
	t       testing.TB
	p       *program
	log     *journal
	hangUp  func() // the client's end of the input
	stop    func() // as a signal does
	ended   chan error
	updates chan string // URIs of resources that changed
}

// bubble runs a test with its own time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// newQQ is a QQ with a group 123456 and a friend.
func newQQ(t testing.TB, o onebottest.Options) (*onebottest.Server, *onebottest.Group, *onebottest.Friend) {
	o.SelfID, o.Nickname = self, "Glitch"
	qq := onebottest.New(o)
	t.Cleanup(qq.Close)
	g := qq.Group(123456, "技术交流群")
	g.Member(zhang, "张三")
	g.Member(wang, "王五")
	return qq, g, qq.Friend(li, "李四")
}

// start runs qqmcp against a QQ until the end of the test.
func start(t testing.TB, qq *onebottest.Server, args ...string) *session {
	t.Helper()
	s := launch(t, qq, args...)
	s.settle()
	return s
}

// launch does not wait until QQ is there.
func launch(t testing.TB, qq *onebottest.Server, args ...string) *session {
	t.Helper()
	s := &session{t: t, log: &journal{}, ended: make(chan error, 1), updates: make(chan string, 100)}
	o, err := parse(append([]string{"--qq", fmt.Sprint(self), "--onebot-ws", "ws://test", "--log-level", "debug"}, args...), io.Discard)
	require.NoError(t, err)
	if qq != nil {
		o.dial = qq.HTTPClient()
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

// end ends it as a client does that closes the input.
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

// settle waits until all that is to be done has been done: the link is up, histories are read. In a bubble only.
func (s *session) settle() {
	s.t.Helper()
	time.Sleep(3 * time.Second) // of the bubble's time
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

// call calls a tool that succeeds.
func call[T any](s *session, name string, a args) T {
	s.t.Helper()
	res := s.try(name, a)
	require.False(s.t, res.IsError, "%s: %s", name, text(res))
	return structured[T](s.t, res)
}

// fails calls a tool that does not, and gives what it says.
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

// context reads the group's.
func (s *session) context(limit int) contextOut {
	s.t.Helper()
	return call[contextOut](s, "get_recent_context", args{"target": "123456", "limit": limit})
}

// contents are what the messages say.
func contents(all []said) (out []string) {
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
