package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// growing serves a house with a tool grow. Each call of grow replaces the tool grown.
func growing() (*mcp.Server, error) {
	r, err := newHouse()
	if err != nil {
		return nil, err
	}
	s, err := mcp.NewServer(viewOf(r, stranger), mcp.ServerOptions{})
	if err != nil {
		return nil, err
	}
	times := 0
	grow, err := nit.Define("grow", nit.L1, "about grow", func(context.Context, struct{}) (string, error) {
		times++
		more, err := nit.Define("grown", nit.L1, fmt.Sprint("about grown ", times), echo)
		if err == nil {
			r.Remove("grown")
			err = r.Add(more)
		}
		s.Refresh()
		return "", err
	})
	if err == nil {
		err = r.Add(grow)
	}
	return s, err
}

// serveHouse is the main function of a server over stdio.
func serveHouse() {
	s, err := growing()
	if err == nil {
		err = s.Serve(context.Background(), os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// clients skips the test unless other clients are installed: npm ci --ignore-scripts in testdata/clients. With
// HEARTH_MCP_CLIENTS=required it fails instead. With -short it always skips, because these clients are slow.
func clients(t *testing.T) (dir string) {
	if testing.Short() {
		t.Skip("the clients of others start a Node each")
	}
	dir, err := filepath.Abs("testdata/clients")
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(dir, "node_modules/@modelcontextprotocol"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil {
		if os.Getenv("HEARTH_MCP_CLIENTS") == "required" {
			t.Fatal("no MCP clients: ", err)
		}
		t.Skip("no MCP clients: ", err)
	}
	return dir
}

// node runs a script and returns its output.
func node(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), roleName+"=house")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// web serves a house over HTTP during a test.
func web(t *testing.T) (url, token string) {
	s, err := growing()
	require.NoError(t, err)
	server := httptest.NewServer(handlerOf(t, s, mcp.HTTPOptions{Token: "zq7_token"}))
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	return server.URL + "/mcp", "zq7_token"
}

// The old and new TypeScript SDK, the new one also with the protocol without a handshake.
func TestServer_RealClients(t *testing.T) {
	dir := clients(t)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, kind := range []string{"v1", "v2", "v2-modern"} {
		for _, way := range []string{"stdio", "http"} {
			t.Run(kind+" "+way, func(t *testing.T) {
				t.Parallel()
				args := []string{"check.js", kind, way, self}
				if way == "http" {
					url, token := web(t)
					args = []string{"check.js", kind, way, url, token}
				}
				out, errs, err := node(t, dir, args...)
				require.NoError(t, err, "%s\n%s", out, errs)
				var seen struct {
					Tools, Grown    []string
					Schema          json.RawMessage
					Echo            json.RawMessage
					Pair            json.RawMessage
					Fail            struct{ IsError bool }
					Bad, Cancelled  bool
					Hidden, Unknown struct {
						Code    int
						Message string
					}
				}
				require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
				assert.Equal(t, []string{"echo", "fail", "grow", "pair", "wait"}, seen.Tools)
				assert.JSONEq(t, `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`, string(seen.Schema))
				assert.JSONEq(t, `[{"type":"text","text":"你好"}]`, string(seen.Echo))
				assert.JSONEq(t, `{"sum":3,"words":"三"}`, string(seen.Pair))
				assert.True(t, seen.Fail.IsError)
				assert.True(t, seen.Bad)
				assert.True(t, seen.Cancelled)
				assert.Equal(t, -32602, seen.Hidden.Code)
				assert.Contains(t, seen.Hidden.Message, "unknown tool")
				assert.Equal(t, seen.Unknown, seen.Hidden)
				assert.Equal(t, []string{"echo", "fail", "grow", "grown", "pair", "wait"}, seen.Grown)
				assert.NotContains(t, out, "zq7")
			})
		}
	}
}

// The command line of the MCP Inspector, which also checks for common mistakes.
func TestServer_Inspector(t *testing.T) {
	dir := clients(t)
	self, err := os.Executable()
	require.NoError(t, err)
	url, token := web(t)
	cli := "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"
	for way, target := range map[string][]string{
		"stdio": {"-e", roleName + "=house", "--", self},
		"http":  {"--transport", "http", "--server-url", url, "--header", "Authorization: Bearer " + token},
	} {
		for name, tt := range map[string]struct {
			args  []string
			wants []string
			fails bool
		}{
			"list":         {[]string{"--method", "tools/list", "--strict"}, []string{`"echo"`, `"pair"`}, false},
			"call":         {[]string{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=inspected"}, []string{`"inspected"`}, false},
			"a hidden one": {[]string{"--method", "tools/call", "--tool-name", "zq7_shell"}, nil, true},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				out, errs, err := node(t, dir, append(append([]string{cli}, tt.args...), target...)...)
				assert.Equal(t, tt.fails, err != nil, "%s\n%s", out, errs)
				for _, want := range tt.wants {
					assert.Contains(t, out, want, errs)
				}
				assert.NotContains(t, out, "zq7_ran")
			})
		}
	}
}
