package telemetry

import (
	"encoding/json"
	"strings"

	"github.com/hearth-bot/hearth/persona/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// A message has the form that the conventions ask for.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

// A part is one part of a message. Type says which other fields are set.
type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`   // of text
	Name      string `json:"name,omitempty"`      // of tool_call
	Arguments string `json:"arguments,omitempty"` // of tool_call
	Response  string `json:"response,omitempty"`  // of tool_call_response
}

// addContent adds the prompt and the answer of a model call to its span, if the options ask for it.
func (b *observer) addContent(span oteltrace.Span, c *trace.Call) {
	if !b.o.Content {
		return
	}
	var prompt strings.Builder
	for _, s := range c.Prompt {
		if !s.Dropped {
			prompt.WriteString(s.Text)
		}
	}
	input := []message{{Role: "user", Parts: []part{b.text(prompt.String())}}}
	for _, s := range c.Steps {
		input = append(input, message{Role: roles[s.Role], Parts: []part{b.step(s)}})
	}
	output := message{Role: "assistant", Finish: c.Finish}
	if c.Answer != "" {
		output.Parts = append(output.Parts, b.text(c.Answer))
	}
	for _, s := range c.Asked {
		output.Parts = append(output.Parts, part{Type: "tool_call", Name: s.Name, Arguments: b.o.Redact(s.Text)})
	}
	span.SetAttributes(attrInstructions.String(inJSON([]part{b.text(c.System)})), attrInputMessages.String(inJSON(input)))
	if output.Parts != nil {
		span.SetAttributes(attrOutputMessages.String(inJSON([]message{output})))
	}
}

// roles are the roles of the conventions by those of langchaingo.
var roles = map[string]string{"ai": "assistant", "tool": "tool", "human": "user", "system": "system"}

func (b *observer) text(text string) part { return part{Type: "text", Content: b.o.Redact(text)} }

func (b *observer) step(s trace.Step) part {
	switch {
	case s.Role == "tool":
		return part{Type: "tool_call_response", Response: b.o.Redact(s.Text)}
	case s.Role == "ai" && s.Name != "":
		return part{Type: "tool_call", Name: s.Name, Arguments: b.o.Redact(s.Text)}
	}
	return b.text(s.Text)
}

func inJSON(v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // prompts are XML
	if err := e.Encode(v); err != nil {
		panic(err) // cannot happen: v contains only strings
	}
	return strings.TrimSuffix(text.String(), "\n")
}
