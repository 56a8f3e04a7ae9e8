package nit_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

type none struct{}

// say returns a tool without parameters that returns text.
func say(t testing.TB, name string, tier nit.Tier, text string, opts ...nit.Option) nit.Tool {
	t.Helper()
	tool, err := nit.Define(name, tier, "about "+name, func(context.Context, none) (string, error) { return text, nil }, opts...)
	require.NoError(t, err)
	return tool
}

// fails returns a tool that returns err.
func fails(t testing.TB, name string, tier nit.Tier, err error, opts ...nit.Option) nit.Tool {
	t.Helper()
	tool, e := nit.Define(name, tier, "about "+name, func(context.Context, none) (string, error) { return "", err }, opts...)
	require.NoError(t, e)
	return tool
}

func add(t testing.TB, r *nit.Registry, tools ...nit.Tool) {
	t.Helper()
	require.NoError(t, r.Add(tools...))
}

func call(name, args string) llms.ToolCall {
	return llms.ToolCall{ID: "call_7", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
}

func names(v *nit.View) []string {
	var ns []string
	for _, tool := range v.Tools() {
		ns = append(ns, tool.Function.Name)
	}
	return ns
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

var (
	persona = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "987", Session: "group_123", Turn: "t1"}
	agent   = nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}
)
