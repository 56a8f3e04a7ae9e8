package models_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestRetry(t *testing.T) {
	ask := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "在吗")}
	after := append(ask, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: "f", Content: "ok"}}})
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.New(modeltest.RateLimited(0), modeltest.HTTPError(503, "busy"), modeltest.Say("在"))
		began := time.Now()
		resp, err := retry(t, m).GenerateContent(t.Context(), ask)
		require.NoError(t, err)
		assert.Equal(t, "在", resp.Choices[0].Content)
		assert.Greater(t, time.Since(began), time.Second)

		m = modeltest.New(modeltest.HTTPError(503, "busy"), modeltest.HTTPError(503, "busy"), modeltest.HTTPError(503, "busy"))
		_, err = retry(t, m).GenerateContent(t.Context(), ask)
		require.Error(t, err, "three times are enough")
		assert.Zero(t, m.Remaining())

		m = modeltest.New(modeltest.HTTPError(503, "busy"), modeltest.Say("在"))
		_, err = retry(t, m).GenerateContent(t.Context(), after)
		require.Error(t, err, "a tool ran")
		assert.Equal(t, 1, m.Remaining())

		m = modeltest.New(modeltest.HTTPError(401, "key"), modeltest.Say("在"))
		_, err = retry(t, m).GenerateContent(t.Context(), ask)
		require.Error(t, err, "no other key comes of asking again")
		assert.Equal(t, 1, m.Remaining())

		chain := retry(t, m)
		assert.Same(t, chain, retry(t, chain))
	})

	_, err := models.Retry(nil, models.RetryOptions{})
	require.EqualError(t, err, "models: chain: model is nil")
}

func retry(t *testing.T, m llms.Model) models.Retrier {
	t.Helper()
	r, err := models.Retry(m, models.RetryOptions{Seed: 1})
	require.NoError(t, err)
	return r
}

// A record has the name of the client, also under a meter.
func TestRetry_Name(t *testing.T) {
	api := httptest.NewServer(modeltest.Always(modeltest.Say("在")).Handler())
	defer api.Close()
	client, err := models.OpenAI(api.URL, "deepseek-chat", "sk-test", models.OpenAIOptions{})
	require.NoError(t, err)
	metered := models.Meter(client, func(context.Context, models.Usage) {})
	named, err := models.Retry(metered, models.RetryOptions{Name: "fast"})
	require.NoError(t, err)
	for want, m := range map[string]llms.Model{"deepseek-chat": retry(t, metered), "fast": named, "model": retry(t, modeltest.Always(modeltest.Say("在")))} {
		var call models.Call
		_, err := llms.GenerateFromSinglePrompt(t.Context(), models.Observe(m, func(_ context.Context, c models.Call) { call = c }), "在吗")
		require.NoError(t, err)
		assert.Equal(t, want, call.Model)
	}
}

// logged is a typical wrapper of users: it embeds a chain and thereby is a Retrier.
type logged struct {
	*models.Chain
	calls int
}

func (m *logged) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	m.calls++
	return m.Chain.GenerateContent(ctx, messages, options...)
}

// TestRetry_WrappedChain: Retry does not retry a wrapped chain again, even if the wrapper is no Retrier.
func TestRetry_WrappedChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, wrap := range map[string]func(*logged) llms.Model{
			"Retrier":    func(m *logged) llms.Model { return m },
			"model only": func(m *logged) llms.Model { return struct{ llms.Model }{m} },
		} {
			m := modeltest.Always(modeltest.HTTPError(503, "busy"))
			inner := &logged{Chain: chain(t, models.ChainOptions{}, m)}
			_, err := retry(t, wrap(inner)).GenerateContent(t.Context(), prompt("在吗"))
			require.Error(t, err, name)
			assert.Equal(t, 1, inner.calls, name)
			assert.Len(t, m.Prompts(), 3, name)
		}
	})
}

// TestWithToolResult: a chain treats the conversation as one that ends in a tool result.
func TestWithToolResult(t *testing.T) {
	for _, tt := range []struct {
		after bool
		want  int
	}{{false, 1}, {true, 3}} {
		synctest.Test(t, func(t *testing.T) {
			m := modeltest.Always(modeltest.HTTPError(503, "busy"))
			c, err := models.NewChain([]models.Candidate{{Model: m}}, models.ChainOptions{RetryAfterTools: tt.after})
			require.NoError(t, err)
			_, err = c.GenerateContent(models.WithToolResult(t.Context()), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "结果：好了")})
			require.Error(t, err)
			assert.Equal(t, tt.want, len(m.Prompts()))
		})
	}
}
