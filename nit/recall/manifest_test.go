package recall_test

import (
	"flag"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/plugintest"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write description.json anew")

// description.json describes exactly the defined tools.
func TestDescription_MatchesTheTools(t *testing.T) {
	h := newHouse(t, recall.Options{})
	h.r.Remove("shell_exec")
	tools := h.r.View(agent).Tools()
	plugintest.Check(t, recall.Description(), nit.Manifest{
		Name: recall.PluginName, DisplayName: "记忆", Version: "1.0.0", Author: "hearth", Type: "static", EntryPoint: "github.com/hearth-bot/hearth/nit/recall",
		Description: "让模型回想：主人的事、会话里说过的话；主人的助手模式下还能查社交见闻、修改记忆。",
	}, tools, *update)
	assert.Len(t, tools, 4)
}

// The plugin is loaded, switched off and unloaded.
func TestPlugin(t *testing.T) {
	h := newHouse(t, recall.Options{})
	r := nit.Registry{Redact: h.r.Redact}
	plugins, err := nit.NewPlugins(t.Context(), &r, nit.PluginOptions{})
	require.NoError(t, err)
	plugin, err := recall.Plugin(h.m, recall.Options{})
	require.NoError(t, err)
	require.NoError(t, plugins.Load(t.Context(), plugin))
	v := r.View(group1)
	assert.Len(t, v.Tools(), 2)
	require.NoError(t, plugins.SwitchPlugin(t.Context(), recall.PluginName, nit.Switch{OffModes: []string{nit.ModePersona}}))
	assert.Empty(t, r.View(group1).Tools())
	assert.Len(t, r.View(agent).Tools(), 4)
	require.NoError(t, plugins.Unload(t.Context(), recall.PluginName))
	_, err = v.Do(t.Context(), "memory_ops", "")
	assert.Equal(t, nit.ErrUnknownTool, err)
	_, err = recall.Plugin(nil, recall.Options{})
	assert.Error(t, err)
}
