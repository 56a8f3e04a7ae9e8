package modeltest

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// A ReasoningField is the place of the reasoning in an answer with tool calls, and in the requests that give it back.
type ReasoningField string

// Places of the reasoning: fields of the message, or of each tool call.
const (
	ReasoningContent ReasoningField = "reasoning_content" // DeepSeek, Kimi, GLM, Qwen
	Reasoning        ReasoningField = "reasoning"         // vLLM, Ollama
	ReasoningDetails ReasoningField = "reasoning_details" // OpenRouter: a block with a signature of the whole text
	ThoughtSignature ReasoningField = "thought_signature" // Gemini: extra_content.google.thought_signature of each tool call
)

// A jsonReasoning has the fields of a message that carry reasoning.
type jsonReasoning struct {
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []reasoningDetail `json:"reasoning_details,omitempty"`
}

type reasoningDetail struct {
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Index     int    `json:"index"`
}

type extraContent struct {
	Google struct {
		ThoughtSignature string `json:"thought_signature"`
	} `json:"google"`
}

// parts returns the fields of the reasoning as a stream sends them: a part for each character, and then the signature.
func (f ReasoningField) parts(text string) []jsonReasoning {
	var parts []jsonReasoning
	for _, r := range text {
		parts = append(parts, f.part(string(r)))
	}
	if f == ReasoningDetails && text != "" {
		parts = append(parts, jsonReasoning{ReasoningDetails: []reasoningDetail{{Type: "reasoning.text", Signature: signature(text)}}})
	}
	return parts
}

func (f ReasoningField) part(text string) (r jsonReasoning) {
	switch f {
	case ReasoningContent:
		r.ReasoningContent = &text
	case Reasoning:
		r.Reasoning = &text
	case ReasoningDetails:
		r.ReasoningDetails = []reasoningDetail{{Type: "reasoning.text", Text: text}}
	}
	return r
}

// whole returns the fields of the reasoning without streaming.
func (f ReasoningField) whole(text string) (r jsonReasoning) {
	if text == "" {
		return r
	}
	r = f.part(text)
	if f == ReasoningDetails {
		r.ReasoningDetails[0].Signature = signature(text)
	}
	return r
}

// calls returns the tool calls with their signatures.
func (f ReasoningField) calls(c *llms.ContentChoice) []jsonCall {
	calls := jsonCalls(c.ToolCalls)
	for i := range calls {
		if f == ThoughtSignature && c.ReasoningContent != "" {
			calls[i].Extra = &extraContent{}
			calls[i].Extra.Google.ThoughtSignature = signature(c.ReasoningContent)
		}
	}
	return calls
}

// signature stands for an encrypted copy of the reasoning.
func signature(text string) string { return "signed:" + text }

// remember keeps the reasoning of an answer with tool calls.
func (h *handler) remember(c *llms.ContentChoice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, call := range c.ToolCalls {
		h.reasoning[call.ID] = append(h.reasoning[call.ID], c.ReasoningContent)
	}
}

// check returns an error if a message with tool calls lacks its reasoning. An id may be that of several answers. A call with
// an unknown id needs the reasoning of any answer, because the client may replace ids.
func (h *handler) check(calls []jsonCall, message jsonReasoning) error {
	if !h.strict {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, call := range calls {
		answers, ok := h.reasoning[call.ID]
		if !ok {
			answers = slices.Concat(slices.Collect(maps.Values(h.reasoning))...)
		}
		if !slices.ContainsFunc(answers, func(reasoning string) bool { return h.field.carries(reasoning, call, message) }) {
			return errors.New(h.field.refusal())
		}
	}
	return nil
}

// carries reports whether a message with a call carries the reasoning.
func (f ReasoningField) carries(reasoning string, call jsonCall, message jsonReasoning) bool {
	if f == ThoughtSignature && reasoning != "" {
		return call.Extra != nil && call.Extra.Google.ThoughtSignature == signature(reasoning)
	}
	return reflect.DeepEqual(message, f.whole(reasoning))
}

// refusal returns the error of a provider: DeepSeek, Anthropic behind OpenRouter, or Gemini.
func (f ReasoningField) refusal() string {
	switch f {
	case ReasoningDetails:
		return "messages.1.content.0: Invalid `signature` in `thinking` block"
	case ThoughtSignature:
		return "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly."
	}
	return "The `" + string(f) + "` in the thinking mode must be passed back to the API."
}
