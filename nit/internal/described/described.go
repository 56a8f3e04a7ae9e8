// Package described builds tools and plugins that have a description.json.
package described

import (
	"slices"

	"github.com/hearth-bot/hearth/nit"
)

// Tools calls functions that end with [nit.Define] and collects their tools.
func Tools(define ...func() (nit.Tool, error)) ([]nit.Tool, error) {
	tools := make([]nit.Tool, len(define))
	for i, d := range define {
		var err error
		if tools[i], err = d(); err != nil {
			return nil, err
		}
	}
	return tools, nil
}

// Plugin builds a plugin from tools. Its manifest is description without the commands of missing tools.
func Plugin(description string, tools []nit.Tool) (nit.Plugin, error) {
	manifest, err := nit.ParseManifest([]byte(description))
	if err != nil {
		return nit.Plugin{}, err
	}
	manifest.Commands = slices.DeleteFunc(manifest.Commands, func(c nit.Command) bool {
		return !slices.ContainsFunc(tools, func(t nit.Tool) bool { return t.Name() == c.Name })
	})
	return nit.Plugin{Manifest: *manifest, Tools: tools}, nil
}
