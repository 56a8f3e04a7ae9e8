package nit_test

import (
	"context"
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
