package models_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func prompt(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

func TestMeter_ReportsEachCallOnce(t *testing.T) {
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

func TestMeter_Concurrent(t *testing.T) {
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

func TestMeter_Chain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		info := map[string]any{"PromptTokens": 100, "CompletionTokens": 20, "TotalTokens": 120}
		a := modeltest.New(modeltest.HTTPError(500, ""), modeltest.HTTPError(429, ""), modeltest.CutStream("半句话"))
		b := modeltest.New(modeltest.Step{Text: "好", Info: info})
		var seen []models.Usage
		report := func(_ context.Context, u models.Usage) { seen = append(seen, u) }
		m := models.Meter(chain(t, models.ChainOptions{}, a, b), report)
		_, err := m.GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		assert.Equal(t, []models.Usage{{Calls: 4, Failed: 3, Prompt: 6 + 0 + 6 + 100, Completion: 20, Estimated: true}}, seen)

		// Metering each model gives the same, without the chain's details.
		inner := models.Meter(chain(t, models.ChainOptions{}, models.Meter(modeltest.New(modeltest.CutStream("")), report), modeltest.New(modeltest.Say("好"))), report)
		seen = nil
		_, err = inner.GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		assert.Equal(t, []models.Usage{
			{Calls: 1, Failed: 1, Prompt: 6, Estimated: true},
			{Calls: 2, Failed: 1, Prompt: 12, Completion: 1, Estimated: true},
		}, seen)

		// A chain in a chain counts once.
		low := chain(t, models.ChainOptions{Retries: -1}, modeltest.Always(modeltest.HTTPError(500, "")), modeltest.Always(modeltest.HTTPError(400, "")))
		high := chain(t, models.ChainOptions{}, low, modeltest.Always(modeltest.Say("好")))
		seen = nil
		_, err = models.Meter(high, report).GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		assert.Equal(t, 3, seen[0].Calls)
		assert.Equal(t, 2, seen[0].Failed)

		// A chain that calls no model costs nothing.
		dead := chain(t, models.ChainOptions{}, modeltest.Always(modeltest.HTTPError(401, "")))
		_, err = asked(t.Context(), dead)
		require.Error(t, err)
		seen = nil
		_, err = asked(t.Context(), models.Meter(dead, report))
		require.Error(t, err)
		assert.Equal(t, []models.Usage{{}}, seen)
	})
}

func TestMeter_StreamedPartOfFailedCall(t *testing.T) {
	var seen []models.Usage
	report := func(_ context.Context, u models.Usage) { seen = append(seen, u) }
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	for _, m := range []llms.Model{modeltest.New(modeltest.CutStream("半句话")), chain(t, models.ChainOptions{}, modeltest.New(modeltest.CutStream("半句话")))} {
		_, err := asked(t.Context(), models.Meter(m, report), stream)
		require.Error(t, err)
	}
	want := models.Usage{Calls: 1, Failed: 1, Prompt: 6, Completion: 3, Estimated: true}
	assert.Equal(t, []models.Usage{want, want}, seen)

	seen = nil
	_, err := asked(t.Context(), models.Meter(modeltest.New(modeltest.HTTPError(429, "")), report))
	require.Error(t, err)
	assert.Equal(t, []models.Usage{{Calls: 1, Failed: 1}}, seen, "turned away")
}
