package described_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlugin(t *testing.T) {
	tool := func(name string) nit.Tool {
		t, err := nit.Define(name, nit.L3, "d", func(context.Context, struct{}) (string, error) { return "", nil })
		if err != nil {
			panic(err)
		}
		return t
	}
	const description = `{"name":"p","version":"1","description":"d","pluginType":"static",
		"methods":[{"name":"a","description":"d"},{"name":"b","description":"e"},{"name":"c","description":"f"}]}`
	p, err := described.Plugin(described.Manifest(description), []nit.Tool{tool("c"), tool("a")})
	require.NoError(t, err)
	assert.Equal(t, "p", p.Manifest.Name)
	assert.Equal(t, []nit.Command{{Name: "a", Description: "d"}, {Name: "c", Description: "f"}}, p.Manifest.Commands)
	require.Len(t, p.Tools, 2)
	plugins, err := nit.NewPlugins(t.Context(), new(nit.Registry), nit.PluginOptions{})
	require.NoError(t, err)
	require.NoError(t, plugins.Load(t.Context(), p))

	p, err = described.Plugin(described.Manifest(description), []nit.Tool{tool("a"), tool("x")})
	require.NoError(t, err)
	assert.Error(t, plugins.Load(t.Context(), p), "a tool that is not described")

	_, err = described.Plugin(described.Manifest(`{}`), nil)
	assert.Error(t, err)
}
