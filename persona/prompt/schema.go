package prompt

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// A Schema describes the JSON object that a model must answer with. models.OpenAI sends it as a strict response_format.
type Schema struct {
	Name string          // letters, digits and underscores
	JSON json.RawMessage // JSON Schema with the limits of strict outputs: each property is required, and there are no others
}

type schemaKey struct{}

// withSchema returns a ctx for a call whose answer must have this schema. nil means text.
func withSchema(ctx context.Context, s *Schema) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, schemaKey{}, s)
}

// SchemaOf returns the schema of the answer to a model call, or nil if the answer is text. A [Turn] sets it in the ctx of a
// call without tools. A model may ignore it: the instructions describe the same JSON.
func SchemaOf(ctx context.Context) *Schema {
	s, _ := ctx.Value(schemaKey{}).(*Schema)
	return s
}

// AnswerSchema returns the schema of the JSON that the [Instructions] of a scene ask for, or nil if they ask for text.
func AnswerSchema(s Scene) *Schema {
	answer := ""
	switch s.Kind {
	case Plan:
		members := []string{"action", oneOf(s.AllowedActions...), "reasoning", anyText, "emoji_query", anyText, "at_user", anyText, "poke_user", anyText}
		if len(s.Faces) > 0 {
			members = append(members, "face", oneOf(append([]string{""}, s.Faces...)...))
		}
		answer = objectOf(members...)
	case Consider, ConsiderFocus:
		answer = objectOf("decision", yesNo, "reason", anyText)
	case Dream:
		answer = objectOf(
			"insights", listOf(objectOf("text", anyText, "about", anyText, "importance", anyNumber, "from", listOf(anyText), "replaces", listOf(anyText))),
			"facts", listOf(objectOf("about", anyText, "relation", anyText, "value", anyText, "over", yesNo, "from", anyText)))
	case UpdatePeople:
		feelings := oneOf("", "happy", "shy", "surprised", "calm", "puzzled", "angry", "sad", "afraid", "disgusted")
		answer = objectOf(
			"people", listOf(objectOf("id", anyText, "feeling", feelings, "stance", `{"type":"integer","enum":[-1,0,1]}`, "impression", anyText)),
			"names", listOf(objectOf("id", anyText, "name", anyText, "by", anyText, "sure", yesNo)),
		)
	case ExplainWords:
		answer = objectOf("words", listOf(objectOf("word", anyText, "meaning", anyText, "kind", oneOf("jargon", "saying", "topic", "name", "other"))))
	case JudgeRequest:
		answer = objectOf("decision", oneOf("approve", "reject", "hold"), "reason", anyText, "notify", yesNo, "greeting", yesNo)
	default:
		return nil
	}
	return &Schema{Name: s.Kind.String(), JSON: json.RawMessage(answer)}
}

const (
	anyText   = `{"type":"string"}`
	anyNumber = `{"type":"number"}`
	yesNo     = `{"type":"boolean"}`
)

func listOf(items string) string { return `{"type":"array","items":` + items + `}` }

func oneOf(words ...string) string {
	b, _ := json.Marshal(words)
	return `{"type":"string","enum":` + string(b) + `}`
}

// objectOf returns the schema of an object with these names and schemas, in this order: models write the members in it.
func objectOf(members ...string) string {
	var names, properties []string
	for m := range slices.Chunk(members, 2) {
		names = append(names, `"`+m[0]+`"`)
		properties = append(properties, `"`+m[0]+`":`+m[1])
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}
