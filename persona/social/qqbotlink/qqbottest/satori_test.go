package qqbottest_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A satori is a bot of others, @satorijs/adapter-qq, in a Node of its own: see testdata/clients/satori.js.
type satori struct {
	*testing.T
	mu  sync.Mutex
	saw []sight
}

// A sight is a line of its output.
type sight struct {
	Event, Channel, User, ID, Text, Order, Name string
	Direct                                      bool
	Status, Code                                int
	IDs                                         []string
}

// startSatori skips the test unless the client is installed: npm ci --ignore-scripts in testdata/clients. With
// HEARTH_QQ_CLIENTS=required it fails instead. With -short it always skips, because Node gains nothing from the race detector.
func startSatori(t *testing.T, s *qqbottest.Server, secret string) *satori {
	t.Helper()
	dir, err := filepath.Abs("testdata/clients")
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(dir, "node_modules/@satorijs/adapter-qq"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	switch {
	case testing.Short():
		t.Skip("the client of others starts a Node")
	case err != nil && os.Getenv("HEARTH_QQ_CLIENTS") == "required":
		t.Fatal("no client of others: ", err)
	case err != nil:
		t.Skip("no client of others: ", err)
	}
	cmd := exec.Command("node", "satori.js", s.Start(), s.AppID(), secret)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	client := &satori{T: t}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var one sight
			if json.Unmarshal(lines.Bytes(), &one) != nil {
				continue // a line of its log
			}
			client.mu.Lock()
			client.saw = append(client.saw, one)
			client.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-read; _ = cmd.Wait() })
	return client
}

// wait waits for the nth line that match accepts.
func (c *satori) wait(n int, match func(sight) bool) (found sight) {
	c.Helper()
	require.Eventually(c, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		seen := 0
		for _, s := range c.saw {
			if match(s) {
				found, seen = s, seen+1
			}
			if seen == n {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	return found
}

func event(name string) func(sight) bool { return func(s sight) bool { return s.Event == name } }

func ordered(name, order string) func(sight) bool {
	return func(s sight) bool { return s.Event == name && s.Order == order }
}

// A client that is not ours logs in, is heard and hears, sends text and a picture, takes a message back, gets the platform's
// refusal with its code, and resumes a lost link without losing a message.
func TestServer_Satori(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{Heartbeat: 50 * time.Millisecond})
	defer s.Close()
	c := startSatori(t, s, s.Secret())
	online := func(s sight) bool { return s.Event == "login" && s.Status == 1 }
	assert.Equal(t, "炉边", c.wait(1, online).Name)
	require.NoError(t, s.WaitGateway(t.Context(), func(g qqbottest.GatewayStats) bool { return g.Heartbeats > 2 }))

	member, user := s.Group("G").Member("M", "安"), s.User("U")
	asked := member.At("说 你好")
	heard := c.wait(1, event("message"))
	assert.Equal(t, sight{Event: "message", Channel: "G", User: "M", ID: asked.ID, Text: heard.Text}, heard)
	assert.Contains(t, heard.Text, "说 你好")
	sent, err := s.WaitSent(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, "你好", sent[0].Text)
	assert.Equal(t, asked.ID, sent[0].MsgID)
	assert.Equal(t, 1, sent[0].Seq)
	assert.Equal(t, []string{sent[0].ID}, c.wait(1, ordered("sent", "说")).IDs)

	user.Say("图")
	c.wait(1, ordered("sent", "图"))
	sent = s.Sent()
	require.Len(t, sent, 2)
	assert.Equal(t, "user/U", sent[1].Chat.String())
	require.NotNil(t, sent[1].Media)
	assert.True(t, strings.HasPrefix(string(sent[1].Media.Data), "\x89PNG"), "uploaded, and then sent")

	member.At("撤回")
	c.wait(1, ordered("sent", "撤回"))
	sent = s.Sent()
	require.Len(t, sent, 3)
	assert.True(t, sent[2].Recalled)

	s.Fail(qqbottest.Messages, 400, 22009, 1)
	member.At("说 太多了")
	refused := c.wait(1, event("failed"))
	assert.Equal(t, 22009, refused.Code)
	assert.Equal(t, 400, refused.Status)

	user.Befriend(1001, "")
	assert.Equal(t, "U", c.wait(1, event("friend-added")).User)

	s.RefuseLinks(true)
	s.DropLinks()
	member.At("说 断线的时候")
	s.RefuseLinks(false)
	c.wait(2, online)
	c.wait(2, ordered("sent", "说"))
	assert.Equal(t, "断线的时候", s.Sent()[3].Text)
	stats := s.GatewayStats()
	assert.Equal(t, 1, stats.Identifies)
	assert.GreaterOrEqual(t, stats.Resumes, 1)
}

// It does not get in with a wrong secret.
func TestServer_SatoriWrongSecret(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	c := startSatori(t, s, "wrong")
	c.wait(2, func(s sight) bool { return s.Event == "login" && s.Status != 1 })
	assert.Zero(t, s.GatewayStats().Identifies)
}
