package prompt

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// What a model is told when the turn, not the toolbox, refuses a call.
const (
	overLimit = "这一轮的工具调用次数已经用完，请直接回复。"
	malformed = "调用格式不对。"
	noTool    = "没有这个工具。"
	broken    = "工具出错了。"
)

// answer runs the calls of one step, in order, and adds them and their results to the conversation. Every call gets
// its answer, also one that was not run: providers insist on that.
func (c *conversation) answer(ctx context.Context, text string, calls []llms.ToolCall) error {
	said := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	if text != "" {
		said.Parts = append(said.Parts, llms.TextContent{Text: text})
	}
	echoed := make([]llms.ToolCall, len(calls))
	for i, call := range calls {
		echoed[i] = c.echo(call)
		said.Parts = append(said.Parts, echoed[i])
	}
	c.messages = append(c.messages, said)
	for i, call := range calls {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("persona: turn: %w", err)
		}
		call.ID, call.Type = echoed[i].ID, echoed[i].Type
		c.messages = append(c.messages, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: call.ID, Name: echoed[i].FunctionCall.Name, Content: c.result(ctx, call, echoed[i].FunctionCall.Name)},
		}})
	}
	return nil
}

// result runs one call and wraps what came of it: what a tool brings in was written by anybody. name is the tool's in the conversation.
func (c *conversation) result(ctx context.Context, call llms.ToolCall, name string) string {
	switch {
	case call.FunctionCall == nil || call.FunctionCall.Name == "":
		return malformed
	case c.turn.Toolbox == nil:
		return noTool
	case c.reply.Calls >= c.calls:
		return overLimit
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

// wrapResult makes a tool's result one element: <tool_result name="…">…</tool_result>.
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

// unknown stands in the place of a name that the model made up, which may repeat what others wrote.
const unknown = "unknown"

// echo gives a call as it stands in the conversation from now on. Providers refuse a request whose calls have no id, a
// repeated one, no function, or arguments that are no JSON; the toolbox gets name and arguments as they came.
func (c *conversation) echo(call llms.ToolCall) llms.ToolCall {
	f := llms.FunctionCall{Name: unknown, Arguments: "{}"}
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
		c.made++
		id = fmt.Sprintf("call_%d", c.made)
	}
	c.ids[id] = true
	call.Type = cmp.Or(call.Type, "function")
	return llms.ToolCall{ID: id, Type: call.Type, FunctionCall: &f}
}
