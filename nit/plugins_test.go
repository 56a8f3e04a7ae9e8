package nit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// rows is a State in memory.
type rows struct {
	mu   sync.Mutex
	kept map[string][]byte
	fail error
}

func (r *rows) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string][]byte{}
	for key, row := range r.kept {
		if strings.HasPrefix(key, prefix) {
			found[key] = row
		}
	}
	return found, r.fail
}

func (r *rows) Apply(_ context.Context, rows map[string][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	if r.kept == nil {
		r.kept = map[string][]byte{}
	}
	maps.Copy(r.kept, rows)
	return nil
}

func manifest(name string, tools ...nit.Tool) nit.Manifest {
	m := nit.Manifest{Name: name, Version: "1", Description: "d", Type: "go", Category: "plugins"}
	for _, t := range tools {
		m.Commands = append(m.Commands, nit.Command{Name: t.Name(), Description: "d"})
	}
	return m
}

// social returns a plugin with two tools that return text.
func social(t testing.TB, text string) nit.Plugin {
	tools := []nit.Tool{say(t, "qq_send_text", nit.L1, text), say(t, "qq_poke", nit.L1, text, nit.DescribeIn("host", "poke"))}
	return nit.Plugin{Manifest: manifest("social_adapter", tools...), Tools: tools}
}

func newPlugins(t testing.TB, r *nit.Registry, o nit.PluginOptions) *nit.Plugins {
	t.Helper()
	p, err := nit.NewPlugins(t.Context(), r, o)
	require.NoError(t, err)
	return p
}

func TestPlugins_UnloadedIsUnknown(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	p := newPlugins(t, &r, nit.PluginOptions{})
	unknown := func(v *nit.View) {
		t.Helper()
		assert.Equal(t, unknownAnswer, asJSON(t, v.Call(t.Context(), call("qq_poke", `{"x"`))))
	}
	unknown(r.View(persona))
	require.NoError(t, p.Load(t.Context(), social(t, "one")))
	assert.Error(t, p.Load(t.Context(), social(t, "again")))
	first := r.View(persona)
	assert.Equal(t, []string{"qq_poke", "qq_send_text"}, names(first))
	assert.Equal(t, "one", first.Call(t.Context(), call("qq_poke", "")).Content)
	assert.Equal(t, "social_adapter", p.List()[0].Name)

	require.NoError(t, p.Reload(t.Context(), social(t, "two")))
	unknown(first)
	second := r.View(persona)
	assert.Equal(t, "two", second.Call(t.Context(), call("qq_poke", "")).Content)

	require.NoError(t, p.Unload(t.Context(), "social_adapter"))
	unknown(second)
	unknown(r.View(persona))
	assert.Empty(t, names(r.View(persona)))
	assert.Empty(t, p.List())
	assert.Equal(t, nit.ErrUnknownPlugin, p.Unload(t.Context(), "social_adapter"))
	assert.Equal(t, nit.ErrUnknownPlugin, p.Reload(t.Context(), social(t, "three")))
	assert.Equal(t, nit.ErrUnknownPlugin, p.SetSetting(t.Context(), "social_adapter", "x", 1))
	assert.Equal(t, nit.ErrUnknownPlugin, p.Send("social_adapter", "x", 1))
	require.NoError(t, p.Load(t.Context(), social(t, "three")))
	unknown(second)
	assert.Equal(t, "three", r.View(persona).Call(t.Context(), call("qq_poke", "")).Content)
}

// A plugin with a panicking or failing Stop is removed anyway. The error says so, and its name is free.
func TestPlugins_StopPanics(t *testing.T) {
	for name, stop := range map[string]func(context.Context) error{
		"panics": func(context.Context) error { panic("SECRET") },
		"fails":  func(context.Context) error { return errors.New("no") },
	} {
		var r nit.Registry
		p := newPlugins(t, &r, nit.PluginOptions{})
		bad := social(t, "x")
		bad.Stop = stop
		require.NoError(t, p.Load(t.Context(), bad), name)
		assert.ErrorContains(t, p.Unload(t.Context(), "social_adapter"), "stop", name)
		assert.Empty(t, names(r.View(persona)), name)
		assert.Empty(t, p.List(), name)
		require.NoError(t, p.Load(t.Context(), bad), name)
		assert.ErrorContains(t, p.Reload(t.Context(), social(t, "good")), "stop", name)
		assert.Equal(t, "good", r.View(persona).Call(t.Context(), call("qq_poke", "")).Content, name)
	}
}

func TestPlugins_LoadRejectsBadPlugins(t *testing.T) {
	stopped := 0
	for name, spoil := range map[string]func(*nit.Plugin){
		"a bad manifest":               func(p *nit.Plugin) { p.Manifest.Version = "" },
		"a tool that it does not tell": func(p *nit.Plugin) { p.Manifest.Commands = p.Manifest.Commands[:1] },
		"a command without a tool":     func(p *nit.Plugin) { p.Tools = p.Tools[:1] },
		"a zero tool":                  func(p *nit.Plugin) { p.Tools[0] = nit.Tool{} },
		"a tool twice":                 func(p *nit.Plugin) { p.Tools = append(p.Tools, p.Tools[0]) },
		"a setting of no JSON":         func(p *nit.Plugin) { p.Settings = map[string]any{"x": func() {}} },
		"a setting of no name":         func(p *nit.Plugin) { p.Settings = map[string]any{"x/y": 1} },
		"a start that fails":           func(p *nit.Plugin) { p.Start = func(context.Context, *nit.Host) error { return errors.New("no") } },
		"a start that panics":          func(p *nit.Plugin) { p.Start = func(context.Context, *nit.Host) error { panic("no") } },
		"a name that is taken": func(p *nit.Plugin) {
			taken := say(t, "taken", nit.L1, "!")
			p.Tools = append(p.Tools, taken)
			p.Manifest = manifest("social_adapter", p.Tools...)
			p.Stop = func(context.Context) error { stopped++; return nil }
		},
	} {
		var r nit.Registry
		add(t, &r, say(t, "taken", nit.L1, "!"))
		p := newPlugins(t, &r, nit.PluginOptions{})
		bad := social(t, "x")
		spoil(&bad)
		assert.Error(t, p.Load(t.Context(), bad), name)
		assert.Equal(t, []string{"taken"}, names(r.View(persona)), name)
		assert.Empty(t, p.List(), name)
		require.NoError(t, p.Load(t.Context(), social(t, "good")), name)
		assert.Error(t, p.Reload(t.Context(), bad), name)
		assert.Equal(t, "good", r.View(persona).Call(t.Context(), call("qq_poke", "")).Content, "%s: the old one stays", name)
	}
	assert.Equal(t, 2, stopped, "what was started is stopped")
}

// During reload, unload and switching, every view has all tools of one state.
func TestPlugins_LoadIsAtomic(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	p := newPlugins(t, &r, nit.PluginOptions{})
	const n = 8
	version := func(v string) nit.Plugin {
		var tools []nit.Tool
		for i := range n {
			tools = append(tools, say(t, fmt.Sprintf("%s_%02d", v, i), nit.L1, v))
		}
		return nit.Plugin{Manifest: manifest("many", tools...), Tools: tools}
	}
	a, b := version("a"), version("b")
	require.NoError(t, p.Load(t.Context(), a))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				v := r.View(persona)
				ns := names(v)
				if len(ns) != 0 && len(ns) != n || len(ns) > 0 && ns[0][0] != ns[n-1][0] {
					assert.Fail(t, "half a plugin", "%v", ns)
				}
			}
		})
	}
	for i := range 60 {
		assert.NoError(t, p.Reload(t.Context(), []nit.Plugin{b, a}[i%2]))
		assert.NoError(t, p.SwitchPlugin(t.Context(), "many", nit.Switch{Off: i%3 == 0}))
		if i%10 == 0 {
			assert.NoError(t, p.Unload(t.Context(), "many"))
			assert.NoError(t, p.Load(t.Context(), a))
		}
	}
	close(done)
	wg.Wait()
}

