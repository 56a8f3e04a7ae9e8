package models_test

import (
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
		m := modeltest.New(modeltest.Limit(0), modeltest.Refuse(503, "busy"), modeltest.Say("在"))
		began := time.Now()
		resp, err := models.Retry(m, 1, nil).GenerateContent(t.Context(), ask)
		require.NoError(t, err)
		assert.Equal(t, "在", resp.Choices[0].Content)
		assert.Greater(t, time.Since(began), time.Second)

		m = modeltest.New(modeltest.Refuse(503, "busy"), modeltest.Refuse(503, "busy"), modeltest.Refuse(503, "busy"))
		_, err = models.Retry(m, 1, nil).GenerateContent(t.Context(), ask)
		require.Error(t, err, "three times are enough")
		assert.Zero(t, m.Left())

		m = modeltest.New(modeltest.Refuse(503, "busy"), modeltest.Say("在"))
		_, err = models.Retry(m, 1, nil).GenerateContent(t.Context(), after)
		require.Error(t, err, "a tool ran")
		assert.Equal(t, 1, m.Left())

		m = modeltest.New(modeltest.Refuse(401, "key"), modeltest.Say("在"))
		_, err = models.Retry(m, 1, nil).GenerateContent(t.Context(), ask)
		require.Error(t, err, "no other key comes of asking again")
		assert.Equal(t, 1, m.Left())

		chain := models.Retry(m, 1, nil)
		assert.Same(t, chain, models.Retry(chain, 2, nil))
	})
}

// TestAfterTool: a chain believes what it cannot see.
func TestAfterTool(t *testing.T) {
	for _, tt := range []struct {
		after bool
		want  int
	}{{false, 1}, {true, 3}} {
		synctest.Test(t, func(t *testing.T) {
			m := modeltest.Always(modeltest.Refuse(503, "busy"))
			c, err := models.NewChain([]models.Link{{Model: m}}, models.ChainOptions{AfterTools: tt.after})
			require.NoError(t, err)
			_, err = c.GenerateContent(models.AfterTool(t.Context()), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "结果：好了")})
			require.Error(t, err)
			assert.Equal(t, tt.want, len(m.Prompts()))
		})
	}
}
