package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A callDelta is a part of a call of a tool, as it is streamed.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// calls puts calls of tools together from their parts. The parts of a call have its index; but some servers give none, or
// 0 to every call, and some repeat id or name in each part: a part with a new id and a name begins a call in any case.
type calls struct {
	list []*call
	size int
}

type call struct {
	index     int
	id, name  string
	arguments strings.Builder
}

const (
	maxCalls     = 1 << 20 // bytes of all calls of one answer
	maxCallCount = 256
)

var errCalls = errors.New("models: the tool calls of one answer are too large")

func (c *calls) add(deltas []callDelta) error {
	for _, d := range deltas {
		at := c.find(d)
		if at == nil {
			at = &call{index: len(c.list)}
			if d.Index != nil {
				at.index = *d.Index
			}
			c.list = append(c.list, at)
		}
		at.id = cmp.Or(at.id, d.ID)
		at.name = cmp.Or(at.name, d.Function.Name)
		at.arguments.WriteString(d.Function.Arguments)
		if c.size += len(d.ID) + len(d.Function.Name) + len(d.Function.Arguments); c.size > maxCalls || len(c.list) > maxCallCount {
			return errCalls
		}
	}
	return nil
}

// find gives the call that a part belongs to, or nil if it begins one.
func (c *calls) find(d callDelta) *call {
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

// most is how many bytes of arguments go into one chunk: a scanner of langchaingo takes 64 KiB a line, and JSON may need
// six bytes for one.
const most = 8 << 10

// take gives the calls as chunks that langchaingo's client puts together rightly: one with a type begins a call, and
// what has none is appended to the last.
func (c *calls) take() [][]byte {
	slices.SortStableFunc(c.list, func(a, b *call) int { return a.index - b.index })
	var chunks [][]byte
	for _, at := range c.list {
		arguments, rest := split(at.arguments.String())
		chunks = append(chunks, chunkOf(map[string]any{"id": at.id, "type": "function", "function": map[string]string{"name": at.name, "arguments": arguments}}))
		for rest != "" {
			arguments, rest = split(rest)
			chunks = append(chunks, chunkOf(map[string]any{"function": map[string]string{"arguments": arguments}}))
		}
	}
	c.list = nil
	return chunks
}

func split(s string) (head, rest string) {
	head = clip.Bytes(s, most)
	return head, s[len(head):]
}

func chunkOf(c map[string]any) []byte {
	text, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{c}}}}})
	return text
}
