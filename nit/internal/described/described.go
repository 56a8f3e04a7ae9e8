// Package described builds tools and plugins that have a description.json.
package described

import (
	"slices"
	"sync"

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

// Manifest returns a function that parses a description once, for all bots of the process. Do not modify its result.
func Manifest(description string) func() (*nit.Manifest, error) {
	return sync.OnceValues(func() (*nit.Manifest, error) { return nit.ParseManifest([]byte(description)) })
}

// Plugin builds a plugin from tools. Its manifest is that of description without the commands of missing tools.
func Plugin(description func() (*nit.Manifest, error), tools []nit.Tool) (nit.Plugin, error) {
	all, err := description()
	if err != nil {
		return nit.Plugin{}, err
	}
	manifest := *all
	manifest.Commands = nil
	for _, c := range all.Commands {
		if slices.ContainsFunc(tools, func(t nit.Tool) bool { return t.Name() == c.Name }) {
			manifest.Commands = append(manifest.Commands, c)
		}
	}
	return nit.Plugin{Manifest: manifest, Tools: tools}, nil
}
