// Package plugintest checks that a description.json tells of a plugin's tools.
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

// file is a description.json in its first form.
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

// Check holds that description says what tells, a manifest without commands, and tools do, no more and no less, in the
// order of the tools' names. Of tools of one name the first counts. With update it writes description.json instead.
func Check(t *testing.T, description []byte, tells nit.Manifest, tools []llms.Tool, update bool) {
	t.Helper()
	want := file{
		ManifestVersion: "1.0", Name: tells.Name, DisplayName: tells.DisplayName, Version: tells.Version, Description: tells.Description,
		Author: tells.Author, PluginType: tells.Type, EntryPoint: tells.EntryPoint,
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
