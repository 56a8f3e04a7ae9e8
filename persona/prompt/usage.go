package prompt

import (
	"encoding/json"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// Usage is what model calls cost. Usages add up with [Usage.Add].
type Usage struct {
	Calls      int  // calls made, the failed ones among them
	Failed     int  // calls that ended in an error
	Prompt     int  // tokens sent, those read from a cache or written to it among them
	Completion int  // tokens received, those of hidden reasoning among them
	CacheRead  int  // of Prompt, those that the provider read from its cache, as far as it tells
	Reasoning  int  // of Completion, those of reasoning, as far as the provider tells
	Estimated  bool // at least one figure is an estimate ([Tokens]), not the provider's
}

// Total gives Prompt + Completion.
func (u Usage) Total() int { return u.Prompt + u.Completion }

// Add gives the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Failed: u.Failed + v.Failed,
		Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		CacheRead: u.CacheRead + v.CacheRead, Reasoning: u.Reasoning + v.Reasoning,
		Estimated: u.Estimated || v.Estimated,
	}
}

// UsageOf gives what one model call cost: the provider's figures where its response holds them, else an estimate. A
// nil response is a call that failed; what it was sent is counted all the same.
func UsageOf(prompt []llms.MessageContent, tools []llms.Tool, resp *llms.ContentResponse) Usage {
	u := Usage{Calls: 1}
	if resp == nil {
		u.Failed, u.Prompt, u.Estimated = 1, promptTokens(prompt, tools), true
		return u
	}
	for _, c := range resp.Choices {
		if c != nil && u.told(c.GenerationInfo) {
			break // one choice has the figures of all: providers repeat them
		}
	}
	if u.Prompt == 0 {
		u.Prompt, u.Estimated = promptTokens(prompt, tools), true
	}
	if written := writtenTokens(resp); u.Completion == 0 && written > 0 {
		u.Completion, u.Estimated = written, true
	}
	return u
}

// told takes the provider's figures, by the names that langchaingo's providers give them, and reports whether there
// were any. A total larger than the sum holds reasoning: it is what is billed. Anthropic counts what its cache read and
// wrote beside the input, the others count it in.
func (u *Usage) told(info map[string]any) bool {
	u.Prompt = figure(info, "PromptTokens", "InputTokens", "input_tokens")
	if read := figure(info, "CacheReadInputTokens"); read > 0 {
		u.Prompt, u.CacheRead = u.Prompt+read, read
	} else {
		u.CacheRead = min(figure(info, "PromptCachedTokens"), u.Prompt)
	}
	u.Prompt += figure(info, "CacheCreationInputTokens")
	u.Completion = figure(info, "CompletionTokens", "OutputTokens", "output_tokens")
	if total := figure(info, "TotalTokens", "total_tokens"); u.Prompt > 0 {
		u.Completion = max(u.Completion, total-u.Prompt)
	}
	u.Reasoning = min(figure(info, "CompletionReasoningTokens", "ReasoningTokens", "ThinkingTokens"), u.Completion)
	return u.Prompt+u.Completion > 0
}

func writtenTokens(resp *llms.ContentResponse) int {
	n := 0
	for _, c := range resp.Choices {
		if c == nil {
			continue
		}
		n += Tokens(c.Content) + Tokens(c.ReasoningContent)
		for _, call := range c.ToolCalls {
			n += callTokens(call)
		}
	}
	return n
}

func figure(info map[string]any, names ...string) int {
	for _, name := range names {
		n := 0.0
		switch v := info[name].(type) {
		case int:
			n = float64(v)
		case int32:
			n = float64(v)
		case int64:
			n = float64(v)
		case float64:
			n = v
		case json.Number:
			n, _ = v.Float64()
		}
		if n >= 1 && n <= math.MaxInt32 {
			return int(n)
		}
	}
	return 0
}

// perMessage is what chat templates add around each message, roughly.
const perMessage = 4

func promptTokens(prompt []llms.MessageContent, tools []llms.Tool) int {
	n := 0
	for _, m := range prompt {
		n += perMessage
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				n += Tokens(p.Text)
			case llms.ToolCall:
				n += callTokens(p)
			case llms.ToolCallResponse:
				n += Tokens(p.Content)
			case llms.ImageURLContent, llms.BinaryContent:
				n += 1000 // a picture of ordinary size
			}
		}
	}
	for _, t := range tools {
		if b, err := json.Marshal(t); err == nil {
			n += Tokens(string(b))
		}
	}
	return n
}

func callTokens(c llms.ToolCall) int {
	if c.FunctionCall == nil {
		return perMessage
	}
	return perMessage + Tokens(c.FunctionCall.Name) + Tokens(c.FunctionCall.Arguments)
}
