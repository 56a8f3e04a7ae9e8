package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An aiService is an OpenAI-compatible service. When it plans ahead and sees the owner's activity, it notes it.
type aiService struct {
	mu      sync.Mutex
	prompts []string
}

func (s *aiService) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var in struct {
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := ""
	for _, m := range in.Messages {
		prompt += readable(m.Content) + "\n"
	}
	s.mu.Lock()
	s.prompts = append(s.prompts, prompt)
	s.mu.Unlock()
	message := map[string]any{"role": "assistant", "content": "听见了。"}
	plans := strings.Contains(prompt, "## 现在：打算") && strings.Contains(prompt, " Code") && !strings.Contains(prompt, "+- 在用")
	if plans && in.Messages[len(in.Messages)-1].Role != "tool" {
		arguments, _ := json.Marshal(map[string]string{"patch": "*** Begin Patch\n@@ ## 主人\n+- 在用 Code\n*** End Patch"})
		message = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
			"id": "call_1", "type": "function", "function": map[string]any{"name": "apply_patch_to_character_state", "arguments": string(arguments)},
		}}}
	}
	if in.Stream {
		rw.Header().Set("Content-Type", "text/event-stream")
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": message}}})
		fmt.Fprintf(rw, "data: %s\n\ndata: [DONE]\n\n", chunk)
		return
	}
	json.NewEncoder(rw).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	})
}

// readable returns the text of a content, which is a string or a list of parts.
func readable(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(content, &parts)
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func (s *aiService) saw(texts ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.prompts {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(p, text)
		}
		if all {
			return true
		}
	}
	return false
}

// activityWatch is an ActivityWatch server with one window in front and one to hide.
func activityWatch(t *testing.T) string {
	mux := http.NewServeMux()
	answer := func(v any) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			json.NewEncoder(rw).Encode(v)
		}
	}
	now := time.Now().UTC()
	event := func(id int, ago time.Duration, title string) map[string]any {
		return map[string]any{"id": id, "timestamp": now.Add(-ago).Format(time.RFC3339Nano), "duration": 600.0, "data": map[string]string{"app": "Code", "title": title}}
	}
	mux.HandleFunc("GET /api/0/info", answer(map[string]any{"hostname": "desk", "version": "v0.13.2", "testing": false}))
	mux.HandleFunc("GET /api/0/buckets/", answer(map[string]any{"aw-watcher-window_desk": map[string]any{
		"id": "aw-watcher-window_desk", "type": "currentwindow", "client": "aw-watcher-window", "hostname": "desk", "created": now.Format(time.RFC3339Nano),
	}}))
	mux.HandleFunc("GET /api/0/buckets/aw-watcher-window_desk/events", answer([]any{event(2, 20*time.Minute, "main.go"), event(1, 40*time.Minute, "zq-bank")}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// With flags it is real: a model over HTTP, a OneBot connection, ActivityWatch, a character from a directory, and a database
// that survives a restart.
func TestRun_RealConnections(t *testing.T) {
	t.Parallel()
	service := &aiService{}
	model := httptest.NewServer(service)
	defer model.Close()
	qq := onebottest.New(onebottest.Options{SelfID: botID, Nickname: "阿灯", Token: "secret"})
	defer qq.Close()
	group := qq.Group(groupID, "炉边夜话")
	group.Member(manID, "小满")

	dir := t.TempDir()
	key, who := filepath.Join(dir, "key"), filepath.Join(dir, "who")
	require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test\n"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(who, "documents"), 0o700))
	for name, text := range map[string]string{"persona.json": `{"name": "阿灯"}`, "about.md": "守着一盏灯。", "documents/character_state.md": "# 阿灯\n\n## 主人\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(who, name), []byte(text), 0o600))
	}
	args := []string{
		"-onebot", qq.Start(), "-token", "secret", "-db", filepath.Join(dir, "a.db"), "-persona", who, "-activity", activityWatch(t), "-hide", "bank",
		"-model", "openai", "-model-name", "m", "-base-url", model.URL, "-key-file", key,
	}
	l := startCompanion(t, args...)
	document := func() string {
		if d := l.day(t); len(d.Documents) > 0 {
			return d.Documents[0].Text
		}
		return ""
	}
	until(t, func() bool { return strings.Contains(document(), "- 在用 Code") })
	assert.True(t, service.saw("守着一盏灯。", "## 现在：打算", " Code"), "who it is, and what its owner does")
	assert.False(t, service.saw("zq-bank"), "what is hidden is never told")
	assert.False(t, service.saw("main.go"), "a title may be somebody else's words")
	assert.Equal(t, "{\"text\":\"听见了。\",\"type\":\"item\"}\n{\"text\":\"\",\"type\":\"done\"}\n", l.talk(t, "在吗"))

	until(t, func() bool { return qq.Links() == 1 })
	group.Say(manID, onebot.Message{onebot.At(botID), onebot.Text(" 在吗")})
	until(t, func() bool { return len(qq.Sent()) == 1 })
	assert.Contains(t, qq.Sent()[0].Message.Text(), "听见了", "typed, in parts perhaps")
	assert.True(t, service.saw("一个群里", " 在吗"))
	assert.False(t, service.saw("一个群里", "在用 Code"), "of the owner no group's turn is told")
	require.NoError(t, l.typed.Close())
	require.NoError(t, <-l.ended)

	l = startCompanion(t, args...)
	until(t, func() bool { return strings.Contains(document(), "- 在用 Code") })
	assert.NotContains(t, l.out.String(), "secret")
	assert.NotContains(t, l.out.String(), "sk-of-the-test")
}
