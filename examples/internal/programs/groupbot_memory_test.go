//go:build linux

package programs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After 10,000 messages in 200 groups the plain bot needs less than 60 MB, and with all that the preset turns on less than
// 90 MB.
func TestGroupbot_Memory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two minutes")
	}
	tests := []struct {
		name  string
		most  int // MB
		flags []string
	}{
		{"all of it", 90, nil},
		{"all of it, on disk", 90, []string{"-db", "bot.db"}},
		{"plain", 60, []string{"-attention", "mention", "-layers", "off"}},
		{"plain, on disk", 60, []string{"-attention", "mention", "-layers", "off", "-db", "bot.db"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rss := 0
			for range 3 { // the time of garbage collections varies
				if rss = groupbotMemory(t, test.most<<10, test.flags); rss < test.most<<10 {
					break
				}
			}
			assert.Less(t, rss, test.most<<10)
		})
	}
}

// A cheapModel answers like an OpenAI-compatible service, at a price that no budget notices.
func cheapModel(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := contentText(in.Messages[len(in.Messages)-1].Content)
	text := "好呀，周末一起去。"
	for task, answer := range map[string]string{
		"决定": `{"action": "text_reply", "reasoning": "有人叫我"}`, "看人": `{"people": [], "names": []}`, "梦": `{"insights": []}`,
		"要不要看": `{"decision": true, "reason": "在聊爬山"}`,
	} {
		if strings.Contains(prompt, "## 现在："+task+"\n") {
			text = answer
		}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
	})
}

// groupbotMemory returns the resident memory in kB after 10,000 messages in 200 groups, some of which address the bot. It
// waits some time for the memory to fall below enough.
func groupbotMemory(t *testing.T, enough int, flags []string) int {
	const groups, rounds = 200, 50
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	var all []*onebottest.Group
	for i := range groups {
		g := qq.Group(int64(5000+i), fmt.Sprint("第", i, "群"))
		g.Member(man, "小满")
		g.Member(wang, "老王")
		all = append(all, g)
	}
	flags = slices.Clone(flags)
	if i := slices.Index(flags, "bot.db"); i >= 0 {
		flags[i] = filepath.Join(t.TempDir(), flags[i])
	}
	var calls atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		cheapModel(w, r)
	}))
	defer api.Close()
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test"), 0o600))
	cmd := command(t, "groupbot", append([]string{
		"-onebot", qq.Start(), "-speed", "10", "-seed", "1", "-typing", "off", "-model", "openai", "-model-name", "m", "-base-url", api.URL, "-key-file", key,
	}, flags...)...)
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, io.Discard // the bot warns of its budget
	cmd.Env = nil
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOGC=") && !strings.HasPrefix(v, "GOMEMLIMIT=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var heard, printed atomic.Int64
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); printed.Add(1) {
			if _, line, _ := strings.Cut(s.Text(), " "); strings.HasPrefix(line, "[第") { // behind the time
				heard.Add(1)
			}
		}
		io.Copy(io.Discard, out)
	}()
	start(t, cmd)
	require.NoError(t, qq.WaitLink(t.Context()))
	for round := range rounds {
		for i, g := range all {
			m := onebot.Message{onebot.Text(fmt.Sprintf("%d.%d 今天天气真好，我们一起去爬山吧，顺便看看那只叫年糕的猫", round, i))}
			if (round+i)%50 == 0 {
				m = append(onebot.Message{onebot.At(self)}, m...)
			}
			g.Say([]int64{man, wang}[round%2], m)
		}
		until(t, func() bool { return heard.Load() >= int64((round+1)*groups) })
	}
	for last := int64(-1); last != printed.Load(); time.Sleep(3 * time.Second) { // until it does nothing more
		last = printed.Load()
	}
	kb := func(key string) int {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		require.NoError(t, err)
		m := regexp.MustCompile(key + `:\s+(\d+) kB`).FindStringSubmatch(string(text))
		require.NotNil(t, m)
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		return n
	}
	rss := kb("VmRSS")
	for began := time.Now(); rss >= enough && time.Since(began) < 10*time.Second; rss = kb("VmRSS") { // Go returns memory slowly
		time.Sleep(time.Second)
	}
	t.Logf("%.1f MB, peak %.1f MB, %d texts sent, %d model calls", float64(rss)/1024, float64(kb("VmHWM"))/1024, len(qq.Sent()), calls.Load())
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
	in.Close()
	return rss
}
