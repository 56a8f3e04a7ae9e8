package nit_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Status lists every tool with its tier and the modes that see it, also after it was switched off.
func TestRegistry_Status(t *testing.T) {
	define := func(name string, tier nit.Tier, opts ...nit.Option) nit.Tool {
		tool, err := nit.Define(name, tier, "does "+name, func(context.Context, struct{}) (string, error) { return "", nil }, opts...)
		require.NoError(t, err)
		return tool
	}
	var r nit.Registry
	require.NoError(t, r.Add(define("say", nit.L1, nit.ReadOnly()), define("shell", nit.L3, nit.RequireConfirmation()), define("dream", nit.L1, nit.OnlyIn("night"))))
	assert.Equal(t, []nit.ToolStatus{
		{Name: "dream", Description: "does dream", Tier: nit.L1, Modes: []string{"night"}, On: []string{"night"}},
		{Name: "say", Description: "does say", Tier: nit.L1, Modes: []string{"", "agent"}, On: []string{"", "agent"}, ReadOnly: true},
		{Name: "shell", Description: "does shell", Tier: nit.L3, Modes: []string{"", "agent"}, On: []string{"agent"}, RequiresConfirmation: true},
	}, r.Status(), "no persona sees a tool of tier L3")
	r.Disable("shell")
	r.DisableIn(nit.ModePersona, "say")
	all := r.Status()
	assert.Equal(t, []string{"agent"}, all[1].On)
	assert.Empty(t, all[2].On)
	assert.Zero(t, nit.Tool{}.Status())
	assert.Empty(t, new(nit.Registry).Status())
}
