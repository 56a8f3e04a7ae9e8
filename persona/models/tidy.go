package models

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Normalize wraps a model so that what it answers looks the same whoever it is:
//
//   - Choices that are parts of one answer (Anthropic's client gives one for each block of text, call or thought) become one;
//     nil choices go. Several that were asked for, by llms.WithN or llms.WithCandidateCount, stay.
//   - Thoughts that stand as <think>…</think> or <thinking>…</thinking> at the head of the text (DeepSeek, Qwen and others on servers without a
//     parser for them) become ReasoningContent, also where only the closing tag is there, and so do Anthropic's.
//   - Parts of a tool call that langchaingo's OpenAI client took for calls of their own are put together; arguments
//     "" become "{}". ([Transport] mends more: calls whose parts came mixed cannot be told apart afterwards.)
//   - Streaming functions get text: no empty chunks, no JSON of tool calls, no thoughts. Thoughts go to the
//     StreamingReasoningFunc. A closing tag without an opening one is seen too late for that.
//   - A StreamingReasoningFunc alone works with Anthropic's client, which otherwise fails.
//
// What the tools are, Tidy does not change. A model that writes its calls as text needs script.Model of nit/script around it.
func Normalize(model llms.Model) llms.Model { return &tidy{model: model} }

type tidy struct{ model llms.Model }

// Call implements [llms.Model].
func (m *tidy) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m *tidy) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	s := &tidyStream{to: o.StreamingFunc, both: o.StreamingReasoningFunc, tools: len(o.Tools)+len(o.Functions) > 0}
	if s.to != nil || s.both != nil {
		options = append(options[:len(options):len(options)], s.listen)
	}
	resp, err := m.model.GenerateContent(ctx, messages, options...)
	if err != nil || resp == nil {
		return resp, err
	}
	if err := s.close(ctx); err != nil {
		return nil, err
	}
	out := *resp
	out.Choices = nil
	for _, c := range resp.Choices {
		if c != nil {
			out.Choices = append(out.Choices, tidyChoice(c))
		}
	}
	if max(o.N, o.CandidateCount) <= 1 && len(out.Choices) > 1 {
		out.Choices = []*llms.ContentChoice{oneChoice(out.Choices)}
	}
	return &out, nil
}

// tidyChoice gives a copy in order.
func tidyChoice(c *llms.ContentChoice) *llms.ContentChoice {
	out := *c
	thought, text := think(c.Content)
	if out.Content = text; out.ReasoningContent == "" {
		out.ReasoningContent = thought
	}
	if told, _ := c.GenerationInfo["ThinkingContent"].(string); out.ReasoningContent == "" {
		out.ReasoningContent = told
	}
	out.ToolCalls = nil
	for _, call := range c.ToolCalls {
		f := call.FunctionCall
		if n := len(out.ToolCalls); f != nil && f.Name == "" && n > 0 {
			out.ToolCalls[n-1].FunctionCall.Arguments += f.Arguments
			continue
		}
		copied := *cmp.Or(f, &llms.FunctionCall{})
		call.FunctionCall = &copied
		call.Type = cmp.Or(call.Type, "function")
		out.ToolCalls = append(out.ToolCalls, call)
	}
	for _, call := range out.ToolCalls {
		if strings.TrimSpace(call.FunctionCall.Arguments) == "" {
			call.FunctionCall.Arguments = "{}"
		}
	}
	if len(out.ToolCalls) > 0 {
		out.FuncCall = out.ToolCalls[0].FunctionCall
	}
	return &out
}

// oneChoice puts the parts of an answer together.
func oneChoice(parts []*llms.ContentChoice) *llms.ContentChoice {
	out := *parts[0]
	for _, c := range parts[1:] {
		out.Content += c.Content
		if c.ReasoningContent != "" && out.ReasoningContent != "" {
			out.ReasoningContent += "\n"
		}
		out.ReasoningContent += c.ReasoningContent
		out.ToolCalls = append(slices.Clip(out.ToolCalls), c.ToolCalls...)
		out.FuncCall = cmp.Or(out.FuncCall, c.FuncCall)
		out.StopReason = cmp.Or(out.StopReason, c.StopReason)
		if out.GenerationInfo == nil {
			out.GenerationInfo = c.GenerationInfo
		}
	}
	return &out
}

// A tidyStream stands between a client and the caller's streaming functions.
type tidyStream struct {
	to    func(context.Context, []byte) error
	both  func(ctx context.Context, reasoning, text []byte) error
	tools bool

	one, two thinker // of to, of both
}

func (s *tidyStream) listen(o *llms.CallOptions) {
	o.StreamingFunc = func(ctx context.Context, text []byte) error {
		if s.to == nil || s.tools && isCalls(text) {
			return nil
		}
		_, shown := s.one.write(string(text))
		return s.give(ctx, shown)
	}
	if s.both != nil {
		o.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
			if s.tools && isCalls(text) {
				text = nil
			}
			thought, shown := s.two.write(string(text))
			return s.giveBoth(ctx, string(reasoning)+thought, shown)
		}
	}
}

func (s *tidyStream) give(ctx context.Context, shown string) error {
	if s.to == nil || shown == "" {
		return nil
	}
	return s.to(ctx, []byte(shown))
}

func (s *tidyStream) giveBoth(ctx context.Context, thought, shown string) error {
	if s.both == nil || thought+shown == "" {
		return nil
	}
	return s.both(ctx, []byte(thought), []byte(shown))
}

// close gives what was held back.
func (s *tidyStream) close(ctx context.Context) error {
	_, shown := s.one.close()
	if err := s.give(ctx, shown); err != nil {
		return err
	}
	thought, shown := s.two.close()
	return s.giveBoth(ctx, thought, shown)
}

// isCalls tells whether a chunk is the JSON of parts of tool calls, which langchaingo's OpenAI client streams as text.
func isCalls(chunk []byte) bool {
	if !strings.HasPrefix(string(chunk), "[{") {
		return false
	}
	type part struct {
		ID, Type *string
		Function *struct{ Name, Arguments *string }
	}
	var parts []part
	d := json.NewDecoder(strings.NewReader(string(chunk)))
	d.DisallowUnknownFields()
	return d.Decode(&parts) == nil && !d.More() && !slices.ContainsFunc(parts, func(p part) bool { return p.Type == nil || p.Function == nil })
}
