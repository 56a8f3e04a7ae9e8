package script

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// plainMessages converts a conversation for a text-only model. It writes calls as the model does and results as user
// messages. It escapes markup in all other text and adds the instructions to the system prompt.
func plainMessages(messages []llms.MessageContent, instructions string, as tagNames) []llms.MessageContent {
	all := make([]llms.MessageContent, 0, len(messages)+1)
	for i := 0; i < len(messages); i++ {
		switch m := messages[i]; m.Role {
		case llms.ChatMessageTypeSystem:
			all = append(all, withInstructions(m, instructions))
			instructions = ""
		case llms.ChatMessageTypeAI:
			all = append(all, renderAnswer(m, as))
		case llms.ChatMessageTypeTool:
			var results strings.Builder
			for ; i < len(messages) && messages[i].Role == llms.ChatMessageTypeTool; i++ {
				results.WriteString(renderResults(messages[i]))
			}
			i--
			all = append(all, llms.TextParts(llms.ChatMessageTypeHuman, results.String()))
		default:
			all = append(all, escapeMessage(m))
		}
	}
	if instructions != "" {
		all = append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, instructions)}, all...)
	}
	return all
}

// withInstructions appends the instructions to the last text of a system message.
func withInstructions(m llms.MessageContent, instructions string) llms.MessageContent {
	if instructions == "" {
		return m
	}
	parts := append([]llms.ContentPart(nil), m.Parts...)
	for i := len(parts) - 1; i >= 0; i-- {
		if t, ok := parts[i].(llms.TextContent); ok {
			parts[i] = llms.TextContent{Text: t.Text + "\n\n" + instructions}
			return llms.MessageContent{Role: m.Role, Parts: parts}
		}
	}
	return llms.MessageContent{Role: m.Role, Parts: append(parts, llms.TextContent{Text: instructions})}
}

// escapeMessage escapes markup in a message of others.
func escapeMessage(m llms.MessageContent) llms.MessageContent {
	parts := make([]llms.ContentPart, len(m.Parts))
	for i, p := range m.Parts {
		if t, ok := p.(llms.TextContent); ok {
			p = llms.TextContent{Text: escapeMarkup(t.Text)}
		}
		parts[i] = p
	}
	return llms.MessageContent{Role: m.Role, Parts: parts}
}

// renderAnswer converts an earlier answer of the model, with its calls, to one text.
func renderAnswer(m llms.MessageContent, as tagNames) llms.MessageContent {
	var b strings.Builder
	var parts []llms.ContentPart
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			b.WriteString(escapeMarkup(p.Text))
		case llms.ToolCall:
			if p.FunctionCall == nil {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(renderCall(*p.FunctionCall, as))
		default:
			parts = append(parts, p)
		}
	}
	if b.Len() > 0 {
		parts = append([]llms.ContentPart{llms.TextContent{Text: b.String()}}, parts...)
	}
	return llms.MessageContent{Role: m.Role, Parts: parts}
}

// renderCall writes a call as the model does.
func renderCall(call llms.FunctionCall, as tagNames) string {
	var in struct{ Script string }
	if call.Name == ToolName && json.Unmarshal([]byte(call.Arguments), &in) == nil {
		return "<" + as.nit + ">\n" + strings.TrimSpace(escapeMarkup(in.Script)) + "\n</" + as.nit + ">"
	}
	args := json.RawMessage(call.Arguments)
	if !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	b, err := json.Marshal(struct { // escapes < as \u003c
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{call.Name, args})
	if err != nil {
		return ""
	}
	return "<" + as.call + ">\n" + string(b) + "\n</" + as.call + ">"
}

// renderResults converts tool results to text.
func renderResults(m llms.MessageContent) string {
	var b strings.Builder
	for _, p := range m.Parts {
		r, ok := p.(llms.ToolCallResponse)
		if !ok {
			continue
		}
		b.WriteString("<tool_response name=" + quote(r.Name) + ">\n" + escapeMarkup(r.Content) + "\n</tool_response>\n")
	}
	return b.String()
}
