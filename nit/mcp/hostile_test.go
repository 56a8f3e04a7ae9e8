package mcp_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Maximum cost of a hostile server since the start of its process.
const mostMemory = 64 << 20 // total bytes allocated; the peak is lower

// A scene is the expected outcome of a hostile server: imported tools, or an error that ends the connection.
type scene struct {
	tools  string // imported tools: "ok", or several
	err    string // part of the error
	limits mcp.ClientLimits
}

var scenes = map[string]scene{
	"endless pages":         {tools: "t1 t10 t11 t12 t13 t14 t15 t16 t2 t3 t4 t5 t6 t7 t8 t9"},
	"the same page":         {err: "repeats a cursor"},
	"10 MB description":     {err: "message too long"},
	"10 MB hello":           {err: "message too long"},
	"1 MB descriptions":     {tools: "ok"},
	"self-referring schema": {tools: "ok"},
	"deep schema":           {err: "nesting depth"},
	"quite deep schema":     {tools: "ok"},
	"laughing schema":       {tools: "ok"},
	"many tools":            {tools: "t00000 t00001 t00002", limits: mcp.ClientLimits{MaxTools: 3}},
	"duplicate names":       {tools: "ok"},
	"bad names":             {tools: "ok"},
	"future":                {err: "unsupported protocol version"},
	"wrong answers":         {err: "list tools"},
	"silent":                {err: "deadline", limits: mcp.ClientLimits{HandshakeTimeout: 300 * time.Millisecond}},
	"silent later":          {err: "deadline", limits: mcp.ClientLimits{ListTimeout: 300 * time.Millisecond}},
	"drip at once":          {err: "deadline", limits: mcp.ClientLimits{HandshakeTimeout: 300 * time.Millisecond}},
	"drip":                  {err: "deadline", limits: mcp.ClientLimits{ListTimeout: 300 * time.Millisecond}},
	"garbage at once":       {err: "too many unrequested messages"},
	"endless line":          {err: "message too long"},
	"flood":                 {err: "too many unrequested messages"},
	"flood of requests":     {err: "too many unrequested messages"},
	"flood of changes":      {err: "too many unrequested messages"},
	"flood of answers":      {err: "too many unrequested messages"},
	"garbage":               {err: "too many unrequested messages"},
	"deep garbage":          {err: "nesting depth"},
}

func (sc scene) over(st mcp.Status) bool {
	if sc.err != "" {
		return st.Err != nil && strings.Contains(st.Err.Error(), sc.err)
	}
	want := "bad__" + strings.ReplaceAll(sc.tools, " ", " bad__")
	if st.Connected && strings.Join(st.Tools, " ") == want {
		for _, why := range st.NotImported {
			if why == "awaiting approval" {
				return false
			}
		}
		return true
	}
	return false
}

// The connection ends within the memory limit, and the tools of another server still work.
func TestClient_HostileServers(t *testing.T) {
	quiet(t)
	reg := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	run(t, reg, process(t, "good", "good"), mcp.ClientOptions{Approve: yes}).until("the good one", has("good__ok"))
	good := func() {
		res, err := reg.View(owner).Do(t.Context(), "good__ok", "")
		require.NoError(t, err)
		require.Equal(t, "done", res.Text)
	}
	for role, sc := range scenes {
		t.Run(role, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			s := run(t, reg, process(t, "bad", role), mcp.ClientOptions{Approve: yes, Limits: sc.limits})
			good()
			s.until("over", sc.over)
			took := time.Since(began)
			good()
			runtime.ReadMemStats(&after)
			s.stop()
			cost := after.TotalAlloc - before.TotalAlloc
			t.Logf("%v, %.1f MiB", took.Round(time.Millisecond), float64(cost)/(1<<20))
			assert.Less(t, cost, uint64(mostMemory))
			good()
			assert.Len(t, reg.View(owner).Tools(), 1)
		})
	}
}

// As TestClient_HostileServers, for faults during a call.
func TestClient_HostileInACall(t *testing.T) {
	quiet(t)
	for role, want := range map[string]string{
		"crash":        "the effect is unclear",
		"10 MB result": "the effect is unclear",
		"1 MB result":  "more characters",
	} {
		t.Run(role, func(t *testing.T) {
			reg := &nit.Registry{Limits: nit.Limits{Calls: -1}}
			s := run(t, reg, process(t, "bad", role), mcp.ClientOptions{Approve: yes, Limits: mcp.ClientLimits{MinBackoff: 20 * time.Millisecond}})
			s.until("up", has("bad__ok"))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := reg.View(owner).Do(t.Context(), "bad__ok", "")
			runtime.ReadMemStats(&after)
			if err != nil {
				res.Text = err.Error()
			}
			assert.Contains(t, res.Text, want)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostMemory))
			if err != nil {
				assert.ErrorIs(t, err, nit.ErrFailed)
				s.until("away", func(st mcp.Status) bool { return st.Attempts > 1 || !st.Connected })
				s.until("and back", has("bad__ok"))
			}
		})
	}
}

// The server changes the definition of a tool after its approval and a call.
func TestClient_RugPullOfAProcess(t *testing.T) {
	quiet(t)
	reg := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	s := run(t, reg, process(t, "bad", "rug pull"), mcp.ClientOptions{Approve: mcp.TrustOnFirstUse})
	s.until("up", has("bad__ok"))
	v := reg.View(owner)
	_, err := v.Do(t.Context(), "bad__ok", "")
	require.NoError(t, err)
	s.until("taken out", func(st mcp.Status) bool { return st.Connected && st.NotImported["ok"] == "not approved" })
	_, err = v.Do(t.Context(), "bad__ok", "")
	assert.Equal(t, nit.ErrUnknownTool, err)
}

// A server process gets only the environment in Source.
func TestClient_ProcessInheritsNoEnvironment(t *testing.T) {
	quiet(t)
	t.Setenv("ZQ7_KEY", "sk-secret")
	reg := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	src := process(t, "s", "environment")
	src.Env = append(src.Env, "GIVEN=yes")
	run(t, reg, src, mcp.ClientOptions{Approve: yes}).until("up", has("s__ok"))
	res, err := reg.View(owner).Do(t.Context(), "s__ok", "")
	require.NoError(t, err)
	assert.Contains(t, res.Text, "GIVEN=yes")
	assert.NotContains(t, res.Text, "ZQ7_KEY")
}

// The processes end with the client, even if they resist. Remaining child processes do not block the client.
func TestClient_EndsProcesses(t *testing.T) {
	quiet(t)
	for _, role := range []string{"good", "undead", "brood"} {
		s := run(t, &nit.Registry{}, process(t, "s", role), mcp.ClientOptions{Approve: yes, Limits: mcp.ClientLimits{StopTimeout: 200 * time.Millisecond}})
		s.until("up", has("s__ok"))
		s.stop() // fails the test if it does not end
	}
	s := run(t, &nit.Registry{}, mcp.Source{Name: "s", Command: []string{"/nonexistent/zq7"}}, mcp.ClientOptions{})
	s.until("failed", func(st mcp.Status) bool { return st.Err != nil })
}
