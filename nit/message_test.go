package nit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlugins_Messages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlugins(t, new(nit.Registry), nit.PluginOptions{QueueSize: 3})
		var heard []string
		hosts := map[string]*nit.Host{}
		load := func(name string, hear func(context.Context, nit.PluginMessage)) {
			require.NoError(t, p.Load(t.Context(), nit.Plugin{Manifest: manifest(name), OnMessage: hear,
				Start: func(_ context.Context, h *nit.Host) error { hosts[name] = h; return nil }}))
		}
		load("slow", func(ctx context.Context, m nit.PluginMessage) {
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
			}
			heard = append(heard, fmt.Sprintf("%s:%s%s", m.From, m.Topic, m.Body))
			if m.Topic == "3" {
				panic("at 3")
			}
		})
		var quick atomic.Int64
		load("quick", func(context.Context, nit.PluginMessage) { quick.Add(1) })
		load("mute", nil)

		for i := range 3 {
			require.NoError(t, hosts["quick"].Send("slow", fmt.Sprint(i), map[string]int{"n": i}))
		}
		assert.Equal(t, nit.ErrQueueFull, hosts["quick"].Send("slow", "3", nil))
		assert.Equal(t, nit.ErrUnknownPlugin, hosts["quick"].Send("mute", "", nil))
		assert.Equal(t, nit.ErrUnknownPlugin, hosts["quick"].Send("absent", "", nil))
		assert.Error(t, p.Send("slow", strings.Repeat("t", 300), nil))
		assert.Error(t, p.Send("slow", "t", func() {}))

		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error)
		go func() { ran <- p.Run(ctx) }()
		synctest.Wait()
		require.NoError(t, p.Send("slow", "3", nil), "one is being heard: there is room")
		require.NoError(t, hosts["slow"].Send("quick", "hi", nil))
		time.Sleep(time.Second)
		assert.EqualValues(t, 1, quick.Load(), "one plugin does not hold up another")
		time.Sleep(40 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{`quick:0{"n":0}`, `quick:1{"n":1}`, `quick:2{"n":2}`, `:3null`}, heard)
		require.NoError(t, p.Send("slow", "4", nil))
		time.Sleep(11 * time.Second)
		synctest.Wait()
		assert.Len(t, heard, 5, "it goes on after a panic")

		require.NoError(t, p.SwitchPlugin(t.Context(), "slow", nit.Switch{Off: true}))
		assert.Equal(t, nit.ErrUnknownPlugin, p.Send("slow", "5", nil))
		require.NoError(t, p.SwitchPlugin(t.Context(), "slow", nit.Switch{}))
		require.NoError(t, p.Send("slow", "6", nil))
		require.NoError(t, p.Send("slow", "7", nil))
		synctest.Wait()
		require.NoError(t, p.Unload(t.Context(), "slow"))
		assert.Len(t, heard, 6, "what was being heard was heard, and no more")
		assert.Equal(t, nit.ErrUnknownPlugin, hosts["slow"].Send("quick", "", nil))

		start := time.Now()
		var took atomic.Int64
		load("stuck", func(ctx context.Context, _ nit.PluginMessage) {
			<-ctx.Done()
			took.Store(int64(time.Since(start)))
		})
		require.NoError(t, p.Send("stuck", "", nil))
		time.Sleep(time.Minute)
		assert.Equal(t, 30*time.Second, time.Duration(took.Load()))
		cancel()
		require.NoError(t, <-ran)
	})
}

// It also checks that concurrent loads of one plugin load it once.
func TestPlugins_ReloadKeepsUndeliveredMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlugins(t, new(nit.Registry), nit.PluginOptions{})
		var heard []string
		version := func(v string) nit.Plugin {
			return nit.Plugin{Manifest: manifest("p"), OnMessage: func(_ context.Context, m nit.PluginMessage) { heard = append(heard, v+m.Topic) },
				Start: func(context.Context, *nit.Host) error { time.Sleep(time.Second); return nil }}
		}
		var loads atomic.Int64
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if p.Load(t.Context(), version("a")) == nil {
					loads.Add(1)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, loads.Load())
		require.NoError(t, p.Send("p", "1", nil))
		require.NoError(t, p.Reload(t.Context(), version("b")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Equal(t, []string{"b1"}, heard)
	})
}

// loadHooks loads a plugin with the hooks of a template and returns its host.
func loadHooks(t *testing.T, p *nit.Plugins, name string, hooks nit.Plugin) *nit.Host {
	t.Helper()
	var host *nit.Host
	hooks.Manifest = manifest(name)
	hooks.Start = func(_ context.Context, h *nit.Host) error { host = h; return nil }
	require.NoError(t, p.Load(t.Context(), hooks))
	return host
}

