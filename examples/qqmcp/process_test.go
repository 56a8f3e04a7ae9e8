//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var binDir string

// binary builds qqmcp once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "qqmcp")
	if err != nil {
		return "", err
	}
	binDir = dir
	bin := filepath.Join(dir, "qqmcp")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

// A process is a qqmcp process. Its standard output must be JSON-RPC.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	log *journal
	id  int
}

func startProcess(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("a process of its own has no race detector")
	}
	bin, err := binary()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(bin, args...), log: &journal{}}
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p.log
	p.cmd.WaitDelay = 5 * time.Second
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, 16<<20)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		if t.Failed() {
			t.Log(p.log)
		}
	})
	return p
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// A reply is any message of the server.
type reply struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Method  string `json:"method"`
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
}

func (p *process) send(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

// next returns the next message that is not a notification.
func (p *process) next() (m reply) {
	p.t.Helper()
	for {
		require.True(p.t, p.out.Scan(), "the output ended")
		m = reply{}
		require.NoError(p.t, json.Unmarshal(p.out.Bytes(), &m), p.out.Text())
		require.Equal(p.t, "2.0", m.Version, p.out.Text())
		if m.Method == "" {
			return m
		}
	}
}

func (p *process) greet() {
	p.t.Helper()
	p.send(hello)
	m := p.next()
	require.Equal(p.t, "hello", m.ID)
	require.Nil(p.t, m.Error)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// ask calls a tool.
func (p *process) ask(name, args string) (raw json.RawMessage, failed bool) {
	p.t.Helper()
	p.id++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, p.id, name, args))
	m := p.next()
	require.Equal(p.t, float64(p.id), m.ID)
	require.Nil(p.t, m.Error)
	var res struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	require.NoError(p.t, json.Unmarshal(m.Result, &res))
	return res.StructuredContent, res.IsError
}

func (p *process) status() (out statusOut) {
	p.t.Helper()
	raw, failed := p.ask("check_status", `{}`)
	require.False(p.t, failed)
	require.NoError(p.t, json.Unmarshal(raw, &out))
	return out
}

func (p *process) until(ok func(statusOut) bool) (out statusOut, when time.Time) {
	p.t.Helper()
	until(p.t, func() bool { out = p.status(); return ok(out) })
	return out, time.Now()
}

// The longest reply is sent in less than 2 s, over real connections.
func TestProcess_SendsWithin2s(t *testing.T) {
	qq, _, _ := newQQ(t, onebottest.Options{Heartbeat: time.Second})
	p := startProcess(t, nil, "--qq", "10001", "--onebot-ws", qq.Start(), "--friends", "555666", "--log-level", "warn")
	p.greet()
	p.until(func(s statusOut) bool { return s.QQLoggedIn && len(s.MonitoredGroups) == 1 })
	text := strings.Repeat("说了很久，还没有说完。", 200)[:3*maxContent]
	best := time.Hour
	for i, target := range []string{`"target":"123456"`, `"target":"555666","target_type":"private"`} { // a busy machine may be slow once
		began := time.Now()
		raw, failed := p.ask("send_message", fmt.Sprintf(`{%s,"content":%q}`, target, text))
		best = min(best, time.Since(began))
		require.False(t, failed, string(raw))
		sent := qq.Sent()
		require.Len(t, sent, i+1)
		assert.Equal(t, text, sent[i].Message.Text())
		time.Sleep(1100 * time.Millisecond)
	}
	t.Logf("2,000 characters were sent in %v", best)
	assert.Less(t, best, 2*time.Second)
	require.NoError(t, p.in.Close())
	p.wait()
}

// wait waits for the end of the process.
func (p *process) wait() {
	p.t.Helper()
	done := make(chan error, 1)
	go func() {
		for p.out.Scan() {
			if !json.Valid(p.out.Bytes()) {
				done <- fmt.Errorf("not JSON: %s", p.out.Text())
				return
			}
		}
		done <- p.cmd.Wait()
	}()
	select {
	case err := <-done:
		require.NoError(p.t, err)
	case <-time.After(patience):
		require.Fail(p.t, "it did not end")
	}
}

