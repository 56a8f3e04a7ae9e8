package recall

import (
	_ "embed"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

//go:embed description.json
var description string

// PluginName is the plugin's, as its manifest says.
const PluginName = "memory_recall"

// Description is the plugin's manifest, description.json: what it is called and which tools it has, as the agent's mode
// is told of them.
func Description() []byte { return []byte(description) }

// Plugin makes the tools as one plugin, for nit.Plugins to load, switch and unload while the program runs.
func Plugin(m *memory.Memory, o Options) (nit.Plugin, error) {
	tools, err := Tools(m, o)
	if err != nil {
		return nit.Plugin{}, err
	}
	return described.Plugin(description, tools)
}
