package qqbottest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
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
func startSatori(t *testing.T, s *qqbottest.Server, secret, protocol string) *satori {
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
	cmd := exec.Command("node", "satori.js", s.Start(), s.AppID(), secret, protocol)
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

func online(s sight) bool { return s.Event == "login" && s.Status == 1 }

// A client that is not ours logs in, is heard and hears, sends text and a picture, takes a message back, and gets the platform's
// refusal with its code.
func TestServer_Satori(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{Heartbeat: 50 * time.Millisecond})
	defer s.Close()
	c := startSatori(t, s, s.Secret(), "websocket")
	assert.Equal(t, "炉边", c.wait(1, online).Name)
	require.NoError(t, s.WaitGateway(t.Context(), func(g qqbottest.GatewayStats) bool { return g.Heartbeats > 2 }))

	member, user := s.Group("G").Member("M", "安"), s.User("U")
	asked := member.At("说 你好|再见")
	heard := c.wait(1, event("message"))
	assert.Equal(t, sight{Event: "message", Channel: "G", User: "M", ID: asked.ID, Text: heard.Text}, heard)
	assert.Contains(t, heard.Text, "说 你好")
	ids := c.wait(1, ordered("sent", "说")).IDs
	sent := s.Sent()
	require.Len(t, sent, 2)
	for i, text := range []string{"你好", "再见"} {
		assert.Equal(t, []any{text, asked.ID, i + 1, "group/G"}, []any{sent[i].Text, sent[i].MsgID, sent[i].Seq, sent[i].Chat.String()})
	}
	assert.Equal(t, []string{sent[0].ID, sent[1].ID}, ids)

	asked = user.Say("说 悄悄话")
	heard = c.wait(2, event("message"))
	assert.Equal(t, sight{Event: "message", Channel: "U", User: "U", ID: asked.ID, Text: "说 悄悄话", Direct: true}, heard)
	c.wait(2, ordered("sent", "说"))
	user.Say("图")
	c.wait(1, ordered("sent", "图"))
	sent = s.Sent()
	require.Len(t, sent, 4)
	assert.Equal(t, []any{"悄悄话", asked.ID, "user/U"}, []any{sent[2].Text, sent[2].MsgID, sent[2].Chat.String()})
	assert.Equal(t, "user/U", sent[3].Chat.String())
	require.NotNil(t, sent[3].Media)
	assert.True(t, strings.HasPrefix(string(sent[3].Media.Data), "\x89PNG"), "uploaded, and then sent")

	member.At("撤回")
	c.wait(1, ordered("sent", "撤回"))
	user.Say("撤回")
	c.wait(2, ordered("sent", "撤回"))
	sent = s.Sent()
	require.Len(t, sent, 6)
	assert.Equal(t, []bool{false, true, true}, []bool{sent[3].Recalled, sent[4].Recalled, sent[5].Recalled})

	s.Fail(qqbottest.Messages, 400, 22009, 1)
	member.At("说 太多了")
	refused := c.wait(1, event("failed"))
	assert.Equal(t, 22009, refused.Code)
	assert.Equal(t, 400, refused.Status)

	user.Befriend(1001, "")
	assert.Equal(t, "U", c.wait(1, event("friend-added")).User)
	pressed := user.Press("B", "按了")
	assert.Equal(t, sight{Event: "button", Channel: "U", User: "U", ID: "B", Direct: true}, c.wait(1, event("button")))
	sent, err := s.WaitSent(t.Context(), 7)
	require.NoError(t, err)
	assert.Equal(t, "按了", sent[6].Text)
	assert.Contains(t, sent[6].EventID, "INTERACTION_CREATE:")
	require.Eventually(t, func() bool { _, ok := s.Answer(pressed); return ok }, time.Minute, time.Millisecond)
}

// It resumes links that break or that the platform cuts, and misses nothing that was said meanwhile.
func TestServer_SatoriResumes(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	c := startSatori(t, s, s.Secret(), "websocket")
	c.wait(1, online)
	user := s.User("U")
	var want []string
	for i, cut := range []func(){
		s.DropLinks,
		func() { s.CloseLinks(4009) },
		func() { s.Reconnect(); s.CloseLinks(4009) },
	} {
		s.RefuseLinks(true)
		cut()
		want = append(want, user.Say("说 断线的时候").ID)
		s.RefuseLinks(false)
		c.wait(i+2, online)
		c.wait(i+1, ordered("sent", "说"))
	}
	var got []string
	for _, m := range s.Sent() {
		got = append(got, m.MsgID)
	}
	assert.Equal(t, want, got)
	stats := s.GatewayStats()
	assert.Equal(t, []int{1, 3}, []int{stats.Identifies, stats.Resumes})
}

// As a webhook it proves that it knows the secret, accepts what the platform signs, and refuses a wrong signature.
func TestServer_SatoriWebhook(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	c := startSatori(t, s, s.Secret(), "webhook")
	url := c.wait(1, event("webhook")).Text
	require.NoError(t, s.Validate(t.Context(), url, nil))
	s.Post(url, nil)
	asked := s.Group("G").Member("M", "安").At("说 你好")
	sent, err := s.WaitSent(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, []any{"你好", asked.ID}, []any{sent[0].Text, sent[0].MsgID})
	require.NoError(t, s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool { return len(all) > 0 }))
	assert.Equal(t, []qqbottest.Push{{EventID: asked.EventID, Attempt: 1, Status: 200, Acked: true}}, s.Pushes())

	body := []byte(`{"op":0,"id":"X:1","t":"FRIEND_ADD","d":{"openid":"U","timestamp":1}}`)
	post := func(signed []byte) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
		require.NoError(t, err)
		req.Header = s.Sign(signed, time.Now())
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		return resp.StatusCode
	}
	assert.Equal(t, 403, post([]byte("another")))
	assert.Equal(t, 200, post(body))
	assert.Zero(t, s.GatewayStats().Links)
}

// It does not get in with a wrong secret.
func TestServer_SatoriWrongSecret(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	c := startSatori(t, s, "wrong", "websocket")
	c.wait(2, func(s sight) bool { return s.Event == "login" && s.Status != 1 })
	assert.Zero(t, s.GatewayStats().Identifies)
}
