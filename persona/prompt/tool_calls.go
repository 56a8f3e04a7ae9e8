package prompt

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/tmc/langchaingo/llms"
)

// Results of calls that the turn rejects itself.
const (
	overLimit = "这一轮的工具调用次数已经用完，请直接回复。"
	malformed = "调用格式不对。"
	noTool    = "没有这个工具。"
	broken    = "工具出错了。"
)

// answer runs the calls of one step in order, and appends the calls and their results to the messages. Every call gets
// a result, even if it was not run, because providers require it.
func (c *conversation) answer(ctx context.Context, text string, calls []llms.ToolCall) error {
	said := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	if text != "" {
		said.Parts = append(said.Parts, llms.TextContent{Text: text})
	}
	echoed := make([]llms.ToolCall, len(calls))
	for i, call := range calls {
		echoed[i] = c.normalizeCall(call)
		said.Parts = append(said.Parts, echoed[i])
	}
	c.messages = append(c.messages, said)
	for i, call := range calls {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("prompt: turn: %w", err)
		}
		call.ID, call.Type = echoed[i].ID, echoed[i].Type
		c.messages = append(c.messages, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: call.ID, Name: echoed[i].FunctionCall.Name, Content: c.result(ctx, call, echoed[i].FunctionCall.Name)},
		}})
	}
	return nil
}

// result runs one call and returns its wrapped result. The result is untrusted. name is the tool's name in the
// messages.
func (c *conversation) result(ctx context.Context, call llms.ToolCall, name string) string {
	switch {
	case call.FunctionCall == nil || call.FunctionCall.Name == "":
		return malformed
	case c.turn.Toolbox == nil:
		return noTool
	case c.reply.Calls >= c.maxCalls:
		return overLimit
	}
	if l := c.turn.Logger; l != nil && name == unknownTool {
		l.WarnContext(ctx, "prompt: the model called a tool that does not exist", "tool", clip.Ellipsis(call.FunctionCall.Name, 64),
			"advice", "it was told so and goes on; use another model if it happens often")
	}
	c.reply.Calls++
	content, ok := c.call(ctx, call)
	if !ok {
		return broken
	}
	return wrapResult(name, content, cmp.Or(c.turn.MaxResult, defaultResult))
}

func (c *conversation) call(ctx context.Context, call llms.ToolCall) (content string, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.log(ctx, "a tool panicked", p)
			content, ok = "", false
		}
	}()
	return c.turn.Toolbox.Call(ctx, call).Content, true
}

// wrapResult wraps a result as <tool_result name="…">…</tool_result>.
func wrapResult(name, content string, limit int) string {
	if limit < 0 {
		limit = len(content)
	}
	var m markup
	m.buf.Grow(len(name) + min(len(content), 4*limit) + 48)
	m.raw("<tool_result")
	m.attr(` name="`, name, maxName)
	m.raw(">")
	if m.text(content, limit) {
		m.raw("\n")
		m.text("…（结果太长，后文略）", limit)
	}
	m.raw("</tool_result>")
	return m.buf.String()
}

// cutResult returns a wrapped result of at most limit runes and its end tag.
func cutResult(wrapped string, limit int) string {
	short := clip.Runes(wrapped, limit)
	if short == wrapped {
		return wrapped
	}
	if i := strings.LastIndexByte(short, '&'); i > strings.LastIndexByte(short, ';') { // a part of an escaped character
		short = short[:i]
	}
	return short + "…</tool_result>"
}

// unknownTool replaces invented tool names, because they may repeat untrusted text.
const unknownTool = "unknown"

// normalizeCall returns a call in a form that providers accept. They reject calls without an id, with a duplicate id, without a
// function, or with invalid JSON arguments. The toolbox still gets the original name and arguments.
func (c *conversation) normalizeCall(call llms.ToolCall) llms.ToolCall {
	f := llms.FunctionCall{Name: unknownTool, Arguments: "{}"}
	if given := call.FunctionCall; given != nil {
		if slices.ContainsFunc(c.tools, func(t llms.Tool) bool { return t.Function != nil && t.Function.Name == given.Name }) {
			f.Name = given.Name
		}
		if json.Valid([]byte(given.Arguments)) {
			f.Arguments = given.Arguments
		}
	}
	id := call.ID
	for id == "" || c.ids[id] {
		c.madeIDs++
		id = fmt.Sprintf("call_%d", c.madeIDs)
	}
	c.ids[id] = true
	call.Type = cmp.Or(call.Type, "function")
	return llms.ToolCall{ID: id, Type: call.Type, FunctionCall: &f}
}
