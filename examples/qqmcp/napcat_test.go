//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary is also NapCat: TestMain plays the role named in the environment.
const (
	roleName   = "QQMCP_TEST_ROLE"
	configName = "QQMCP_TEST_CONFIG"
)

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleName)
	if !ok {
		code := m.Run()
		if dir := binDir; dir != "" {
			os.RemoveAll(dir)
		}
		os.Exit(code)
	}
	if strings.Contains(role, "deaf") {
		signal.Ignore(syscall.SIGTERM)
	}
	if err := beNapCat(os.Getenv(configName)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

// beNapCat serves OneBot with the configuration that qqmcp has written. It records its process id and the sent messages.
func beNapCat(dir string) error {
	if len(notes(dir, "hold")) > 0 {
		return errors.New("not now")
	}
	text, err := os.ReadFile(filepath.Join(dir, "onebot11_10001.json"))
	if err != nil {
		return err
	}
	type server struct {
		Host, Token string
		Port        int
	}
	var c struct {
		Network struct{ HTTPServers, WebsocketServers []server }
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	web, ws := c.Network.HTTPServers[0], c.Network.WebsocketServers[0]
	if web.Token == "" || web.Token != ws.Token {
		return errors.New("no token")
	}
	fmt.Println("\x1b[32m二维码解码URL: https://txz.qq.com/p?k=…\x1b[0m")
	fmt.Println(`{"jsonrpc":"2.0","id":1,"result":"this is not for the client"}`)
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "Glitch", Token: web.Token, Heartbeat: time.Second})
	qq.Group(123456, "技术交流群").Member(zhang, "张三")
	qq.Group(123456, "").Say(zhang, says("在吗"))
	qq.OnSend(func(s onebottest.ChatMessage) { note(dir, "sent", s.Message.Text()) })
	note(dir, "pids", strconv.Itoa(os.Getpid())) // before it is visible to others
	for _, s := range []server{web, ws} {
		l, err := net.Listen("tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
		if err != nil {
			return err
		}
		go http.Serve(l, qq)
	}
	select {}
}

func note(dir, name, text string) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func notes(dir, name string) []string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// withNapCat starts qqmcp with a NapCat as its child process.
func withNapCat(t testing.TB, role string) (p *process, dir string) {
	dir = t.TempDir()
	ports := freePorts(t, 2)
	me, err := os.Executable()
	require.NoError(t, err)
	p = startProcess(t, []string{roleName + "=" + role, configName + "=" + dir, "OPENAI_API_KEY=sk-zq7"},
		"--qq", "10001", "--napcat-path", me, "--napcat-config", dir, "--napcat-args", "-q 10001",
		"--napcat-port", strconv.Itoa(ports[0]), "--ws-port", strconv.Itoa(ports[1]), "--log-level", "debug")
	p.greet()
	return p, dir
}

func loggedIn(s statusOut) bool {
	return s.NapCatRunning && s.QQLoggedIn && len(s.MonitoredGroups) == 1
}

func lastPID(t testing.TB, dir string) int {
	pids := notes(dir, "pids")
	require.NotEmpty(t, pids)
	pid, err := strconv.Atoi(pids[len(pids)-1])
	require.NoError(t, err)
	return pid
}

// gone reports whether a process has ended or is a zombie.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(text, []byte(") Z "))
}

// A crash of NapCat does not end qqmcp, which reports it and restarts NapCat. Messages sent meanwhile are errors and are
// never sent later.
func TestNapCat_Crash(t *testing.T) {
	p, dir := withNapCat(t, "napcat")
	first := p.status() // works before QQ is ready
	assert.Equal(t, "10001", first.QQAccount)
	p.until(loggedIn)
	config, err := os.ReadFile(filepath.Join(dir, "onebot11_10001.json"))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(config), `"host": "127.0.0.1"`), "NapCat is told to bind loopback")
	_, failed := p.ask("send_message", `{"target":"123456","content":"第一句"}`)
	require.False(t, failed)
	for range 2 {
		pid := lastPID(t, dir)
		note(dir, "hold", "yes") // keeps NapCat down for the checks of the test
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		killed := time.Now()
		down, at := p.until(func(s statusOut) bool { return !s.NapCatRunning })
		assert.Contains(t, down.Problem, "NapCat")
		assert.False(t, down.QQLoggedIn)
		raw, failed := p.ask("send_message", `{"target":"123456","content":"这句不该发出去"}`)
		assert.True(t, failed)
		assert.Contains(t, string(raw), `"error":"offline"`)
		raw, failed = p.ask("get_recent_context", `{"target":"123456"}`)
		assert.False(t, failed, "what was said is still there")
		assert.Contains(t, string(raw), "第一句")
		require.NoError(t, os.Remove(filepath.Join(dir, "hold")))
		_, up := p.until(func(s statusOut) bool { return s.NapCatRunning })
		_, back := p.until(loggedIn)
		t.Logf("napcat_running was false %v and true %v after the kill; logged in again after %v", at.Sub(killed), up.Sub(killed), back.Sub(killed))
		assert.NotEqual(t, pid, lastPID(t, dir))
	}
	raw, _ := p.ask("get_recent_context", `{"target":"123456"}`)
	assert.NotContains(t, string(raw), "不该")
	until(t, func() bool { // the limiter permits it again
		_, failed := p.ask("send_message", `{"target":"123456","content":"最后一句"}`)
		return !failed
	})
	assert.Equal(t, []string{"第一句", "最后一句"}, notes(dir, "sent"))
	assert.Contains(t, p.log.String(), "二维码", "what NapCat prints is in the log")
	assert.NotContains(t, p.log.String(), "sk-zq7")
	assert.NotContains(t, p.log.String(), "NapCat cannot be run", "there is no limit to restarts")
}

// The end of the input and signals end qqmcp and NapCat soon, even if NapCat ignores SIGTERM.
func TestNapCat_EndsWithProgram(t *testing.T) {
	for name, end := range map[string]func(p *process) error{
		"EOF":     func(p *process) error { return p.in.Close() },
		"SIGINT":  func(p *process) error { return p.cmd.Process.Signal(os.Interrupt) },
		"SIGTERM": func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			p, dir := withNapCat(t, "deaf napcat")
			p.until(loggedIn)
			p.send(`{"jsonrpc":"2.0","id":"waits","method":"tools/call","params":{"name":"wait_for_message","arguments":{"timeout_seconds":300}}}`)
			began := time.Now()
			require.NoError(t, end(p))
			p.wait()
			t.Logf("it had ended after %v", time.Since(began))
			assert.Less(t, drainTimeout+graceTimeout, time.Second, "what calls and NapCat are given")
			assert.True(t, gone(lastPID(t, dir)))
		})
	}
}

// If qqmcp is killed, NapCat ends, too.
func TestNapCat_EndsAfterKill(t *testing.T) {
	p, dir := withNapCat(t, "deaf napcat")
	p.until(loggedIn)
	require.NoError(t, p.cmd.Process.Kill())
	until(t, func() bool { return gone(lastPID(t, dir)) })
}
