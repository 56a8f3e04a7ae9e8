package nit

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type sharedIn struct {
	Text string `json:"text" jsonschema:"内容"`
}

func sharedTool(t *testing.T, name string, opts ...Option) Tool {
	tool, err := Define(name, L1, "说话", func(context.Context, sharedIn) (string, error) { return "", nil }, opts...)
	require.NoError(t, err)
	return tool
}

// longest limits the length of the text.
func longest(n int) Option {
	return EditSchema(func(s *jsonschema.Schema) { s.Properties["text"].MaxLength = &n })
}

// Tools of the same schema share it, and those of other schemas do not.
func TestParameters_Shared(t *testing.T) {
	a, b := sharedTool(t, "a", longest(5)), sharedTool(t, "b", longest(5))
	assert.Same(t, a.d.parameters, b.d.parameters)
	for _, other := range []Tool{sharedTool(t, "a"), sharedTool(t, "a", longest(6))} {
		assert.NotSame(t, a.d.parameters, other.d.parameters)
	}
	assert.Error(t, a.d.args.check(`{"text":"123456"}`))
	assert.NoError(t, a.d.args.check(`{"text":"12345"}`))
}

// A schema is forgotten with its last tool.
func TestParameters_Forgotten(t *testing.T) {
	one := sharedTool(t, "one", longest(1001))
	w := weak.Make(one.d.parameters)
	known := func() bool {
		inUse.mu.Lock()
		defer inUse.mu.Unlock()
		return slices.Contains(slices.Collect(maps.Values(inUse.byID)), w)
	}
	runtime.GC()
	assert.True(t, known(), "control: it is in use")
	runtime.KeepAlive(one)
	assert.Eventually(t, func() bool { runtime.GC(); return !known() }, time.Minute, time.Millisecond)
}
