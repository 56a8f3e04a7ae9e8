package mcp_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// bareServer serves the tool echo with the SDK only.
func bareServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "bare", Version: "0"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "about echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoIn) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	return s
}

// BenchmarkCall calls a tool over an in-memory pipe and over the stdio of a process, on a Server and on the bare SDK,
// with the SDK's client. "ratio" alternates both and reports ours/bare.
func BenchmarkCall(b *testing.B) {
	for _, way := range []string{"memory", "stdio"} {
		ours, bare := caller(b, way, true), caller(b, way, false)
		b.Run(way+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ours()
			}
		})
		b.Run(way+"/bare", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bare()
			}
		})
		b.Run(way+"/ratio", func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for i, f := range []func(){ours, bare} {
					start := time.Now()
					for range 10 {
						f()
					}
					spent[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(spent[0])/float64(spent[1]), "ours/bare")
		})
	}
}

func caller(b *testing.B, way string, ours bool) func() {
	var t sdk.Transport
	if way == "stdio" {
		self, err := os.Executable()
		require.NoError(b, err)
		cmd := exec.Command(self)
		cmd.Env = []string{roleName + "=bare", "GORACE=atexit_sleep_ms=0"}
		if ours {
			cmd.Env[0] = roleName + "=house"
		}
		t = &sdk.CommandTransport{Command: cmd}
	} else {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		b.Cleanup(cancel)
		if ours {
			r, err := newHouse()
			require.NoError(b, err)
			s := serverOf(b, viewOf(r, stranger), mcp.ServerOptions{})
			go func() { _ = s.Serve(ctx, in, out) }()
		} else {
			go func() { _ = bareServer().Run(ctx, &sdk.IOTransport{Reader: in, Writer: out}) }()
		}
		t = &sdk.IOTransport{Reader: fromServer, Writer: toServer}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "b", Version: "0"}, nil).Connect(b.Context(), t, nil)
	require.NoError(b, err)
	b.Cleanup(func() { c.Close() })
	p := &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "今天晚上八点一起看番吗？"}}
	return func() {
		res, err := c.CallTool(context.Background(), p)
		if err != nil || res.IsError {
			b.Fatal(err)
		}
	}
}
