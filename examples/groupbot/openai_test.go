package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An aiService answers like an OpenAI-compatible service: first with a tool call, then with text.
type aiService struct {
	mu       sync.Mutex
	keys     map[string]bool
	tools    []string
	results  int
	embedded int
}

func (s *aiService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[r.Header.Get("Authorization")] = true
	var in struct {
		Messages []struct{ Role string }
		Tools    []struct{ Function struct{ Name string } }
		Input    []string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/v1/embeddings" {
		var data []map[string]any
		for i, text := range in.Input {
			s.embedded++
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": []float32{1, float32(len(text))}})
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
		return
	}
	for _, t := range in.Tools {
		s.tools = append(s.tools, t.Function.Name)
	}
	answer := map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
		"id": "call_1", "type": "function", "function": map[string]any{"name": "qq_poke", "arguments": `{}`},
	}}}
	if in.Messages[len(in.Messages)-1].Role == "tool" {
		s.results++
		answer = map[string]any{"role": "assistant", "content": "戳了你一下"}
	}
	json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": answer, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	})
}

// With flags it is a real bot: reverse WebSocket, a model with tools and embeddings over HTTP, and a database.
func TestRun_RealConnectionAndModel(t *testing.T) {
	t.Parallel()
	service := &aiService{keys: map[string]bool{}}
	api := httptest.NewServer(service)
	defer api.Close()
	dir := t.TempDir()
	key, config := filepath.Join(dir, "key"), filepath.Join(dir, "chats.json")
	require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test\n"), 0o600))
	require.NoError(t, os.WriteFile(config, []byte(`{"qq:group:2": {"off": true}, "qq:group:1": {"names": ["炉子"]}}`), 0o600))

	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Token: "secret"})
	defer qq.Close()
	on, off := qq.Group(1, "群"), qq.Group(2, "关着的群")
	on.Member(che, "阿澈")
	off.Member(che, "阿澈")

	ctx, stop := context.WithCancel(t.Context())
	var out, diagnostics bytes.Buffer
	ended := make(chan error, 1)
	address := freeAddress(t)
	go func() {
		ended <- run(ctx, []string{
			"-listen", address, "-token", "secret", "-db", filepath.Join(dir, "bot.db"), "-speed", "20", "-trace", "-strategy", "one",
			"-model", "openai", "-model-name", "m", "-base-url", api.URL + "/v1", "-key-file", key, "-embed-name", "e", "-config", config,
		}, bytes.NewReader(nil), &out, &diagnostics)
	}()
	linked := make(chan error, 1)
	go func() {
		linked <- qq.Connect(ctx, "ws://"+address, onebottest.ConnectOptions{Reconnect: 100 * time.Millisecond})
	}()
	wait, done := context.WithTimeout(ctx, patience)
	defer done()
	require.NoError(t, qq.WaitLink(wait))
	off.Say(che, onebot.Message{onebot.At(self), onebot.Text(" 在吗")})
	on.Say(che, onebot.Message{onebot.Text("炉子，戳我")})
	sent, err := qq.WaitSent(wait, 1)
	require.NoError(t, err)
	stop()
	require.NoError(t, <-ended)
	<-linked

	assert.Equal(t, "戳了你一下", sent[0].Message.Text())
	assert.Equal(t, on.Chat(), sent[0].Chat, "a chat that is off is not answered")
	pokes := qq.Calls("group_poke")
	assert.Len(t, pokes, 1)
	service.mu.Lock()
	defer service.mu.Unlock()
	assert.Equal(t, map[string]bool{"Bearer sk-of-the-test": true}, service.keys)
	assert.Contains(t, service.tools, "qq_send_text")
	assert.NotContains(t, service.tools, "system_control", "the owner's tools are not shown to strangers")
	assert.Positive(t, service.results)
	assert.Positive(t, service.embedded)
	assert.Contains(t, out.String(), "反向 WS")
}

// freeAddress returns a loopback address without a listener. Its port is below the range of ephemeral ports, so no other
// program gets it.
func freeAddress(t *testing.T) string {
	for range 1000 {
		address := fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(10_000))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// A wrong token ends the bot with a clear error, without repeated dialing.
func TestRun_WrongToken(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Token: "secret"})
	defer qq.Close()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var out, diagnostics bytes.Buffer
	err := run(ctx, []string{"-onebot", qq.Start(), "-token", "wrong"}, bytes.NewReader(nil), &out, &diagnostics)
	require.ErrorIs(t, err, onebot.ErrAuth)
	assert.NotContains(t, err.Error()+diagnostics.String(), "wrong", "the token is not printed")
	assert.NoError(t, ctx.Err(), "by itself")
}
