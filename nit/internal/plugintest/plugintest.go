// Package plugintest compares a description.json with the tools of a plugin.
package plugintest

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// file is the first form of description.json.
type file struct {
	ManifestVersion string `json:"manifestVersion"`
	Name            string `json:"name"`
	DisplayName     string `json:"displayName"`
	Version         string `json:"version"`
	Description     string `json:"description"`
	Author          string `json:"author"`
	PluginType      string `json:"pluginType"`
	EntryPoint      string `json:"entryPoint"`
	Capabilities    struct {
		InvocationCommands []command `json:"invocationCommands"`
	} `json:"capabilities"`
}

type command struct {
	CommandIdentifier string         `json:"commandIdentifier"`
	Description       string         `json:"description"`
	Parameters        map[string]any `json:"parameters"`
}

// Check fails unless description matches manifest and the tools, sorted by name. Of tools with the same name
// the first counts. If update is set, it writes description.json instead.
func Check(t *testing.T, description []byte, manifest nit.Manifest, tools []llms.Tool, update bool) {
	t.Helper()
	want := file{
		ManifestVersion: "1.0", Name: manifest.Name, DisplayName: manifest.DisplayName, Version: manifest.Version, Description: manifest.Description,
		Author: manifest.Author, PluginType: manifest.Type, EntryPoint: manifest.EntryPoint,
	}
	commands := &want.Capabilities.InvocationCommands
	for _, tool := range tools {
		f := tool.Function
		if !slices.ContainsFunc(*commands, func(c command) bool { return c.CommandIdentifier == f.Name }) {
			*commands = append(*commands, command{f.Name, f.Description, f.Parameters.(map[string]any)})
		}
	}
	slices.SortFunc(*commands, func(a, b command) int { return strings.Compare(a.CommandIdentifier, b.CommandIdentifier) })
	if update {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		require.NoError(t, e.Encode(want))
		require.NoError(t, os.WriteFile("description.json", b.Bytes(), 0o600))
		t.Skip("written; run it once more")
	}
	d := json.NewDecoder(bytes.NewReader(description))
	d.DisallowUnknownFields()
	var got file
	require.NoError(t, d.Decode(&got))
	assert.Equal(t, want, got)
}
