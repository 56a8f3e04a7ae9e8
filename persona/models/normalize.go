package models

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Normalize wraps a model and gives the answers of all providers the same form:
//
//   - It merges choices that are parts of one answer. Anthropic's client returns a choice for each block of text, tool call
//     or thought. Choices requested with llms.WithN or llms.WithCandidateCount stay separate. Nil choices are removed.
//   - It moves <think>…</think> or <thinking>…</thinking> from the start of the text to ReasoningContent, even if the opening
//     tag is missing. DeepSeek, Qwen and others write such tags on servers without a reasoning parser. It moves Anthropic's
//     thoughts there, too.
//   - It joins parts of one tool call that langchaingo's OpenAI client returns as separate calls, and turns empty arguments
//     into "{}". Interleaved parts can be joined by [Transport] only.
//   - Streaming functions receive text only: no empty chunks, no JSON of tool calls and no thoughts. Thoughts go to the
//     StreamingReasoningFunc, unless the opening tag is missing.
//   - It makes a StreamingReasoningFunc without a StreamingFunc work with Anthropic's client.
//
// The tools stay unchanged. A model that writes its tool calls as text needs script.Model of nit/script.
func Normalize(model llms.Model) llms.Model { return &normalizer{model: model} }

type normalizer struct{ model llms.Model }

// Call implements [llms.Model].
func (m *normalizer) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m *normalizer) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	s := &normalizedStream{text: o.StreamingFunc, reasoning: o.StreamingReasoningFunc, tools: len(o.Tools)+len(o.Functions) > 0}
	if s.text != nil || s.reasoning != nil {
		options = append(options[:len(options):len(options)], s.option)
	}
	resp, err := m.model.GenerateContent(ctx, messages, options...)
	if err != nil || resp == nil {
		return resp, err
	}
	if err := s.flush(ctx); err != nil {
		return nil, err
	}
	out := *resp
	out.Choices = nil
	for _, c := range resp.Choices {
		if c != nil {
			out.Choices = append(out.Choices, normalizeChoice(c))
		}
	}
	if max(o.N, o.CandidateCount) <= 1 && len(out.Choices) > 1 {
		out.Choices = []*llms.ContentChoice{mergeChoices(out.Choices)}
	}
	return &out, nil
}

// normalizeChoice returns a normalized copy of c.
func normalizeChoice(c *llms.ContentChoice) *llms.ContentChoice {
	out := *c
	thought, text := splitThoughts(c.Content)
	if out.Content = text; out.ReasoningContent == "" {
		out.ReasoningContent = thought
	}
	if thinking, _ := c.GenerationInfo["ThinkingContent"].(string); out.ReasoningContent == "" {
		out.ReasoningContent = thinking
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

// mergeChoices merges the parts of one answer.
func mergeChoices(parts []*llms.ContentChoice) *llms.ContentChoice {
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

// A normalizedStream filters the chunks between a client and the caller's streaming functions.
type normalizedStream struct {
	text      func(context.Context, []byte) error
	reasoning func(ctx context.Context, reasoning, text []byte) error
	tools     bool

	textSplitter, reasoningSplitter thoughtSplitter // one for each function
}

func (s *normalizedStream) option(o *llms.CallOptions) {
	o.StreamingFunc = func(ctx context.Context, text []byte) error {
		if s.text == nil || s.tools && isToolCallChunk(text) {
			return nil
		}
		_, shown := s.textSplitter.write(string(text))
		return s.sendText(ctx, shown)
	}
	if s.reasoning != nil {
		o.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
			if s.tools && isToolCallChunk(text) {
				text = nil
			}
			thought, shown := s.reasoningSplitter.write(string(text))
			return s.sendReasoning(ctx, string(reasoning)+thought, shown)
		}
	}
}

func (s *normalizedStream) sendText(ctx context.Context, shown string) error {
	if s.text == nil || shown == "" {
		return nil
	}
	return s.text(ctx, []byte(shown))
}

func (s *normalizedStream) sendReasoning(ctx context.Context, thought, shown string) error {
	if s.reasoning == nil || thought+shown == "" {
		return nil
	}
	return s.reasoning(ctx, []byte(thought), []byte(shown))
}

// flush sends the text that was held back because it could have been the start of a tag.
func (s *normalizedStream) flush(ctx context.Context) error {
	_, shown := s.textSplitter.flush()
	if err := s.sendText(ctx, shown); err != nil {
		return err
	}
	thought, shown := s.reasoningSplitter.flush()
	return s.sendReasoning(ctx, thought, shown)
}

// isToolCallChunk reports whether a chunk is the JSON of tool calls. langchaingo's OpenAI client streams it as text.
func isToolCallChunk(chunk []byte) bool {
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
