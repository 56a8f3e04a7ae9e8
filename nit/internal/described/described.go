// Package described makes sets of tools, and plugins of those that a description.json tells of.
package described

import (
	"slices"

	"github.com/hearth-bot/hearth/nit"
)

// Tools defines tools, each by a function that [nit.Define] ends.
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

// Plugin makes one plugin of tools. Its manifest is description without the commands that tools lack: options left them out.
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
