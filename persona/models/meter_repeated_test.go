package models_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// The share applies to the tokens that the provider reports, also with a chain inside the meter.
func TestMeter_Repeated(t *testing.T) {
	step := modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "好", StopReason: "stop", GenerationInfo: map[string]any{
		"PromptTokens": 1000, "CompletionTokens": 5, "PromptCachedTokens": 640,
	}}}}, nil)
	chain, err := models.NewChain([]models.Candidate{{Name: "a", Model: modeltest.Always(step)}}, models.ChainOptions{})
	require.NoError(t, err)
	for name, m := range map[string]llms.Model{"model": modeltest.Always(step), "chain": chain} {
		var got models.Usage
		metered := models.Meter(m, func(_ context.Context, u models.Usage) { got = got.Add(u) })
		_, err := llms.GenerateFromSinglePrompt(models.WithRepeated(t.Context(), .75), metered, "在吗")
		require.NoError(t, err)
		_, err = llms.GenerateFromSinglePrompt(t.Context(), metered, "在吗")
		require.NoError(t, err)
		assert.Equal(t, models.Usage{Calls: 2, Prompt: 2000, Completion: 10, CacheRead: 1280, Repeated: 750}, got, name)
	}
}
