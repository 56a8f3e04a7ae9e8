package qq

import (
	_ "embed"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

//go:embed description.json
var description string

var manifest = described.Manifest(description)

// PluginName is the plugin name in the manifest.
const PluginName = "social_adapter"

// Description returns the plugin manifest, description.json. It describes all optional tools too, in the words for agent
// mode.
func Description() []byte { return []byte(description) }

// Plugin returns the tools as a plugin for nit.Plugins. Its manifest is [Description] without the tools that the actor
// or the options leave out.
func Plugin(actor Actor, o Options) (nit.Plugin, error) {
	tools, err := Tools(actor, o)
	if err != nil {
		return nit.Plugin{}, err
	}
	return described.Plugin(manifest, tools)
}
