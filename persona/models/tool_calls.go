package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A callDelta is a streamed part of a tool call.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"` // Gemini's signature
}

// toolCalls assembles tool calls from their parts. The parts of a call have its index, but some servers send no index or
// always 0, and some repeat id or name in each part. A part with a new id and a name always begins a call.
type toolCalls struct {
	list []*toolCall
	size int
}

type toolCall struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

const (
	maxCallBytes = 1 << 20 // bytes of all calls of one answer
	maxCallCount = 256
)

var errCalls = errors.New("models: the tool calls of one answer are too large")

func (c *toolCalls) add(deltas []callDelta) error {
	for _, d := range deltas {
		at := c.find(d)
		if at == nil {
			at = &toolCall{index: len(c.list)}
			if d.Index != nil {
				at.index = *d.Index
			}
			c.list = append(c.list, at)
		}
		at.id = cmp.Or(at.id, d.ID)
		at.name = cmp.Or(at.name, d.Function.Name)
		at.arguments.WriteString(d.Function.Arguments)
		if !isNull(d.Extra) {
			at.extra = d.Extra
		}
		if c.size += len(d.Extra) + len(d.ID) + len(d.Function.Name) + len(d.Function.Arguments); c.size > maxCallBytes || len(c.list) > maxCallCount {
			return errCalls
		}
	}
	return nil
}

// find returns the call of a part, or nil if the part begins a call.
func (c *toolCalls) find(d callDelta) *toolCall {
	for _, at := range slices.Backward(c.list) {
		switch {
		case d.ID != "" && at.id == d.ID:
			return at
		case d.Index != nil && *d.Index != at.index:
		case d.ID != "" && at.id != "" && d.Function.Name != "", d.Index == nil && d.ID == "" && d.Function.Name != "":
			return nil
		default:
			return at
		}
	}
	return nil
}

// maxChunkArguments limits the bytes of arguments in one chunk. langchaingo reads lines of at most 64 KiB, and JSON may
// need six bytes for one.
const maxChunkArguments = 8 << 10

// flush returns the calls, and the same calls as chunks that langchaingo's client joins correctly: a chunk with a type begins a
// call, and one without a type continues the last.
func (c *toolCalls) flush() (calls []callDelta, chunks [][]byte) {
	slices.SortStableFunc(c.list, func(a, b *toolCall) int { return a.index - b.index })
	for _, at := range c.list {
		call := callDelta{ID: at.id, Extra: at.extra}
		call.Function.Name, call.Function.Arguments = at.name, at.arguments.String()
		calls = append(calls, call)
		arguments, rest := splitArguments(call.Function.Arguments)
		chunks = append(chunks, toolCallChunk(map[string]any{"id": at.id, "type": "function", "function": map[string]string{"name": at.name, "arguments": arguments}}))
		for rest != "" {
			arguments, rest = splitArguments(rest)
			chunks = append(chunks, toolCallChunk(map[string]any{"function": map[string]string{"arguments": arguments}}))
		}
	}
	c.list = nil
	return calls, chunks
}

func splitArguments(s string) (head, rest string) {
	head = clip.Bytes(s, maxChunkArguments)
	return head, s[len(head):]
}

func toolCallChunk(c map[string]any) []byte {
	text, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{c}}}}})
	return text
}
