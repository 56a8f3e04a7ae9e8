package qq

import (
	_ "embed"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

//go:embed description.json
var description string

// PluginName is the plugin's, as its manifest says.
const PluginName = "social_adapter"

// Description is the plugin's manifest, description.json: what it is called and which tools it has with all its
// options, as the agent's mode is told of them.
func Description() []byte { return []byte(description) }

// Plugin makes the tools as one plugin, for nit.Plugins to load, switch and unload while the program runs. Its manifest
// is [Description], without the tools that the actor lacks or the options leave out.
func Plugin(actor Actor, o Options) (nit.Plugin, error) {
	tools, err := Tools(actor, o)
	if err != nil {
		return nit.Plugin{}, err
	}
	return described.Plugin(description, tools)
}