// A broadcast reaches all other plugins with OnBroadcast, in order with their messages, except those that are switched off or full.
func TestPlugins_Broadcasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlugins(t, new(nit.Registry), nit.PluginOptions{QueueSize: 3})
		var mu sync.Mutex
		heard := map[string][]string{}
		note := func(name, kind string) func(context.Context, nit.PluginMessage) {
			return func(_ context.Context, m nit.PluginMessage) {
				mu.Lock()
				defer mu.Unlock()
				heard[name] = append(heard[name], fmt.Sprintf("%s %s:%s%s", kind, m.From, m.Topic, m.Body))
				if m.Topic == "panic" {
					panic("in a broadcast")
				}
			}
		}
		a := loadHooks(t, p, "a", nit.Plugin{OnBroadcast: note("a", "broadcast"), OnMessage: note("a", "message")})
		loadHooks(t, p, "b", nit.Plugin{OnBroadcast: note("b", "broadcast")})
		loadHooks(t, p, "c", nit.Plugin{OnMessage: note("c", "message")})
		loadHooks(t, p, "off", nit.Plugin{OnBroadcast: note("off", "broadcast")})
		require.NoError(t, p.SwitchPlugin(t.Context(), "off", nit.Switch{Off: true}))

		require.NoError(t, a.Broadcast("panic", 1))
		require.NoError(t, p.Broadcast("of the host", nil))
		require.NoError(t, p.Send("a", "m", nil))
		require.NoError(t, p.Broadcast("last", nil))
		require.NoError(t, p.Broadcast("b is full", nil), "the others get it")
		require.NoError(t, p.Broadcast("both are full", nil))
		assert.Error(t, p.Broadcast("t", func() {}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Equal(t, map[string][]string{
			"a": {"broadcast :of the hostnull", "message :mnull", "broadcast :lastnull"},
			"b": {"broadcast a:panic1", "broadcast :of the hostnull", "broadcast :lastnull"},
		}, heard)

		require.NoError(t, p.Unload(t.Context(), "a"))
		assert.Equal(t, nit.ErrUnknownPlugin, a.Broadcast("t", nil))

		// A new version without OnBroadcast does not inherit broadcasts.
		require.NoError(t, p.Broadcast("later", nil))
		require.NoError(t, p.Reload(t.Context(), nit.Plugin{Manifest: manifest("b"), OnMessage: note("b", "message")}))
		require.NoError(t, p.Send("b", "m", nil))
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Equal(t, "message :mnull", heard["b"][len(heard["b"])-1])
		assert.Len(t, heard["b"], 4)
	})
}

