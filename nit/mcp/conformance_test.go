package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// conformanceServer offers what the conformance suite asks for, as far as a Server can.
func conformanceServer(t testing.TB) *mcp.Server {
	r := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	s := serverOf(t, viewOf(r, stranger), mcp.ServerOptions{EnableResources: true})
	say := func(text string, err error) func(context.Context, struct{}) (string, error) {
		return func(context.Context, struct{}) (string, error) { return text, err }
	}
	header, err := nit.DefineRaw("test_header", nit.L1, "about test_header",
		json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`),
		func(context.Context, json.RawMessage) (string, error) { return "ok", nil })
	require.NoError(t, err)
	var times atomic.Int64
	change := func(context.Context, struct{}) (string, error) {
		tool, err := nit.Define("test_changing", nit.L1, fmt.Sprint("version ", times.Add(1)), say("ok", nil))
		if err == nil {
			r.Remove("test_changing")
			err = r.Add(tool)
		}
		s.Refresh()
		return "ok", err
	}
	require.NoError(t, r.Add(
		define(t, "test_simple_text", nit.L1, say("This is a simple text response for testing.", nil)),
		define(t, "test_error_handling", nit.L1, say("", nit.ModelError("This tool intentionally returns an error for testing"))),
		define(t, "test_logging_tool", nit.L1, say("ok", nil)),
		define(t, "test_trigger_tool_change", nit.L1, change),
		header,
	))
	text := func(context.Context) (string, error) { return "This is the content of the static text resource.", nil }
	require.NoError(t, s.SetResources(
		mcp.Resource{URI: "test://static-text", Name: "static", Description: "a text", Read: text},
		mcp.Resource{URI: "test://watched-resource", Name: "watched", Description: "a text that may change", Read: text},
	))
	return s
}

func TestServer_Conformance(t *testing.T) {
	dir := clients(t)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			conformance(t, dir, "server", version, "--url", serveHTTP(t, conformanceServer(t))+"/mcp")
		})
	}
}

// The client has no version without a handshake.
func TestClient_Conformance(t *testing.T) {
	t.Parallel()
	dir := clients(t)
	self, err := os.Executable()
	require.NoError(t, err)
	conformance(t, dir, "client", "2025-11-25", "--command", "env "+roleName+"=conformance "+self)
}

// conformance runs the scenarios of the official conformance suite for a protocol version. testdata/conformance.txt lists
// the checks that fail, each with its reason. A listed check that passes fails the test too.
func conformance(t *testing.T, dir, side, version string, args ...string) {
	t.Helper()
	node22(t, dir)
	results := t.TempDir()
	args = append([]string{"node_modules/@modelcontextprotocol/conformance/dist/index.js", side, "--requirements", version, "--output-dir", results}, args...)
	out, errs, _ := node(t, dir, args...) // an error means that a check failed
	scenarios := readResults(t, results)
	require.Contains(t, out, fmt.Sprintf("Running requirements %s (%d scenarios)", version, len(scenarios)), errs)
	list, err := os.ReadFile("testdata/conformance.txt")
	require.NoError(t, err)
	passed := 0
	for scenario, checks := range scenarios {
		failed := map[string]string{}
		for _, c := range checks {
			switch c.Status {
			case "FAILURE":
				failed[c.ID] = c.Error
			case "SUCCESS":
				passed++
			}
		}
		known := map[string]bool{}
		for line := range strings.Lines(string(list)) {
			entry := strings.Fields(line)
			if len(entry) < 4 || entry[0] != side || !matches(entry[1], scenario) {
				continue
			}
			any := false
			for id := range failed {
				if matches(entry[2], id) {
					known[id], any = true, true
				}
			}
			assert.True(t, any, "%s passes, but is listed: %s", scenario, line)
		}
		for id, text := range failed {
			assert.True(t, known[id], "%s/%s: %s", scenario, id, text)
		}
	}
	t.Logf("%d scenarios, %d checks passed", len(scenarios), passed)
}

// node22 skips the test if Node is older than the suite needs. With HEARTH_MCP_CLIENTS=required it fails instead.
func node22(t *testing.T, dir string) {
	out, errs, err := node(t, dir, "-p", "process.versions.node")
	require.NoError(t, err, errs)
	major, _, _ := strings.Cut(out, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 22 {
		return
	}
	if os.Getenv("HEARTH_MCP_CLIENTS") == "required" {
		t.Fatal("the conformance suite needs Node 22, and this is ", out)
	}
	t.Skip("the conformance suite needs Node 22, and this is ", out)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// A check is a result of the suite.
type check struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"errorMessage"`
}

var resultTime = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[^/]*$`)

// readResults reads the checks of each scenario.
func readResults(t *testing.T, dir string) map[string][]check {
	t.Helper()
	scenarios := map[string][]check{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(name) != "checks.json" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		scenario, err := filepath.Rel(dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		scenario = resultTime.ReplaceAllString(filepath.ToSlash(scenario), "")
		if before, ok := strings.CutPrefix(scenario, "server-"); ok {
			scenario = before
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			return err
		}
		scenarios[scenario] = checks
		return nil
	}))
	return scenarios
}

// conformanceClient is the main function of a client that imports the tools of a server and calls one.
func conformanceClient(url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reg := &nit.Registry{}
	ready := make(chan mcp.Status, 1)
	c, err := mcp.NewClient(reg, mcp.Source{Name: "suite", URL: url}, mcp.ClientOptions{Approve: mcp.TrustOnFirstUse, OnStatus: func(s mcp.Status) {
		if s.Err != nil || s.Connected && len(s.NotImported) == 0 {
			select {
			case ready <- s:
			default:
			}
		}
	}})
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	s := <-ready
	call, stop := context.WithTimeout(ctx, 2*time.Second) // some scenarios wait for what the client does not do
	defer stop()
	view := reg.View(owner)
	args := map[string]string{"suite__add_numbers": `{"a":5,"b":3}`}
	for _, tool := range view.Tools() {
		if tool.Function.Name == "suite__json_schema_2020_12_tool" {
			text, err := json.Marshal(map[string]any{"schema": tool.Function.Parameters})
			if err != nil {
				return err
			}
			args["suite__json_schema_echo"] = string(text)
		}
	}
	for _, name := range s.Tools {
		res, err := view.Do(call, name, cmp.Or(args[name], "{}"))
		fmt.Println(name, res.Text, err)
	}
	cancel()
	return errors.Join(s.Err, <-done)
}
