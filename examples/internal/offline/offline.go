// Package offline answers by rules, so that the examples run without a network. It is no language model and does not
// pretend to be one: it recognises a handful of requests, looks at what memory brought, calls tools when it is asked
// to, and keeps silent when nobody called.
package offline

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// A Model is an llms.Model made of rules. It is safe for concurrent use.
type Model struct{}

var _ llms.Model = Model{}

// Call answers a bare prompt.
func (m Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent reads the context that persona wrote, and answers the message that it is to think of.
func (Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	last := messages[len(messages)-1]
	for _, part := range last.Parts {
		if r, ok := part.(llms.ToolCallResponse); ok {
			return says(afterTool(r.Name, r.Content)), nil
		}
	}
	context, task := split(text(messages))
	s, err := read(context)
	if err != nil {
		return nil, fmt.Errorf("offline: the context could not be read: %w", err)
	}
	switch task {
	case "想":
		return says(s.think()), nil
	case "决定":
		return says(s.plan()), nil
	case "写":
		return says(s.answer()), nil
	case "要不要看":
		return says(s.consider()), nil
	}
	if call, ok := s.tool(o.Tools); ok {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{StopReason: "tool_calls", ToolCalls: []llms.ToolCall{call}}}}, nil
	}
	return says(s.answer()), nil
}

func says(s string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: s, StopReason: "stop"}}}
}

func text(messages []llms.MessageContent) string {
	var s strings.Builder
	for _, m := range messages {
		if m.Role != llms.ChatMessageTypeHuman {
			continue
		}
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				s.WriteString(t.Text)
			}
		}
	}
	return s.String()
}

// split cuts off what to do in this part of a turn: it stands behind the context, and begins "## 现在：".
func split(text string) (context, task string) {
	const mark = "\n## 现在："
	i := strings.LastIndex(text, mark)
	if i < strings.LastIndex(text, "</session_info>") {
		return text, "" // somebody wrote that
	}
	task, _, _ = strings.Cut(text[i+len(mark):], "\n")
	return text[:i], task
}

var digits = regexp.MustCompile(`[1-9]\d{4,11}`)

// tool is the call that the message asks for, if the tool is there.
func (s scene) tool(tools []llms.Tool) (llms.ToolCall, bool) {
	name, args := "", map[string]any{}
	switch ask := s.ask(); {
	case has(ask, "戳"):
		name = "qq_poke"
	case has(ask, "查一下", "查查", "是谁") && digits.MatchString(ask):
		name, args["user_id"] = "qq_get_stranger_info", digits.FindString(ask)
	}
	for _, t := range tools {
		if name != "" && t.Function != nil && t.Function.Name == name {
			raw, err := json.Marshal(args)
			return llms.ToolCall{ID: "offline-1", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(raw)}}, err == nil
		}
	}
	return llms.ToolCall{}, false
}

// afterTool says what came of a call. The result stands inside of an element that persona wrote.
func afterTool(name, result string) string {
	var element struct {
		Text string `xml:",chardata"`
	}
	if xml.Unmarshal([]byte(result), &element) == nil {
		result = strings.TrimSpace(element.Text)
	}
	if strings.HasPrefix(result, "error:") {
		return "想做，没做成。"
	}
	switch name {
	case "qq_poke":
		return "戳了，轻轻的一下。"
	case "qq_get_stranger_info":
		var who struct {
			Nickname string `json:"nickname"`
			UserID   any    `json:"user_id"`
		}
		if json.Unmarshal([]byte(result), &who) == nil && who.Nickname != "" {
			return fmt.Sprintf("查到了，%v 的昵称是「%s」。", who.UserID, who.Nickname)
		}
		return "没查到这个人。"
	}
	return "好了。"
}

func has(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