// freePorts returns ports on which nobody listens.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports, err := freeport.Find(n)
	require.NoError(t, err)
	return ports
}

// Invalid, repeated and early messages do not end the session.
func TestServe_Garbage(t *testing.T) {
	p := startProcess(t, nil, "--demo")
	p.send("hello")
	assert.Equal(t, -32700, p.next().Error.Code)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_status","arguments":{}}}`)
	early := p.next()
	assert.Equal(t, 1.0, early.ID)
	p.greet()
	for _, line := range []string{"{bad json", "\x00\xff\xfe", strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 2<<20) + `"}`, `{"id":5}`} {
		p.send(line)
		require.NotNil(t, p.next().Error, "%.20q", line)
	}
	p.send("")
	p.send(hello)
	again := p.next()
	assert.Equal(t, "hello", again.ID)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"no/such/method"}`)
	assert.Equal(t, -32601, p.next().Error.Code)
	p.until(loggedInDemo)
	raw, failed := p.ask("get_recent_context", `{"target":"714285"}`)
	assert.False(t, failed)
	assert.Contains(t, string(raw), "Tauri")
	_, failed = p.ask("get_recent_context", `{"target":"714285","limit":"ten"}`)
	assert.True(t, failed)
	require.NoError(t, p.in.Close())
	p.wait()
}

// There is no OneBot, and a tool that needs QQ says so. Null is accepted where a tool needs no arguments.
func TestProcess_NotConnected(t *testing.T) {
	address := fmt.Sprint("127.0.0.1:", freePorts(t, 1)[0])
	p := startProcess(t, nil, "--qq", "10001", "--onebot-ws", "ws://"+address)
	p.greet()
	for tool, arguments := range map[string]string{
		"get_recent_context": `{"target":"714285"}`, "send_message": `{"target":"714285","content":"在"}`, "wait_for_message": `{"timeout_seconds":1}`,
		"get_group_list": `null`, "check_status": `null`,
	} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, tool, arguments))
		said := string(p.next().Result)
		assert.Contains(t, said, "连不上 OneBot（ws://"+address+"）", tool)
		assert.NotContains(t, said, "没有这个群", tool)
	}
	require.NoError(t, p.in.Close())
	p.wait()
}

func loggedInDemo(s statusOut) bool { return s.QQLoggedIn && s.BufferStats.TotalMessagesBuffered >= 6 }

// A closed log or output does not leave a process behind.
func TestServe_ClosedOutput(t *testing.T) {
	bin, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(bin, "--demo", "--log-level", "debug")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	log.Close()
	_, err = io.WriteString(in, hello+"\n")
	require.NoError(t, err)
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "it answers though nobody reads its log")
	out.Close()
	_, _ = io.WriteString(in, hello+"\n") // the other side may be closed already
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		cmd.Process.Kill()
		require.Fail(t, "it goes on for nobody")
	}
}

// HTTP works on loopback with the token.
func TestHTTP(t *testing.T) {
	address := fmt.Sprint("127.0.0.1:", freePorts(t, 1)[0])
	p := startProcess(t, []string{"QQMCP_HTTP_TOKEN=zq7-token"}, "--demo", "--http", address)
	url := "http://" + address + "/mcp"
	until(t, func() bool {
		resp, err := http.Post(url, "application/json", strings.NewReader(hello))
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusUnauthorized
	})
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "0"}, nil)
	connect := func(token string) (*sdk.ClientSession, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}, nil)
	}
	_, err := connect("wrong")
	require.Error(t, err)
	s, err := connect("zq7-token")
	require.NoError(t, err)
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "check_status", Arguments: args{}})
	require.NoError(t, err)
	assert.Equal(t, "20001", structured[statusOut](t, res).QQAccount)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	began := time.Now()
	p.wait()
	t.Logf("it had ended after %v", time.Since(began))
	assert.NotContains(t, p.log.String(), "zq7")
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
