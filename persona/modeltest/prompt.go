package modeltest

import (
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// A Prompt is the input of one model call.
type Prompt struct {
	Messages []llms.MessageContent
	Options  llms.CallOptions

	// For [Model.Handler] only; "" if the request lacks it.
	Format string // JSON of the request's response_format; for audio its text, such as "mp3"
	Voice  string // voice of a request for speech
	File   string // name of the file of a request for a transcript; its bytes are an llms.BinaryContent in Messages
}

func newPrompt(messages []llms.MessageContent, options []llms.CallOption) Prompt {
	p := Prompt{Messages: slices.Clone(messages)}
	for i := range p.Messages {
		p.Messages[i].Parts = slices.Clone(p.Messages[i].Parts)
	}
	for _, o := range options {
		o(&p.Options)
	}
	return p
}

// System returns the text of the system messages.
func (p Prompt) System() string { return p.of(llms.ChatMessageTypeSystem) }

// Human returns the text of the human messages.
func (p Prompt) Human() string { return p.of(llms.ChatMessageTypeHuman) }

func (p Prompt) of(role llms.ChatMessageType) string {
	var b strings.Builder
	for _, m := range p.Messages {
		if m.Role == role {
			write(&b, m)
		}
	}
	return b.String()
}

// Text returns everything that the model could read: all messages with tool calls and results, and then the tools with their
// descriptions.
func (p Prompt) Text() string {
	var b strings.Builder
	for _, m := range p.Messages {
		write(&b, m)
	}
	for _, t := range p.Options.Tools {
		if t.Function != nil {
			b.WriteString(t.Function.Name + ": " + t.Function.Description + "\n")
		}
	}
	return b.String()
}

// ToolNames returns the names of the tools that the model was offered, in order.
func (p Prompt) ToolNames() []string {
	var names []string
	for _, t := range p.Options.Tools {
		if t.Function != nil {
			names = append(names, t.Function.Name)
		}
	}
	return names
}

// ToolResults returns the tool results in the conversation so far, in order.
func (p Prompt) ToolResults() []llms.ToolCallResponse {
	var results []llms.ToolCallResponse
	for _, m := range p.Messages {
		for _, part := range m.Parts {
			if r, ok := part.(llms.ToolCallResponse); ok {
				results = append(results, r)
			}
		}
	}
	return results
}

func write(b *strings.Builder, m llms.MessageContent) {
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llms.TextContent:
			b.WriteString(part.Text)
		case llms.ToolCall:
			if f := part.FunctionCall; f != nil {
				b.WriteString(f.Name + " " + f.Arguments)
			}
		case llms.ToolCallResponse:
			b.WriteString(part.Content)
		}
		b.WriteByte('\n')
	}
}
