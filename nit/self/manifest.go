package self

import (
	_ "embed"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

//go:embed description.json
var description string

var manifest = described.Manifest(description)

// Name is the name of the plugin in its manifest.
const Name = "self"

// Description returns the manifest description.json. It lists the tools with all options. The texts are those of agent
// mode, or of the only mode that has the tool.
func Description() []byte { return []byte(description) }

// Plugin returns the tools as one plugin. nit.Plugins can load, enable and unload it at run time. The manifest is
// [Description] without the tools that the options omit.
func Plugin(o Options) (nit.Plugin, error) {
	tools, err := Tools(o)
	if err != nil {
		return nit.Plugin{}, err
	}
	return described.Plugin(manifest, tools)
}
