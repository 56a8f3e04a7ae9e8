package prompt

import (
	"encoding/json"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// Usage is the cost of model calls. Use [Usage.Add] for sums.
type Usage struct {
	Calls      int  // all calls, including failed ones
	Failed     int  // calls with an error
	Prompt     int  // input tokens, including cache reads and writes
	Completion int  // output tokens, including hidden reasoning
	CacheRead  int  // part of Prompt that the provider read from its cache, if reported
	Repeated   int  // part of Prompt that is the start of an earlier request, if known; a provider could cache it
	Reasoning  int  // part of Completion for reasoning, if reported
	Estimated  bool // at least one number is an estimate by [Tokens]
}

// Total returns Prompt + Completion.
func (u Usage) Total() int { return u.Prompt + u.Completion }

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Failed: u.Failed + v.Failed,
		Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		CacheRead: u.CacheRead + v.CacheRead, Repeated: u.Repeated + v.Repeated, Reasoning: u.Reasoning + v.Reasoning,
		Estimated: u.Estimated || v.Estimated,
	}
}

// UsageOf returns the usage of one model call. It takes the provider's numbers from resp, or estimates them. A nil resp
// is a failed call. Its prompt is counted, too.
func UsageOf(prompt []llms.MessageContent, tools []llms.Tool, resp *llms.ContentResponse) Usage {
	u := Usage{Calls: 1}
	if resp == nil {
		u.Failed, u.Prompt, u.Estimated = 1, promptTokens(prompt, tools), true
		return u
	}
	for _, c := range resp.Choices {
		if c != nil && u.setFrom(c.GenerationInfo) {
			break // every choice repeats the numbers of the whole response
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

// setFrom reads the provider's numbers under the names that langchaingo uses. It reports whether there were any. A total
// above the sum includes reasoning and is the billed amount. Anthropic reports cache reads and writes in addition to
// the input. Other providers include them.
func (u *Usage) setFrom(info map[string]any) bool {
	u.Prompt = firstNumber(info, "PromptTokens", "InputTokens", "input_tokens")
	if read := firstNumber(info, "CacheReadInputTokens"); read > 0 {
		u.Prompt, u.CacheRead = u.Prompt+read, read
	} else {
		u.CacheRead = min(firstNumber(info, "PromptCachedTokens"), u.Prompt)
	}
	u.Prompt += firstNumber(info, "CacheCreationInputTokens")
	u.Completion = firstNumber(info, "CompletionTokens", "OutputTokens", "output_tokens")
	if total := firstNumber(info, "TotalTokens", "total_tokens"); u.Prompt > 0 {
		u.Completion = max(u.Completion, total-u.Prompt)
	}
	u.Reasoning = min(firstNumber(info, "CompletionReasoningTokens", "ReasoningTokens", "ThinkingTokens"), u.Completion)
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

func firstNumber(info map[string]any, names ...string) int {
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

// perMessage is the approximate overhead of chat templates for each message.
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
