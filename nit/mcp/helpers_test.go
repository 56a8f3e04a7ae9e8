package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience limits the wait for an expected event. Only a failing test reaches it.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if role := os.Getenv(roleName); role != "" {
		play(role)
		return
	}
	os.Exit(m.Run())
}

type echoIn struct {
	Text string `json:"text"`
}

type pairOut struct {
	Sum   int    `json:"sum"`
	Words string `json:"words"`
}

func define[In, Out any](t testing.TB, name string, tier nit.Tier, f func(context.Context, In) (Out, error), opts ...nit.Option) nit.Tool {
	t.Helper()
	tool, err := nit.Define(name, tier, "about "+name, f, opts...)
	require.NoError(t, err)
	return tool
}

func echo(_ context.Context, in echoIn) (string, error) { return in.Text, nil }

// house returns a registry with one tool of each kind.
func house(t testing.TB) *nit.Registry {
	r, err := newHouse()
	require.NoError(t, err)
	return r
}

func newHouse() (*nit.Registry, error) {
	r := &nit.Registry{Limits: nit.Limits{Calls: -1}}
	for _, make := range []func() (nit.Tool, error){
		func() (nit.Tool, error) {
			return nit.Define("echo", nit.L1, "about echo", echo, nit.ReadOnly())
		},
		func() (nit.Tool, error) {
			return nit.Define("pair", nit.L1, "about pair", func(context.Context, struct{}) (pairOut, error) { return pairOut{3, "三"}, nil })
		},
		func() (nit.Tool, error) {
			return nit.Define("fail", nit.L1, "about fail", func(context.Context, struct{}) (string, error) {
				return "", errors.Join(nit.ModelError("不行"), errors.New("zq7_secret"))
			})
		},
		func() (nit.Tool, error) {
			return nit.Define("wait", nit.L1, "about wait", func(ctx context.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		},
		func() (nit.Tool, error) {
			return nit.Define("zq7_shell", nit.L3, "about zq7_shell", func(context.Context, struct{}) (string, error) { return "zq7_ran", nil })
		},
	} {
		tool, err := make()
		if err == nil {
			err = r.Add(tool)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

var stranger = nit.Principal{Tiers: nit.L1, Platform: "mcp"}

func viewOf(r *nit.Registry, p nit.Principal) func() *nit.View {
	return func() *nit.View { return r.View(p) }
}

// A wire is one end of a line connection, for tests with hand-written messages.
type wire struct {
	t   testing.TB
	rw  io.ReadWriteCloser
	dec *json.Decoder
}

func newWire(t testing.TB, rw io.ReadWriteCloser) *wire {
	return &wire{t, rw, json.NewDecoder(rw)}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(w.rw, l+"\n")
		require.NoError(w.t, err)
	}
}

// message is any JSON-RPC message.
type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (w *wire) next() (m message) {
	w.t.Helper()
	require.NoError(w.t, w.dec.Decode(&m))
	return m
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func callLine(id int, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

// serve serves s over a pipe during the test.
func serve(t testing.TB, s *mcp.Server) *wire {
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, far, far) }()
	t.Cleanup(func() {
		cancel()
		near.Close()
		assert.NoError(t, <-done)
	})
	return newWire(t, near)
}

// A stage observes a client that runs during the test.
type stage struct {
	t    testing.TB
	stop func()
	mu   sync.Mutex
	told []mcp.Status // since the last awaited status
	news chan struct{}
	*mcp.Client
}

// run starts a client.
func run(t testing.TB, reg *nit.Registry, src mcp.Source, o mcp.ClientOptions) *stage {
	t.Helper()
	s := &stage{t: t, news: make(chan struct{}, 1)}
	o.OnStatus = func(st mcp.Status) {
		s.mu.Lock()
		s.told = append(s.told, st)
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
	c, err := mcp.NewClient(reg, src, o)
	require.NoError(t, err)
	s.Client = c
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			assert.NoError(t, err)
		case <-time.After(patience):
			t.Error("Run did not end")
		}
	})
	t.Cleanup(s.stop)
	return s
}

// until waits for a status that satisfies ok. It misses no status and considers only those after the last awaited one.
func (s *stage) until(what string, ok func(mcp.Status) bool) (st mcp.Status) {
	s.t.Helper()
	limit := time.After(patience)
	for next := 0; ; {
		s.mu.Lock()
		for ; next < len(s.told); next++ {
			if st = s.told[next]; ok(st) {
				s.told = s.told[next:]
				s.mu.Unlock()
				return st
			}
		}
		s.mu.Unlock()
		select {
		case <-s.news:
		case <-limit:
			require.FailNow(s.t, "in vain: "+what, "%+v", st)
		}
	}
}

func has(tools ...string) func(mcp.Status) bool {
	return func(s mcp.Status) bool { return s.Connected && strings.Join(s.Tools, " ") == strings.Join(tools, " ") }
}

// yes approves everything.
func yes(context.Context, mcp.ApprovalRequest) (bool, error) { return true, nil }

// quiet checks for leaked goroutines at the end of the test.
func quiet(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for began := time.Now(); runtime.NumGoroutine() > before && time.Since(began) < patience; {
			time.Sleep(5 * time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			buf := make([]byte, 1<<20)
			t.Errorf("%d goroutines, %d before\n%s", n, before, buf[:runtime.Stack(buf, true)])
		}
	})
}
