package script

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// plain gives a conversation for a model that knows text only: calls as it writes them itself, results as messages of the other side,
// and nobody else's text with markup that calls something. lesson is added to the system prompt.
func plain(messages []llms.MessageContent, lesson string, as tags) []llms.MessageContent {
	all := make([]llms.MessageContent, 0, len(messages)+1)
	for i := 0; i < len(messages); i++ {
		switch m := messages[i]; m.Role {
		case llms.ChatMessageTypeSystem:
			all = append(all, taught(m, lesson))
			lesson = ""
		case llms.ChatMessageTypeAI:
			all = append(all, written(m, as))
		case llms.ChatMessageTypeTool:
			var results strings.Builder
			for ; i < len(messages) && messages[i].Role == llms.ChatMessageTypeTool; i++ {
				results.WriteString(answered(messages[i]))
			}
			i--
			all = append(all, llms.TextParts(llms.ChatMessageTypeHuman, results.String()))
		default:
			all = append(all, heard(m))
		}
	}
	if lesson != "" {
		all = append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, lesson)}, all...)
	}
	return all
}

// taught adds the lesson to the last text of a system message.
func taught(m llms.MessageContent, lesson string) llms.MessageContent {
	if lesson == "" {
		return m
	}
	parts := append([]llms.ContentPart(nil), m.Parts...)
	for i := len(parts) - 1; i >= 0; i-- {
		if t, ok := parts[i].(llms.TextContent); ok {
			parts[i] = llms.TextContent{Text: t.Text + "\n\n" + lesson}
			return llms.MessageContent{Role: m.Role, Parts: parts}
		}
	}
	return llms.MessageContent{Role: m.Role, Parts: append(parts, llms.TextContent{Text: lesson})}
}

// heard makes what others said inert.
func heard(m llms.MessageContent) llms.MessageContent {
	parts := make([]llms.ContentPart, len(m.Parts))
	for i, p := range m.Parts {
		if t, ok := p.(llms.TextContent); ok {
			p = llms.TextContent{Text: inert(t.Text)}
		}
		parts[i] = p
	}
	return llms.MessageContent{Role: m.Role, Parts: parts}
}

// written gives what the model said before, its calls among it, as one text.
func written(m llms.MessageContent, as tags) llms.MessageContent {
	var b strings.Builder
	var parts []llms.ContentPart
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			b.WriteString(inert(p.Text))
		case llms.ToolCall:
			if p.FunctionCall == nil {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(spelled(*p.FunctionCall, as))
		default:
			parts = append(parts, p)
		}
	}
	if b.Len() > 0 {
		parts = append([]llms.ContentPart{llms.TextContent{Text: b.String()}}, parts...)
	}
	return llms.MessageContent{Role: m.Role, Parts: parts}
}

// spelled writes a call as the model would.
func spelled(call llms.FunctionCall, as tags) string {
	var in struct{ Script string }
	if call.Name == ToolName && json.Unmarshal([]byte(call.Arguments), &in) == nil {
		return "<" + as.nit + ">\n" + strings.TrimSpace(inert(in.Script)) + "\n</" + as.nit + ">"
	}
	args := json.RawMessage(call.Arguments)
	if !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	b, err := json.Marshal(struct { // with < as \u003c
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{call.Name, args})
	if err != nil {
		return ""
	}
	return "<" + as.call + ">\n" + string(b) + "\n</" + as.call + ">"
}

// answered gives results as text.
func answered(m llms.MessageContent) string {
	var b strings.Builder
	for _, p := range m.Parts {
		r, ok := p.(llms.ToolCallResponse)
		if !ok {
			continue
		}
		b.WriteString("<tool_response name=" + quoted(r.Name) + ">\n" + inert(r.Content) + "\n</tool_response>\n")
	}
	return b.String()
}
