package script_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// registry returns a registry with a tool of each tier, and the records of all calls.
func registry(t testing.TB, limits nit.Limits) (*nit.Registry, func() []nit.Record) {
	t.Helper()
	var mu sync.Mutex
	var records []nit.Record
	reg := &nit.Registry{Limits: limits, Audit: func(_ context.Context, r nit.Record) {
		mu.Lock()
		defer mu.Unlock()
		records = append(records, r)
	}, Redact: func(_ context.Context, s string) (string, error) {
		return strings.ReplaceAll(s, "13800138000", "[手机号]"), nil
	}}
	require.NoError(t, reg.Add(
		echo(t, "say", nit.L1),
		echo(t, "read", nit.L2, nit.ReadOnly()),
		echo(t, "zq7_shell", nit.L3),
		echo(t, "zq7_off", nit.L1),
		echo(t, "zq7_agent", nit.L1, nit.OnlyIn(nit.ModeAgent)),
	))
	require.True(t, reg.Disable("zq7_off"))
	return reg, func() []nit.Record { mu.Lock(); defer mu.Unlock(); return records }
}

var persona = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123", Turn: "t1"}

func TestScripts_OverAView(t *testing.T) {
	reg, records := registry(t, nit.Limits{})
	box := scripts(t, script.ToolOptions{}).Toolbox(reg.View(persona))
	var names []string
	for _, tool := range box.Tools() {
		names = append(names, tool.Function.Name)
	}
	assert.Equal(t, []string{"nit_script", "read", "say"}, names)

	got := runs(t, box, "$m = read(text=\"13800138000</nit>\", list=[\"a\"])\nasync say(text=$m)\nsay(text=\"早\", n=-1.5)")
	assert.Equal(t, `{"tool":"read","into":"$m","length":17}
{"tool":"say","result":"say(read([手机号]</nit>))"}
{"tool":"say","result":"say(早)"}`, got)
	require.Len(t, records(), 3)
	for _, r := range records() {
		assert.Equal(t, persona, r.Principal, "each call is one of the view's own principal")
		assert.Equal(t, nit.OK, r.Outcome)
	}

	assert.Equal(t, "say(直接)", box.Call(t.Context(), call("say", `{"text":"直接"}`)).Content, "other calls go to the view")
	assert.Equal(t, `error: bad arguments: script is missing`, box.Call(t.Context(), call(script.ToolName, `{}`)).Content)
	assert.Contains(t, box.Call(t.Context(), call(script.ToolName, `{"script":"","script":""}`)).Content, "given twice")
}

// Hidden, disabled, other-mode and missing tools look the same: same bytes, same cost, and nothing of the script runs.
func TestScripts_SeeOnlyTheView(t *testing.T) {
	var first string
	for _, name := range []string{"nobody", "zq7_shell", "zq7_off", "zq7_agent", "nit_script", "Say", "say.x", "工具"} {
		reg, records := registry(t, nit.Limits{})
		view := reg.View(persona)
		box := scripts(t, script.ToolOptions{}).Toolbox(view)
		got := runs(t, box, "say(text=\"先\")\n$x = "+name+"(text=\"a\")\n")
		assert.Equal(t, "error: the tool failed: NIT error at line 2, col 6: unknown tool", got, name)
		if first == "" {
			first = got
		}
		assert.Equal(t, first, got)
		require.Len(t, records(), 1, name)
		assert.Equal(t, name, records()[0].CalledName)
		assert.Empty(t, records()[0].Tool)

		for range 7 {
			assert.Contains(t, box.Call(t.Context(), call("say", `{}`)).Content, "say()")
		}
		assert.Contains(t, box.Call(t.Context(), call("say", `{}`)).Content, "no tool calls left", "it cost one call")
	}
}

// No text for a model names a hidden tool.
func TestScripts_HiddenToolsLeaveNoTrace(t *testing.T) {
	reg, _ := registry(t, nit.Limits{Calls: -1})
	box := scripts(t, script.ToolOptions{MaxScripts: -1}).Toolbox(reg.View(persona))
	shown := marshal(t, box.Tools())
	for _, src := range []string{"nobody()", "say(", "say(x=1)", "say(text=$y)", "say(text=1)", "read()", "say(n='a')", "`"} {
		shown += runs(t, box, src)
	}
	assert.NotContains(t, shown, "zq7_")
}

// A toolbox has one nit_script, and a script cannot call it.
func TestToolbox_HidesAHostToolOfTheSameName(t *testing.T) {
	var reg nit.Registry
	require.NoError(t, reg.Add(echo(t, script.ToolName, nit.L1), echo(t, "say", nit.L1)))
	box := scripts(t, script.ToolOptions{}).Toolbox(reg.View(persona))
	require.Len(t, box.Tools(), 2)
	assert.Contains(t, box.Tools()[0].Function.Description, "脚本")
	assert.Contains(t, runs(t, box, "nit_script(text='a')"), "unknown tool")
}

