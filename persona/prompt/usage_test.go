package prompt_test

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"
)

func TestUsageOf_ProviderNumbers(t *testing.T) {
	for name, tc := range map[string]struct {
		info map[string]any
		want prompt.Usage
	}{
		"openai":                {map[string]any{"PromptTokens": 100, "CompletionTokens": 20, "TotalTokens": 120}, prompt.Usage{Calls: 1, Prompt: 100, Completion: 20}},
		"hidden thoughts":       {map[string]any{"PromptTokens": 100, "CompletionTokens": 20, "TotalTokens": 520}, prompt.Usage{Calls: 1, Prompt: 100, Completion: 420}},
		"anthropic":             {map[string]any{"InputTokens": int64(7), "OutputTokens": 3.0}, prompt.Usage{Calls: 1, Prompt: 7, Completion: 3}},
		"cached, openai":        {map[string]any{"PromptTokens": 100, "CompletionTokens": 20, "TotalTokens": 120, "PromptCachedTokens": 64, "CompletionReasoningTokens": 5}, prompt.Usage{Calls: 1, Prompt: 100, Completion: 20, CacheRead: 64, Reasoning: 5}},
		"cached, anthropic":     {map[string]any{"InputTokens": 7, "OutputTokens": 3, "CacheReadInputTokens": 90, "CacheCreationInputTokens": 10}, prompt.Usage{Calls: 1, Prompt: 107, Completion: 3, CacheRead: 90}},
		"all from cache":        {map[string]any{"InputTokens": 0, "OutputTokens": 3, "CacheReadInputTokens": 90}, prompt.Usage{Calls: 1, Prompt: 90, Completion: 3, CacheRead: 90}},
		"more cached than sent": {map[string]any{"PromptTokens": 10, "CompletionTokens": 3, "PromptCachedTokens": 90, "ReasoningTokens": 900}, prompt.Usage{Calls: 1, Prompt: 10, Completion: 3, CacheRead: 10, Reasoning: 3}},
		"google":                {map[string]any{"input_tokens": int32(7), "output_tokens": json.Number("3")}, prompt.Usage{Calls: 1, Prompt: 7, Completion: 3}},
		"nothing":               {nil, prompt.Usage{Calls: 1, Prompt: 6, Completion: 2, Estimated: true}},
		"zeros":                 {map[string]any{"PromptTokens": 0, "CompletionTokens": 0, "TotalTokens": 0}, prompt.Usage{Calls: 1, Prompt: 6, Completion: 2, Estimated: true}},
		"half":                  {map[string]any{"PromptTokens": 100}, prompt.Usage{Calls: 1, Prompt: 100, Completion: 2, Estimated: true}},
		"nonsense":              {map[string]any{"PromptTokens": -5, "CompletionTokens": "many", "TotalTokens": 1e300}, prompt.Usage{Calls: 1, Prompt: 6, Completion: 2, Estimated: true}},
	} {
		text := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "在吗")}
		resp := &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {Content: "在的", GenerationInfo: tc.info}, {GenerationInfo: tc.info}}}
		assert.Equal(t, tc.want, prompt.UsageOf(text, nil, resp), name)
	}
}

func TestUsageOf_Estimates(t *testing.T) {
	call := llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "abcd", Arguments: "efgh"}}
	text := []llms.MessageContent{{Parts: []llms.ContentPart{llms.TextContent{Text: "你好"}, call, llms.ToolCall{}, llms.ToolCallResponse{Content: "天气"}, llms.ImageURLContent{}}}}
	u := prompt.UsageOf(text, nil, &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{call}, ReasoningContent: "嗯"}}})
	assert.Equal(t, 4+2+(4+1+1)+4+2+1000, u.Prompt)
	assert.Equal(t, 4+1+1+1, u.Completion)
	withTools := prompt.UsageOf(text, []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "abcd"}}}, nil)
	assert.Greater(t, withTools.Prompt, u.Prompt)
	assert.Equal(t, 1, withTools.Failed, "a nil response is a failed call")

	sum := u.Add(withTools)
	assert.Equal(t, 2, sum.Calls)
	assert.Equal(t, sum.Prompt+sum.Completion, sum.Total())
}