// A request is answered without Run. Every failure of the other plugin is an error of the caller.
func TestPlugins_Requests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlugins(t, new(nit.Registry), nit.PluginOptions{QueueSize: 2})
		errNoGroup := fmt.Errorf("no such group")
		var adder *nit.Host
		adder = loadHooks(t, p, "adder", nit.Plugin{OnRequest: func(ctx context.Context, m nit.PluginMessage) (any, error) {
			switch m.Topic {
			case "add":
				var ns []int
				if err := json.Unmarshal(m.Body, &ns); err != nil {
					return nil, err
				}
				sum := 0
				for _, n := range ns {
					sum += n
				}
				return map[string]any{"sum": sum, "from": m.From}, nil
			case "error":
				return nil, errNoGroup
			case "panic":
				panic("SECRET")
			case "no JSON":
				return func() {}, nil
			case "again":
				return nil, adder.Request(ctx, "adder", "again", nil, nil)
			case "wait":
				<-ctx.Done()
				return nil, ctx.Err()
			}
			time.Sleep(time.Hour) // ignores its context
			return nil, nil
		}})
		other := loadHooks(t, p, "other", nit.Plugin{})

		var got struct {
			Sum  int
			From string
		}
		require.NoError(t, other.Request(t.Context(), "adder", "add", []int{1, 2, 3}, &got))
		assert.Equal(t, "6 other", fmt.Sprint(got.Sum, " ", got.From))
		require.NoError(t, p.Request(t.Context(), "adder", "add", []int{4}, &got))
		assert.Equal(t, "4 ", fmt.Sprint(got.Sum, " ", got.From))
		require.NoError(t, other.Request(t.Context(), "adder", "add", []int{}, nil))
		assert.Error(t, other.Request(t.Context(), "adder", "add", []int{1}, new(string)), "of another type")

		err := other.Request(t.Context(), "adder", "error", nil, nil)
		assert.ErrorIs(t, err, errNoGroup)
		assert.ErrorIs(t, err, nit.ErrFailed)
		err = other.Request(t.Context(), "adder", "panic", nil, nil)
		assert.ErrorIs(t, err, nit.ErrFailed)
		assert.NotContains(t, err.Error(), "SECRET")
		assert.ErrorIs(t, other.Request(t.Context(), "adder", "no JSON", nil, nil), nit.ErrFailed)
		assert.ErrorContains(t, other.Request(t.Context(), "adder", "add", func() {}, nil), "message")
		assert.Equal(t, nit.ErrUnknownPlugin, adder.Request(t.Context(), "other", "add", nil, nil), "it answers no requests")
		assert.Equal(t, nit.ErrUnknownPlugin, adder.Request(t.Context(), "absent", "add", nil, nil))

		start := time.Now()
		assert.ErrorIs(t, other.Request(t.Context(), "adder", "wait", nil, nil), nit.ErrTimeout)
		assert.Equal(t, 30*time.Second, time.Since(start))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, other.Request(ctx, "adder", "wait", nil, nil), context.DeadlineExceeded)

		// Two requests are abandoned and still run, so there is no room for a third, and Unload waits for them.
		start = time.Now()
		for range 2 {
			assert.ErrorIs(t, other.Request(t.Context(), "adder", "stuck", nil, nil), nit.ErrTimeout)
		}
		assert.Equal(t, 62*time.Second, time.Since(start))
		assert.Equal(t, nit.ErrQueueFull, other.Request(t.Context(), "adder", "add", []int{1}, nil))
		require.NoError(t, p.Unload(t.Context(), "adder"))
		assert.Equal(t, time.Hour+31*time.Second, time.Since(start))
		assert.Equal(t, nit.ErrUnknownPlugin, other.Request(t.Context(), "adder", "add", []int{1}, nil))
		assert.Equal(t, nit.ErrUnknownPlugin, adder.Request(t.Context(), "other", "add", nil, nil), "an unloaded plugin sends nothing")
	})
}

// A switched-off plugin gets no requests, and a chain of requests ends.
func TestPlugins_RequestChains(t *testing.T) {
	p := newPlugins(t, new(nit.Registry), nit.PluginOptions{})
	var calls atomic.Int64
	var a, b *nit.Host
	a = loadHooks(t, p, "a", nit.Plugin{OnRequest: func(ctx context.Context, _ nit.PluginMessage) (any, error) {
		calls.Add(1)
		return nil, b.Request(ctx, "b", "", nil, nil)
	}})
	b = loadHooks(t, p, "b", nit.Plugin{OnRequest: func(ctx context.Context, _ nit.PluginMessage) (any, error) {
		calls.Add(1)
		return nil, a.Request(ctx, "a", "", nil, nil)
	}})
	assert.ErrorIs(t, p.Request(t.Context(), "a", "", nil, nil), nit.ErrFailed)
	assert.EqualValues(t, 8, calls.Load())
	require.NoError(t, p.SwitchPlugin(t.Context(), "a", nit.Switch{Off: true}))
	assert.Equal(t, nit.ErrUnknownPlugin, p.Request(t.Context(), "a", "", nil, nil))
}

// The plugin that answers a request of a tool knows who called the tool.
func TestPlugins_RequestOfTool(t *testing.T) {
	var r nit.Registry
	p := newPlugins(t, &r, nit.PluginOptions{})
	loadHooks(t, p, "b", nit.Plugin{OnRequest: func(ctx context.Context, _ nit.PluginMessage) (any, error) {
		who, ok := nit.PrincipalFrom(ctx)
		return fmt.Sprint(who.Person, " ", ok), nil
	}})
	var a *nit.Host
	ask, err := nit.Define("ask", nit.L1, "d", func(ctx context.Context, _ none) (answer string, err error) {
		err = a.Request(ctx, "b", "", nil, &answer)
		return answer, err
	})
	require.NoError(t, err)
	require.NoError(t, p.Load(t.Context(), nit.Plugin{Manifest: manifest("a", ask), Tools: []nit.Tool{ask},
		Start: func(_ context.Context, h *nit.Host) error { a = h; return nil }}))
	res, err := r.View(nit.Principal{Tiers: nit.L1, Person: "7"}).Do(t.Context(), "ask", "")
	require.NoError(t, err)
	assert.Equal(t, "7 true", res.Text)
	var answer string
	require.NoError(t, p.Request(t.Context(), "b", "", nil, &answer))
	assert.Equal(t, " false", answer)
}