// New calls are unknown at once, running calls continue, and then the plugin is stopped.
func TestPlugins_UnloadWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := nit.Registry{Limits: nit.Limits{Calls: -1, Timeout: time.Minute}}
		p := newPlugins(t, &r, nit.PluginOptions{})
		var stopped atomic.Bool
		load := func(sleep time.Duration) *nit.View {
			slow, err := nit.Define("slow", nit.L1, "d", func(context.Context, none) (bool, error) {
				time.Sleep(sleep)
				return stopped.Load(), nil
			})
			require.NoError(t, err)
			stopped.Store(false)
			require.NoError(t, p.Load(t.Context(), nit.Plugin{Manifest: manifest("p", slow), Tools: []nit.Tool{slow},
				Stop: func(context.Context) error { stopped.Store(true); return nil }}))
			return r.View(persona)
		}
		v := load(10 * time.Second)
		go func() {
			res, err := v.Do(t.Context(), "slow", "")
			assert.NoError(t, err)
			assert.Equal(t, "false", res.Text, "stopped under its feet")
		}()
		synctest.Wait()
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			_, err := v.Do(t.Context(), "slow", "")
			assert.Equal(t, nit.ErrUnknownTool, err)
			assert.Error(t, p.Reload(t.Context(), social(t, "x")), "there is none")
			assert.NoError(t, p.Load(t.Context(), social(t, "x")), "others come and go meanwhile")
		}()
		require.NoError(t, p.Unload(t.Context(), "p"))
		assert.Equal(t, 10*time.Second, time.Since(start))
		assert.True(t, stopped.Load())
		synctest.Wait()

		v = load(time.Hour) // outlives its timeout and the context of Unload
		go func() { _, _ = v.Do(t.Context(), "slow", "") }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		assert.ErrorIs(t, p.Unload(ctx, "p"), context.DeadlineExceeded)
		assert.True(t, stopped.Load())
		require.NoError(t, r.Wait(t.Context()))

		v = load(0) // the plugin is unloaded during a confirmation
		asked := v.WithPolicy(func(context.Context, nit.Request) (nit.Decision, error) {
			time.Sleep(time.Minute)
			return nit.Allow, nil
		})
		go func() {
			_, err := asked.Do(t.Context(), "slow", "")
			assert.Equal(t, nit.ErrUnknownTool, err)
		}()
		synctest.Wait()
		require.NoError(t, p.Unload(t.Context(), "p"))
		time.Sleep(2 * time.Minute)
	})
}
