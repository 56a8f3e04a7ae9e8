package models_test

import (
	"testing"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChain_ScriptModel: one model of a chain writes its tool calls as text, and the other makes native calls, as doc.go says.
func TestChain_ScriptModel(t *testing.T) {
	native := modeltest.Always(modeltest.HTTPError(401, ""))
	text := modeltest.Always(modeltest.Say("<think>查天气</think>\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"杭州\"}}</tool_call>"))
	c := chain(t, models.ChainOptions{}, models.Normalize(native), script.Model(models.Normalize(text), script.ModelOptions{}))
	resp, err := c.GenerateContent(t.Context(), prompt("天气"), tools)
	require.NoError(t, err)
	require.Len(t, resp.Choices[0].ToolCalls, 1)
	assert.Equal(t, "weather", resp.Choices[0].ToolCalls[0].FunctionCall.Name)
	assert.JSONEq(t, `{"city":"杭州"}`, resp.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	assert.Equal(t, "查天气", resp.Choices[0].ReasoningContent)
	assert.Equal(t, []string{"weather"}, native.Prompts()[0].ToolNames())
	assert.Empty(t, text.Prompts()[0].ToolNames(), "it is told of them in words")
}
