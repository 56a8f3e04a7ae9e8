package qq_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/plugintest"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write description.json anew")

// description.json describes exactly the defined tools.
func TestDescription_MatchesTheTools(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir()) // empty, because the tool's schema names the pictures
	require.NoError(t, err)
	defer root.Close()
	s := stageWith(t, qq.Options{Requests: new(qq.PendingRequests), Images: root, Files: root, Voice: quietVoice})
	tools := s.r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}).Tools()
	plugintest.Check(t, qq.Description(), nit.Manifest{
		Name: qq.PluginName, DisplayName: "QQ 社交", Version: "1.0.0", Author: "hearth", Type: "static", EntryPoint: "github.com/hearth-bot/hearth/nit/qq",
		Description: "在 QQ 上说话、发图、发语音、贴表情、戳一戳，处理好友申请和入群邀请；主人的助手模式下还能查名单和记录、收发群文件、管理群。",
	}, tools, *update)
	assert.Len(t, tools, 29)
}

// The plugin is loaded with its tools. Before, after and while it is switched off, they are unknown.
func TestPlugin(t *testing.T) {
	s, _ := gallery(t, qq.Options{})
	var r nit.Registry
	plugins, err := nit.NewPlugins(t.Context(), &r, nit.PluginOptions{})
	require.NoError(t, err)
	who := nit.Principal{Tiers: nit.L1, Session: "group_123"}
	missing := func() {
		t.Helper()
		v := r.View(who)
		assert.Empty(t, v.Tools())
		_, err := v.Do(t.Context(), "qq_send_text", `{"content":"x"}`)
		assert.Equal(t, nit.ErrUnknownTool, err)
	}
	missing()
	for _, o := range []qq.Options{{}, {Requests: new(qq.PendingRequests)}} {
		plugin, err := qq.Plugin(s.actor(), o)
		require.NoError(t, err)
		require.NoError(t, plugins.Load(t.Context(), plugin))
		before := r.View(who)
		assert.Len(t, before.Tools(), 8)
		require.NoError(t, plugins.SwitchPlugin(t.Context(), qq.PluginName, nit.Switch{Off: true}))
		missing()
		require.NoError(t, plugins.SwitchPlugin(t.Context(), qq.PluginName, nit.Switch{}))
		require.NoError(t, plugins.Reload(t.Context(), plugin))
		_, err = r.View(who).Do(t.Context(), "qq_send_text", `{"content":"x"}`)
		assert.NoError(t, err)
		require.NoError(t, plugins.Unload(t.Context(), qq.PluginName))
		missing()
		_, err = before.Do(t.Context(), "qq_send_text", `{"content":"x"}`)
		assert.Equal(t, nit.ErrUnknownTool, err, "through a view made before")
	}
	_, err = qq.Plugin(qq.Actor{}, qq.Options{})
	assert.Error(t, err)
}
