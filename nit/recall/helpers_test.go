package recall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var (
	agent  = nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3, Platform: "app", Session: "session_master", Turn: "t1"}
	group1 = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "7", Session: "group_1", Turn: "t2"}
)

// A house is a memory with its tools and a shell tool.
type house struct {
	t   testing.TB
	m   *memory.Memory
	r   nit.Registry
	ran []string // arguments of the shell
}

func newHouse(t testing.TB, o recall.Options) *house {
	t.Helper()
	h := &house{t: t, m: memorytest.New(t, memory.NewMemStore(), memory.Options{})}
	h.r.Limits.Calls = -1
	h.r.Redact = func(_ context.Context, s string) (string, error) {
		return strings.ReplaceAll(s, "13800138000", "[手机号]"), nil
	}
	tools, err := recall.Tools(h.m, o)
	require.NoError(t, err)
	require.NoError(t, h.r.Add(tools...))
	type in struct {
		Command string `json:"command"`
	}
	shell, err := nit.Define("shell_exec", nit.L3, "runs a command", func(_ context.Context, in in) (string, error) {
		h.ran = append(h.ran, in.Command)
		return "done", nil
	})
	require.NoError(t, err)
	require.NoError(t, h.r.Add(shell))
	return h
}

var day = time.Date(2026, 4, 10, 9, 0, 0, 0, time.UTC)

// keep stores a text in a space.
func (h *house) keep(s memory.Space, id, person, text string, at time.Time) {
	h.t.Helper()
	require.NoError(h.t, h.m.Put(h.t.Context(), memory.Record{ID: id, Space: s, Person: person, Name: "人" + person, Text: text, At: at}))
}

// do calls a tool and returns the text for the model.
func (h *house) do(v *nit.View, name string, args any) string {
	h.t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(h.t, err)
	if args == nil {
		raw = []byte("{}")
	}
	return v.Call(h.t.Context(), llms.ToolCall{ID: fmt.Sprint("c", len(raw)), FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(raw)}}).Content
}

type found struct {
	About    string
	Summary  string
	Memories []struct {
		ID, From, Kind, Who, Time, Text string
		WhoID                           string `json:"who_id"`
		Secret, Cut                     bool
		Sources                         []string
	}
	LeftOut int `json:"left_out"`
}

// read is do for search tools.
func (h *house) read(p nit.Principal, name string, args map[string]any) (f found) {
	h.t.Helper()
	text := h.do(h.r.View(p), name, args)
	require.NoError(h.t, json.Unmarshal([]byte(text), &f), text)
	return f
}

func (f found) texts() []string {
	texts := []string{}
	for _, m := range f.Memories {
		texts = append(texts, m.Text)
	}
	return texts
}
