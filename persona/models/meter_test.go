package models_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func prompt(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

func TestMeterCountsEveryCallOnce(t *testing.T) {
	boom := errors.New("boom")
	var seen []models.Usage
	m := models.Meter(modeltest.New(
		modeltest.Step{Text: "在的", Info: map[string]any{"PromptTokens": 100, "CompletionTokens": 20, "TotalTokens": 120}},
		modeltest.Say("在的"),
		modeltest.Fail(boom),
		modeltest.Raw(nil, nil),
		modeltest.Step{Panic: "oh"},
		modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "half"}}}, boom),
		modeltest.Say("由 Call"),
	), func(_ context.Context, u models.Usage) { seen = append(seen, u) })

	resp, err := m.GenerateContent(t.Context(), prompt("在吗"))
	require.NoError(t, err)
	assert.Equal(t, "在的", resp.Choices[0].Content)
	_, err = m.GenerateContent(t.Context(), prompt("在吗"), llms.WithTools([]llms.Tool{{Type: "function"}}))
	require.NoError(t, err)
	_, err = m.GenerateContent(t.Context(), prompt("在吗"))
	require.ErrorIs(t, err, boom)
	resp, err = m.GenerateContent(t.Context(), prompt("在吗"))
	require.NoError(t, err)
	assert.Nil(t, resp)
	assert.PanicsWithValue(t, "oh", func() { _, _ = m.GenerateContent(t.Context(), prompt("在吗")) })
	resp, err = m.GenerateContent(t.Context(), prompt("在吗"))
	require.ErrorIs(t, err, boom)
	assert.NotNil(t, resp, "what the model gave is passed on")
	//lint:ignore SA1019 whoever still uses it is counted too
	text, err := m.Call(t.Context(), "在吗")
	require.NoError(t, err)
	assert.Equal(t, "由 Call", text)

	failed := models.Usage{Calls: 1, Failed: 1, Prompt: 6, Estimated: true}
	require.Len(t, seen, 7)
	assert.Equal(t, models.Usage{Calls: 1, Prompt: 100, Completion: 20}, seen[0])
	assert.Equal(t, 2, seen[1].Completion)
	assert.Greater(t, seen[1].Prompt, 6, "tools are sent too")
	assert.Equal(t, []models.Usage{failed, failed, failed, failed}, seen[2:6])
	assert.Equal(t, models.Usage{Calls: 1, Prompt: 6, Completion: 3, Estimated: true}, seen[6])
}

func TestMeterIsSafeForMany(t *testing.T) {
	var mu sync.Mutex
	var sum models.Usage
	m := models.Meter(modeltest.Always(modeltest.Say("好")), func(_ context.Context, u models.Usage) {
		mu.Lock()
		defer mu.Unlock()
		sum = sum.Add(u)
	})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { _, _ = m.GenerateContent(t.Context(), prompt("在吗")) })
	}
	wg.Wait()
	assert.Equal(t, models.Usage{Calls: 50, Prompt: 300, Completion: 50, Estimated: true}, sum)
}
