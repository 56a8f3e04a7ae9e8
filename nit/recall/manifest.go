package recall

import (
	_ "embed"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

//go:embed description.json
var description string

var manifest = described.Manifest(description)

// PluginName is the plugin name in the manifest.
const PluginName = "memory_recall"

// Description returns the plugin manifest, description.json, in the words for agent mode.
func Description() []byte { return []byte(description) }

// Plugin returns the tools as a plugin for nit.Plugins.
func Plugin(m *memory.Memory, o Options) (nit.Plugin, error) {
	tools, err := Tools(m, o)
	if err != nil {
		return nit.Plugin{}, err
	}
	return described.Plugin(manifest, tools)
}
