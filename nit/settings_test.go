package nit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlugins_Switches(t *testing.T) {
	kept := &rows{}
	host := nit.Principal{Mode: "host", Tiers: nit.L1}
	both := []string{"qq_poke", "qq_send_text"}
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	add(t, &r, say(t, "dice", nit.L1, "6"))
	p := newPlugins(t, &r, nit.PluginOptions{State: kept})
	require.NoError(t, p.Load(t.Context(), social(t, "x")))
	seen := func(r *nit.Registry) (got [3]string) {
		for i, who := range []nit.Principal{persona, agent, host} {
			got[i] = strings.TrimPrefix(strings.Join(names(r.View(who)), " "), "dice")
		}
		return got
	}
	on := [3]string{" qq_poke qq_send_text", " qq_poke qq_send_text", "qq_poke"}
	assert.Equal(t, on, seen(&r))

	inPersona, inAgent := r.View(persona), r.View(agent)
	require.NoError(t, p.SwitchPlugin(t.Context(), "social_adapter", nit.Switch{OffModes: []string{nit.ModePersona}}))
	assert.Equal(t, [3]string{"", on[1], on[2]}, seen(&r))
	assert.Equal(t, unknownAnswer, asJSON(t, inPersona.Call(t.Context(), call("qq_poke", ""))))
	assert.Equal(t, "x", inAgent.Call(t.Context(), call("qq_poke", "")).Content, "a turn in another mode goes on")
	require.NoError(t, p.SwitchCategory(t.Context(), "plugins", nit.Switch{OffModes: []string{nit.ModeAgent, "host"}}))
	assert.Equal(t, [3]string{}, seen(&r))
	require.NoError(t, p.SwitchPlugin(t.Context(), "social_adapter", nit.Switch{}))
	assert.Equal(t, [3]string{on[0], "", ""}, seen(&r))
	assert.Equal(t, unknownAnswer, asJSON(t, inPersona.Call(t.Context(), call("qq_poke", ""))), "it came back for new views only")
	require.NoError(t, p.SwitchCategory(t.Context(), "work", nit.Switch{Off: true}))
	assert.Equal(t, [3]string{on[0], "", ""}, seen(&r), "not its category")
	require.NoError(t, p.SwitchCategory(t.Context(), "plugins", nit.Switch{Off: true}))
	assert.Equal(t, [3]string{}, seen(&r))
	assert.Equal(t, []string{"dice"}, names(r.View(persona)))

	// Tools loaded or reloaded while a switch is off are never visible.
	again := nit.Registry{}
	p2 := newPlugins(t, &again, nit.PluginOptions{State: kept})
	require.NoError(t, p2.Load(t.Context(), social(t, "y")))
	assert.Equal(t, [3]string{}, seen(&again))
	require.NoError(t, p2.Reload(t.Context(), social(t, "z")))
	assert.Equal(t, [3]string{}, seen(&again))
	_, category := p2.Switches("social_adapter", "plugins")
	assert.Equal(t, nit.Switch{Off: true}, category)
	require.NoError(t, p2.SwitchCategory(t.Context(), "plugins", nit.Switch{}))
	assert.Equal(t, both, names(again.View(persona)))

	kept.kept["nit/switch/plugin/social_adapter"] = []byte(`{"Off`)
	p3 := newPlugins(t, new(nit.Registry), nit.PluginOptions{State: kept})
	own, _ := p3.Switches("social_adapter", "")
	assert.True(t, own.Off, "what cannot be read is off")

	kept.fail = errors.New("disk full")
	assert.ErrorIs(t, p2.SwitchPlugin(t.Context(), "social_adapter", nit.Switch{Off: true}), kept.fail)
	assert.Equal(t, both, names(again.View(persona)), "what is not written down is not done")
	_, err := nit.NewPlugins(t.Context(), new(nit.Registry), nit.PluginOptions{State: kept})
	assert.ErrorIs(t, err, kept.fail)
	assert.Error(t, p2.SwitchPlugin(t.Context(), "", nit.Switch{}))
	assert.Error(t, p2.SwitchPlugin(t.Context(), "a", nit.Switch{OffModes: []string{"persona"}}))
}

func TestNewPlugins_RejectsBadOptions(t *testing.T) {
	_, err := nit.NewPlugins(t.Context(), nil, nit.PluginOptions{})
	assert.Error(t, err)
	_, err = nit.NewPlugins(t.Context(), new(nit.Registry), nit.PluginOptions{QueueSize: -1})
	assert.Error(t, err)
}

func TestPlugins_Settings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &rows{}
		var changed []string
		var host *nit.Host
		plugin := nit.Plugin{
			Manifest: manifest("greeter"),
			Settings: map[string]any{"greeting": "你好", "times": 3, "loud": false, "words": []string{}, "any": nil},
			Start: func(_ context.Context, h *nit.Host) error {
				host = h
				var greeting string
				return h.Setting("greeting", &greeting)
			},
			OnSettingChanged: func(_ context.Context, name string) { changed = append(changed, name) },
		}
		p := newPlugins(t, new(nit.Registry), nit.PluginOptions{State: kept})
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error)
		go func() { ran <- p.Run(ctx) }()
		require.NoError(t, p.Load(t.Context(), plugin))
		assert.Equal(t, `{"any":null,"greeting":"你好","loud":false,"times":3,"words":[]}`, asJSON(t, p.Settings("greeter")))

		require.NoError(t, p.SetSetting(t.Context(), "greeter", "greeting", "早"))
		require.NoError(t, host.SetSetting(t.Context(), "words", []string{"a"}))
		require.NoError(t, p.SetSetting(t.Context(), "greeter", "any", json.RawMessage(`{"x":1}`)))
		for name, value := range map[string]any{"times": "3", "loud": nil, "greeting": 1, "words": map[string]int{}, "absent": 1, "any": json.RawMessage(`{"a":1,"a":2}`)} {
			assert.Error(t, p.SetSetting(t.Context(), "greeter", name, value), name)
		}
		assert.Error(t, p.SetSetting(t.Context(), "greeter", "any", strings.Repeat("x", 65<<10)))
		synctest.Wait()
		assert.ElementsMatch(t, []string{"greeting", "words", "any"}, changed)
		var greeting string
		require.NoError(t, host.Setting("greeting", &greeting))
		assert.Equal(t, "早", greeting)
		assert.Error(t, host.Setting("absent", &greeting))

		kept.fail = errors.New("disk full")
		assert.ErrorIs(t, p.SetSetting(t.Context(), "greeter", "times", 5), kept.fail)
		kept.fail = nil
		assert.Equal(t, `3`, string(p.Settings("greeter")["times"]))

		require.NoError(t, p.Unload(t.Context(), "greeter"))
		assert.Nil(t, p.Settings("greeter"))
		assert.Equal(t, nit.ErrUnknownPlugin, host.Setting("greeting", &greeting))
		assert.Equal(t, nit.ErrUnknownPlugin, host.SetSetting(t.Context(), "greeting", "x"))
		cancel()
		require.NoError(t, <-ran)

		p = newPlugins(t, new(nit.Registry), nit.PluginOptions{State: kept}) // after a restart
		plugin.Settings["words"] = "now a text"
		require.NoError(t, p.Load(t.Context(), plugin))
		assert.Equal(t, `{"any":{"x":1},"greeting":"早","loud":false,"times":3,"words":"now a text"}`, asJSON(t, p.Settings("greeter")))
	})
}
