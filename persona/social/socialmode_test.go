package social_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without the social mode the plugin of the link is not loaded, and no turn knows its tools. It is switched at run time,
// and the choice outlives a restart. Options.Tools.NoSocialMode has precedence at a start.
func TestSocialMode(t *testing.T) {
	for _, withPlugins := range []bool{false, true} {
		var plugins *nit.Plugins
		off := true
		options := func(o *social.Options) {
			o.Tools.NoSocialMode = off
			if withPlugins {
				var err error
				o.Tools.Registry = &nit.Registry{}
				o.Tools.Plugins, err = nit.NewPlugins(t.Context(), o.Tools.Registry, nit.PluginOptions{})
				require.NoError(t, err)
				plugins = o.Tools.Plugins
			}
		}
		withFixture(t, modeltest.Always(modeltest.Say("嗯")), options, func(f *fixture) {
			known := func() bool {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				prompts := f.model.Prompts()
				last := prompts[len(prompts)-1]
				has := slices.Contains(last.ToolNames(), "qq_send_text")
				assert.Equal(t, has, strings.Contains(last.Text(), "qq_send_text") || slices.ContainsFunc(last.ToolNames(), func(name string) bool { return strings.HasPrefix(name, "qq_") }))
				if withPlugins {
					assert.Equal(t, has, slices.ContainsFunc(plugins.List(), func(m nit.Manifest) bool { return m.Name == "social_adapter" }))
				}
				return has
			}
			restart := func() { f.stop(); f.start(options) }
			assert.False(t, known())
			require.NoError(t, f.bot.SetSocialMode(f.Context(), true))
			assert.True(t, known())
			require.NoError(t, f.bot.SetSocialMode(f.Context(), true))
			restart()
			assert.False(t, known(), "the option has precedence")
			off = false
			restart()
			assert.True(t, known())
			require.NoError(t, f.bot.SetSocialMode(f.Context(), false))
			assert.False(t, known())
			restart()
			assert.False(t, known(), "it stays off")
			require.NoError(t, f.bot.SetSocialMode(f.Context(), true))
			restart()
			assert.True(t, known())
		})
	}
}
