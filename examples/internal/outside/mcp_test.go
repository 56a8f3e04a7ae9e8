package outside_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain serves MCP over standard input and output if the test runs this binary as a server.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "serve-mcp") {
		server, err := newServer()
		if err == nil {
			err = server.Serve(context.Background(), os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newServer returns an MCP server with two tools. One of them returns the variables of its environment.
func newServer() (*mcp.Server, error) {
	tools := new(nit.Registry)
	double, err := nit.Define("double", nit.L1, "把数加倍", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return 2 * in.N, nil
	})
	if err != nil {
		return nil, err
	}
	environment, err := nit.Define("environment", nit.L1, "环境变量", func(context.Context, struct{}) (string, error) {
		return strings.Join(os.Environ(), "\n"), nil
	})
	if err != nil {
		return nil, err
	}
	if err := tools.Add(double, environment); err != nil {
		return nil, err
	}
	return mcp.NewServer(func() *nit.View { return tools.View(nit.Principal{Tiers: nit.L1}) }, mcp.ServerOptions{})
}

// parse parses flags -mcp.
func parse(values ...string) (*outside.MCP, error) {
	m := new(outside.MCP)
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	m.Flags(f)
	var args []string
	for _, v := range values {
		args = append(args, "-mcp", v)
	}
	return m, f.Parse(args)
}

// runMCP keeps the tools of the servers in a registry until the test or stop ends it.
func runMCP(t *testing.T, tools *nit.Registry, state nit.State, values ...string) (stop func()) {
	t.Helper()
	m, err := parse(values...)
	require.NoError(t, err)
	require.NoError(t, m.Bind(tools, state, slog.New(slog.DiscardHandler)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	stop = func() {
		cancel()
		require.NoError(t, <-ended)
		ended <- nil
	}
	t.Cleanup(stop)
	return stop
}

var (
	owner   = nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}
	someone = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "1", Session: "group_1"}
)

// do calls a tool as soon as it exists.
func do(t *testing.T, tools *nit.Registry, p nit.Principal, name, args string) string {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		res, err := tools.View(p).Do(t.Context(), name, args)
		if err == nil {
			return res.Text
		}
		require.ErrorIs(t, err, nit.ErrUnknownTool)
	}
	require.Fail(t, "there is no tool "+name)
	return ""
}

// The flag adds the tools of a server process without a rebuild: for the owner, or for everybody if it says so. The process does
// not inherit secrets.
func TestMCP_Process(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	tools := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	stop := runMCP(t, tools, memory.NewMemStore(), "mine="+self+" serve-mcp", "open:L1="+self+" serve-mcp", "down="+self+" -test.run=^$")
	assert.Equal(t, "42", do(t, tools, owner, "mine__double", `{"n":21}`))
	assert.Equal(t, "42", do(t, tools, owner, "open__double", `{"n":21}`))
	assert.Equal(t, "42", do(t, tools, someone, "open__double", `{"n":21}`))
	_, err = tools.View(someone).Do(t.Context(), "mine__double", `{"n":21}`)
	assert.ErrorIs(t, err, nit.ErrUnknownTool, "only the owner has it")
	env := do(t, tools, owner, "mine__environment", "")
	assert.Contains(t, env, "PATH=")
	assert.NotContains(t, env, "sk-secret")
	stop()
	assert.Empty(t, tools.View(owner).Tools())
}

// A server over HTTP gets the token from the environment. An approved tool that has changed is not imported after a restart.
func TestMCP_HTTP(t *testing.T) {
	server, err := newServer()
	require.NoError(t, err)
	handler, err := server.Handler(mcp.HTTPOptions{Token: "secret"})
	require.NoError(t, err)
	web := httptest.NewServer(handler)
	defer web.Close()
	defer server.Close()
	t.Setenv("MCP_TOKEN_SKY_2", "secret")
	tools := &nit.Registry{Limits: nit.Limits{Calls: -1}, Redact: func(_ context.Context, s string) (string, error) { return "[" + s + "]", nil }}
	state := memory.NewMemStore()
	stop := runMCP(t, tools, state, "sky-2:l2="+web.URL)
	assert.Equal(t, "[42]", do(t, tools, someone, "sky-2__double", `{"n":21}`), "L2 is redacted")
	assert.Equal(t, "42", do(t, tools, owner, "sky-2__double", `{"n":21}`))
	stop()

	other := new(nit.Registry)
	for _, name := range []string{"double", "fresh"} {
		tool, err := nit.Define(name, nit.L1, "别的说明", func(context.Context, struct{}) (string, error) { return "", nil })
		require.NoError(t, err)
		require.NoError(t, other.Add(tool))
	}
	changed, err := mcp.NewServer(func() *nit.View { return other.View(nit.Principal{Tiers: nit.L1}) }, mcp.ServerOptions{})
	require.NoError(t, err)
	defer changed.Close()
	handler, err = changed.Handler(mcp.HTTPOptions{Token: "secret"})
	require.NoError(t, err)
	later := httptest.NewServer(handler)
	defer later.Close()
	runMCP(t, tools, state, "sky-2:L1="+later.URL)
	do(t, tools, someone, "sky-2__fresh", "")
	_, err = tools.View(owner).Do(t.Context(), "sky-2__double", `{"n":21}`)
	assert.ErrorIs(t, err, nit.ErrUnknownTool)
}

func TestMCP_WrongFlags(t *testing.T) {
	for value, want := range map[string]string{
		"weather":           "NAME=COMMAND",
		"weather=":          "exactly one of",
		"a b=server":        "invalid server name",
		"=server":           "invalid server name",
		"weather:L4=server": "none of L1, L2 and L3",
	} {
		_, err := parse(value)
		assert.ErrorContains(t, err, want, value)
	}
	_, err := parse("a=x", "a=y")
	assert.ErrorContains(t, err, "taken")
	m, err := parse("a=x -y", "b:L2=https://example.com/mcp")
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "-y"}, m.Servers[0].Command)
	assert.Equal(t, []nit.Tier{nit.L3, nit.L2}, []nit.Tier{m.Servers[0].Tier, m.Servers[1].Tier})
	require.NoError(t, new(outside.MCP).Run(t.Context()), "without servers it returns")
}
