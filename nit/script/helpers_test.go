package script_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
}

// trace runs src and returns the calls as names and arguments.
func trace(t testing.TB, src string, opts script.Options) ([]string, error) {
	t.Helper()
	var calls []string
	_, err := script.Run(src, opts, func(name string, args map[string]any) (any, error) {
		calls = append(calls, name+canonical(args))
		return "R" + string(rune('0'+len(calls))), nil
	})
	return calls, err
}

// wrong runs src, which must fail, and returns the error.
func wrong(t testing.TB, src string, opts script.Options) *script.Error {
	t.Helper()
	_, err := trace(t, src, opts)
	var e *script.Error
	require.ErrorAs(t, err, &e, "%q", src)
	return e
}

type echoIn struct {
	Text string   `json:"text,omitempty"`
	List []string `json:"list,omitempty"`
	N    float64  `json:"n,omitempty"`
}

// echo returns a tool that returns its arguments.
func echo(t testing.TB, name string, tier nit.Tier, opts ...nit.Option) nit.Tool {
	t.Helper()
	tool, err := nit.Define(name, tier, "about "+name, func(_ context.Context, in echoIn) (string, error) {
		return name + "(" + in.Text + ")", nil
	}, opts...)
	require.NoError(t, err)
	return tool
}

func scripts(t testing.TB, opts script.ToolOptions) *script.Scripts {
	t.Helper()
	s, err := script.NewScripts(opts)
	require.NoError(t, err)
	return s
}

func call(name, args string) llms.ToolCall {
	return llms.ToolCall{ID: "call_7", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
}

// runs calls the script tool.
func runs(t testing.TB, box *script.Toolbox, src string) string {
	t.Helper()
	r := box.Call(t.Context(), call(script.ToolName, marshal(t, map[string]any{"script": src})))
	assert.Equal(t, "call_7", r.ToolCallID)
	return r.Content
}
