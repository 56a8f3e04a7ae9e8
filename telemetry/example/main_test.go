package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is longer than a busy machine needs.
const patience = time.Minute

// The program connects to a QQ over a real WebSocket and to a model over real HTTP, answers, and serves its metrics.
func TestProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGTERM")
	}
	program := filepath.Join(t.TempDir(), "example")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)

	const botID, alice = 10000, 1001
	qq := onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
	defer qq.Close()
	group := qq.Group(1, "技术群")
	group.Member(alice, "张三")
	chats := httptest.NewServer(qq)
	defer chats.Close()
	brain := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if strings.Contains(p.Text(), "## 现在：决定\n") {
			return modeltest.Say(`{"action": "text_reply", "reasoning": "有人叫我"}`)
		}
		return modeltest.Say("在的")
	})
	api := httptest.NewServer(brain.Handler())
	defer api.Close()
	address := freeAddress(t)

	var log output
	cmd := exec.Command(program)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Env = append(os.Environ(), "ONEBOT_URL=ws"+strings.TrimPrefix(chats.URL, "http"), "MODEL_URL="+api.URL, "MODEL_NAME=deepseek-chat", "OPENAI_API_KEY=sk-test", "METRICS_ADDRESS="+address)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { // for a test that failed
		cmd.Process.Kill()
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	value := func(name string) float64 { return first(scrape("http://"+address+"/metrics"), name) }
	wait := func(what string, ok func() bool) { require.Eventually(t, ok, patience, 20*time.Millisecond, what) }
	wait("online", func() bool { return value("hearth_link_online") == 1 })

	group.Say(alice, onebot.Message{onebot.At(botID), onebot.Text(" 在吗")})
	wait("answered", func() bool { return value("hearth_messages_sent_total") == 1 })
	wait("the turn has ended", func() bool { return value("gen_ai_invoke_agent_duration_seconds") > 0 })
	assert.Len(t, qq.Sent(), 1)
	got := scrape("http://" + address + "/metrics")
	assert.EqualValues(t, 1, got["hearth_answer_latency_seconds"].Metric[0].Histogram.GetSampleCount())
	assert.Equal(t, "deepseek-chat", label(got["gen_ai_client_operation_duration_seconds"], "gen_ai_request_model"))
	assert.Equal(t, "小炉", label(got["hearth_link_online"], "gen_ai_agent_name"))

	qq.RefuseConnections(true)
	qq.DropLinks()
	wait("offline", func() bool { return value("hearth_link_online") == 0 })

	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(patience):
		t.Error("the program does not end")
	}
}

// freeAddress returns an address without a listener.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return address
}

// scrape reads the metrics as Prometheus does. It returns nil as long as nobody listens.
func scrape(url string) map[string]*dto.MetricFamily {
	resp, err := http.Get(url)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return nil
	}
	return families
}

// first returns the first value of a metric, or the count of a histogram; -1 if there is none.
func first(all map[string]*dto.MetricFamily, name string) float64 {
	f := all[name]
	if f == nil {
		return -1
	}
	switch m := f.Metric[0]; f.GetType() {
	case dto.MetricType_COUNTER:
		return m.Counter.GetValue()
	case dto.MetricType_HISTOGRAM:
		return float64(m.Histogram.GetSampleCount())
	default:
		return m.Gauge.GetValue()
	}
}

func label(f *dto.MetricFamily, name string) string {
	for _, l := range f.Metric[0].Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// An output keeps what a program writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
