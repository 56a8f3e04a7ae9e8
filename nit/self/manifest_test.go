package self_test

import (
	"flag"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/plugintest"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var update = flag.Bool("update", false, "rewrite description.json")

// description.json lists exactly the defined tools.
func TestPlugin_ManifestMatchesTools(t *testing.T) {
	h := newHost(t)
	var tools []llms.Tool
	for _, mode := range []string{nit.ModeAgent, self.ModeBackground, self.ModeAutonomous, nit.ModePersona} {
		tools = append(tools, h.r.View(nit.Principal{Mode: mode, Tiers: nit.L1}).Tools()...)
	}
	plugintest.Check(t, self.Description(), nit.Manifest{
		Name: self.Name, DisplayName: "自己", Version: "1.0.0", Author: "hearth", Type: "static", EntryPoint: "github.com/hearth-bot/hearth/nit/self",
		Description: "关于自己的工具：向主人汇报、心情和睡眠、计划、定时器、笔记、修改自己的文档。",
	}, tools, *update)
	manifest, err := nit.ParseManifest(self.Description())
	require.NoError(t, err)
	assert.Len(t, manifest.Commands, len(table))
}
