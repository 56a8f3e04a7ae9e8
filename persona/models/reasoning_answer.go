package models

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"
)

// read reads an answer that is not streamed, keeps its reasoning, and returns a body with the same bytes.
func (c *conversation) read(body io.ReadCloser, now time.Time) io.ReadCloser {
	text, err := io.ReadAll(io.LimitReader(body, maxLine))
	var answer struct {
		Choices []struct {
			Message struct {
				thinking
				Content json.RawMessage `json:"content"`
				Calls   []callDelta     `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err == nil && json.Unmarshal(text, &answer) == nil && len(answer.Choices) > 0 {
		m := answer.Choices[0].Message
		c.answered(m.thinking, hasText(m.Content), m.Calls, now)
	}
	return readFirst(text, body)
}

func hasText(content json.RawMessage) bool { return !isNull(content) && string(content) != `""` }

// A streamedThinking joins the parts of the reasoning in a stream.
type streamedThinking struct {
	content, reasoning streamedText
	details            []map[string]json.RawMessage
	hasText            bool
	size               int
}

// A streamedText may be empty and still be part of the answer.
type streamedText struct {
	strings.Builder
	present bool
}

func (t *streamedText) add(part json.RawMessage) {
	var text string
	if !isNull(part) && json.Unmarshal(part, &text) == nil {
		t.present = true
		t.WriteString(text)
	}
}

func (t *streamedText) json() json.RawMessage {
	if !t.present {
		return nil
	}
	text, _ := json.Marshal(t.String())
	return text
}

// add adds the parts in a chunk. Above the limit it adds none.
func (s *streamedThinking) add(part thinking, content json.RawMessage) {
	s.hasText = s.hasText || hasText(content)
	if s.size += len(part.ReasoningContent) + len(part.Reasoning) + len(part.Details); s.size > maxReasoning {
		return
	}
	s.content.add(part.ReasoningContent)
	s.reasoning.add(part.Reasoning)
	var details []map[string]json.RawMessage
	_ = json.Unmarshal(part.Details, &details)
	for _, d := range details {
		s.addDetail(d)
	}
}

// addDetail adds a part of OpenRouter's reasoning_details. A block of text or of a summary arrives in parts with the same type
// and index, and ends with its signature, which is valid for the whole block only. Other blocks arrive whole.
func (s *streamedThinking) addDetail(d map[string]json.RawMessage) {
	if n := len(s.details); n > 0 && continues(s.details[n-1], d) {
		last := s.details[n-1]
		for name, value := range d {
			switch {
			case isNull(value):
			case name == "text", name == "summary":
				last[name] = joinText(last[name], value)
			default:
				last[name] = value
			}
		}
		return
	}
	s.details = append(s.details, d)
}

func continues(last, next map[string]json.RawMessage) bool {
	switch string(next["type"]) {
	case `"reasoning.text"`, `"reasoning.summary"`:
		return bytes.Equal(last["type"], next["type"]) && bytes.Equal(last["index"], next["index"]) && isNull(last["signature"])
	}
	return false
}

func joinText(a, b json.RawMessage) json.RawMessage {
	var t streamedText
	t.add(a)
	t.add(b)
	return t.json()
}

// thinking returns the whole reasoning, or none if it was above the limit.
func (s *streamedThinking) thinking() thinking {
	if s.size > maxReasoning {
		return thinking{}
	}
	t := thinking{ReasoningContent: s.content.json(), Reasoning: s.reasoning.json()}
	if len(s.details) > 0 {
		t.Details, _ = json.Marshal(s.details)
	}
	return t
}
