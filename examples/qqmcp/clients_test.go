//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clients skips the test if the clients of others are not installed: npm ci --ignore-scripts in nit/mcp/testdata/clients.
// With HEARTH_MCP_CLIENTS=required it fails instead.
func clients(t *testing.T) (dir string) {
	if testing.Short() {
		t.Skip("the clients of others start a Node each")
	}
	dir, err := filepath.Abs("../../nit/mcp/testdata/clients")
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

// node runs Node.js with a script or arguments and returns its output.
func node(t *testing.T, dir string, script []byte, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// demoWeb serves the demo over HTTP.
func demoWeb(t *testing.T) (url string) {
	address := fmt.Sprint("127.0.0.1:", freePorts(t, 1)[0])
	startProcess(t, []string{"QQMCP_HTTP_TOKEN=zq7-token"}, "--demo", "--http", address)
	url = "http://" + address + "/mcp"
	until(t, func() bool {
		resp, err := http.Get(url)
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil
	})
	return url
}

// Every tool works with the old and the new version of the SDK that most clients use. It reads 2,000 times, 20 at once.
func TestTypeScriptSDK(t *testing.T) {
	dir := clients(t)
	bin, err := binary()
	require.NoError(t, err)
	script, err := os.ReadFile("testdata/check.js")
	require.NoError(t, err)
	for _, kind := range []string{"v1", "v2"} {
		for _, way := range []string{"stdio", "http"} {
			t.Run(kind+" "+way, func(t *testing.T) {
				reads := "2000"
				args := []string{"--input-type=module", "-", kind, way, bin, "--demo"}
				if way == "http" { // HTTP needs ten times as long
					reads = "200"
					args = []string{"--input-type=module", "-", kind, way, demoWeb(t), "zq7-token"}
				}
				t.Setenv("READS", reads)
				out, errs, err := node(t, dir, script, args...)
				require.NoError(t, err, "%s\n%s", out, errs)
				var seen struct {
					Tools      []string
					Schemas    bool
					Status     statusOut
					Groups     groupsOut
					Context    contextOut
					Private    contextOut
					Batch      batchOut
					Bad        []bool
					Resources  []string
					Read       string
					Sent       sendOut
					Soon       sendOut
					Waited     waitOut
					Compressed compressOut
					Message    messageOut
					Reads      struct{ Errors, Milliseconds int }
				}
				require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
				assert.Equal(t, []string{"batch_get_recent_context", "check_status", "compress_context", "get_group_list", "get_message",
					"get_recent_context", "send_message", "wait_for_message"}, seen.Tools)
				assert.True(t, seen.Schemas)
				assert.Equal(t, "小炉", seen.Status.QQNickname)
				assert.Len(t, seen.Groups.Groups, 2)
				assert.Equal(t, 3, seen.Context.MessageCount)
				assert.Equal(t, "小满", *seen.Private.FriendName)
				assert.NotNil(t, seen.Batch.Results[0].Context)
				assert.NotEmpty(t, seen.Batch.Results[1].Error)
				assert.Equal(t, []bool{true, true, true, true}, seen.Bad)
				assert.Equal(t, []string{"qq://group/714285", "qq://group/714286", "qq://private/31002"}, seen.Resources)
				assert.Equal(t, "714285", seen.Read)
				assert.True(t, seen.Sent.Success)
				assert.Equal(t, "rate_limited", seen.Soon.Error)
				assert.Positive(t, seen.Soon.RetryAfter)
				assert.NotEmpty(t, seen.Waited.Messages)
				assert.Positive(t, seen.Compressed.Compressed)
				assert.Contains(t, []string{"大家好", "又是我", "还是我"}, seen.Message.Content)
				assert.True(t, seen.Message.IsSelf)
				assert.Zero(t, seen.Reads.Errors)
				t.Logf("%s reads, 20 at once, took %d ms", reads, seen.Reads.Milliseconds)
			})
		}
	}
}

// The command line of the MCP Inspector works. It checks for typical problems of clients.
func TestInspector(t *testing.T) {
	dir := clients(t)
	bin, err := binary()
	require.NoError(t, err)
	url := demoWeb(t)
	cli := "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"
	for way, target := range map[string][]string{
		"stdio": {"--", bin, "--demo"},
		"http":  {"--transport", "http", "--server-url", url, "--header", "Authorization: Bearer zq7-token"},
	} {
		for name, tt := range map[string]struct {
			args  []string
			wants []string
		}{
			"list":      {[]string{"--method", "tools/list", "--strict"}, []string{`"get_recent_context"`, `"outputSchema"`, `"wait_for_message"`}},
			"resources": {[]string{"--method", "resources/list"}, []string{`"resources"`}},
			"status":    {[]string{"--method", "tools/call", "--tool-name", "check_status"}, []string{`"qq_account"`, `"20001"`}},
			"digits": {[]string{"--method", "tools/call", "--tool-name", "batch_get_recent_context", "--tool-arg", `targets=[{"target":714285}]`, "limit=5"},
				[]string{"714285", "results"}},
			"bad": {[]string{"--method", "tools/call", "--tool-name", "get_recent_context", "--tool-arg", "target=714285", "limit=51"}, []string{"bad arguments"}},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				out, errs, err := node(t, dir, nil, append(append([]string{cli}, tt.args...), target...)...)
				assert.True(t, err == nil || name == "bad", "%s\n%s", out, errs) // the exit status may be an error, too
				for _, want := range tt.wants {
					assert.Contains(t, out+errs, want)
				}
			})
		}
	}
}