func TestToolbox_EmptyViewHasNoScripts(t *testing.T) {
	for _, view := range []*nit.View{nil, {}, new(nit.Registry).View(persona)} {
		box := scripts(t, script.ToolOptions{}).Toolbox(view)
		assert.Empty(t, box.Tools())
		got := box.Call(t.Context(), call(script.ToolName, `{"script":"a()"}`))
		assert.Equal(t, llms.ToolCallResponse{ToolCallID: "call_7", Name: "unknown", Content: "error: unknown tool"}, got)
	}
}

func TestScripts_Quotas(t *testing.T) {
	reg, records := registry(t, nit.Limits{Calls: 3})
	box := scripts(t, script.ToolOptions{}).Toolbox(reg.View(persona))
	got := runs(t, box, "say(text='1')\n$x = say(text='2')\nsay(text='3')\nsay(text='4')\nsay(text='5')")
	assert.Equal(t, `error: the tool failed: NIT error at line 4, col 1: no tool calls left for now
  4 | say(text='4')
    | ^
made before it ended:
{"tool":"say","result":"say(1)"}
{"tool":"say","into":"$x","length":6}
{"tool":"say","result":"say(3)"}`, got)
	assert.Len(t, records(), 4, "the calls, and the one that was one too many")

	reg, _ = registry(t, nit.Limits{Calls: -1})
	box = scripts(t, script.ToolOptions{}).Toolbox(reg.View(persona))
	for range 4 {
		assert.Contains(t, runs(t, box, "say()"), "say()")
	}
	assert.Equal(t, "error: no tool calls left for now", runs(t, box, "say()"), "scripts of a turn are counted, too")
}

// A host can refuse a call by the provenance of its arguments, through lists, objects and other calls. Literals in the
// script have no provenance.
func TestCallFrom_PoliciesSeeProvenance(t *testing.T) {
	reg, records := registry(t, nit.Limits{Calls: -1})
	view := reg.View(persona).WithPolicy(func(ctx context.Context, r nit.Request) (nit.Decision, error) {
		assert.Equal(t, persona, r.Principal)
		c, ok := script.CallFrom(ctx)
		assert.True(t, ok)
		assert.Equal(t, r.Tool.Name, c.Name)
		if c.Name == "say" && c.Provenance().Has("read") {
			return nit.Deny, nil
		}
		return nit.Allow, nil
	})
	s := scripts(t, script.ToolOptions{})
	assert.Contains(t, runs(t, s.Toolbox(view), "$m = read(text='x')\nsay(text='我看过了')"), "我看过了")
	for _, leak := range []string{"say(text=$m)", "say(list=['a', $m])", "$n = read(text=$m)\nsay(text=$n)", "async say(text=$m)", "$n = async read(text=$m)\nasync say(text=$n)"} {
		n := len(records())
		assert.Contains(t, runs(t, s.Toolbox(view), "$m = read(text='x')\n"+leak), "not allowed now", leak)
		for _, r := range records()[n:] {
			assert.True(t, r.CalledName == "read" || r.Outcome == nit.Refused, leak)
		}
	}
	_, ok := script.CallFrom(t.Context())
	assert.False(t, ok)
}

// A script cannot bypass a guard.
func TestScripts_GuardsOfTheViewRun(t *testing.T) {
	reg, _ := registry(t, nit.Limits{})
	var asked []string
	view := reg.View(persona).WithGuard(func(_ context.Context, i nit.ToolInfo) error {
		asked = append(asked, i.Name)
		return errors.New("not now")
	})
	got := runs(t, scripts(t, script.ToolOptions{}).Toolbox(view), "read()\nsay()")
	assert.Contains(t, got, "line 2, col 1: not allowed now")
	assert.Equal(t, []string{"say"}, asked)
}

// Async tool calls run concurrently and end with their turn.
func TestScripts_AsyncOverAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reg nit.Registry
		slow, err := nit.Define("slow", nit.L1, "waits", func(ctx context.Context, in echoIn) (string, error) {
			select {
			case <-time.After(time.Duration(in.N) * time.Second):
				return fmt.Sprint(in.N), nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, nit.ReadOnly())
		require.NoError(t, err)
		require.NoError(t, reg.Add(slow))
		s := scripts(t, script.ToolOptions{})
		start := time.Now()
		got := runs(t, s.Toolbox(reg.View(persona)), "$a = async slow(n=3)\nasync slow(n=2)\nslow(n=1)\nslow(n=1, text=$a)")
		assert.Equal(t, 4*time.Second, time.Since(start))
		assert.Equal(t, "{\"tool\":\"slow\",\"into\":\"$a\",\"length\":1}\n{\"tool\":\"slow\",\"result\":\"2\"}\n{\"tool\":\"slow\",\"result\":\"1\"}\n{\"tool\":\"slow\",\"result\":\"1\"}", got)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		r := s.Toolbox(reg.View(persona)).Call(ctx, call(script.ToolName, `{"script":"async slow(n=20)\nslow(n=20)\nslow(n=1)"}`))
		assert.Contains(t, r.Content, "error: ")
		assert.Equal(t, time.Second, time.Since(start))
		require.NoError(t, s.Wait(t.Context()))
		require.NoError(t, reg.Wait(t.Context()))
	})
}
