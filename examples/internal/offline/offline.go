// Package offline answers by rules, so that the examples run without a network. It is no language model and does not
// pretend to be one: it recognises a handful of requests, looks at what memory brought, calls tools when it is asked
// to, and keeps silent when nobody called.
package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/tmc/langchaingo/llms"
)

// A Model is an llms.Model made of rules. It is safe for concurrent use.
type Model struct {
	Speed float64 // days pass so much faster than the clock goes, so that times to wait for are shorter; 0 means 1
}

var _ llms.Model = Model{}

// Call answers a bare prompt.
func (m Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent reads the context that persona wrote, and answers the message that it is to think of.
func (m Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	context, part := split(text(messages))
	s, err := read(context)
	if err != nil {
		return nil, fmt.Errorf("offline: the context could not be read: %w", err)
	}
	for _, of := range messages[len(messages)-1].Parts {
		if r, ok := of.(llms.ToolCallResponse); ok {
			return m.after(s, part, r, o.Tools), nil
		}
	}
	if resp, ok := ask(o.Tools, s.notices(part)...); ok {
		return resp, nil
	}
	if say, ok := parts[part]; ok {
		return says(say(s)), nil
	}
	if think, ok := background[part]; ok {
		if resp, ok := ask(o.Tools, think(m, s)...); ok {
			return resp, nil
		}
		return says(idled), nil
	}
	if c, ok := m.tool(s); ok {
		if resp, ok := ask(o.Tools, c); ok {
			return resp, nil
		}
	}
	return says(s.answer()), nil
}

// parts are what is said by the heading that says what to do; [background] what is done.
var parts = map[string]func(scene) string{
	"想": scene.think, "决定": scene.plan, "写": scene.answer, "要不要看": scene.consider,
	"记": scene.sumUp, "梦": scene.dream, "看人": scene.regard, "判断申请": scene.judge, "打招呼": scene.greet,
	"想起来": scene.remind, "做计划好的事": scene.perform, "体会": scene.reflect, "记下结果": scene.look, "记下听来的": scene.heard, "往大处想": scene.muse,
}

var background = map[string]func(Model, scene) []call{"没赶上的事": Model.missed, "回想": Model.review, "打算": Model.planAhead}

// after goes on from the result of a tool.
func (m Model) after(s scene, part string, r llms.ToolCallResponse, tools []llms.Tool) *llms.ContentResponse {
	if _, ok := background[part]; ok {
		return says(minded)
	}
	if c, ok := m.follow(s, r); ok {
		if resp, ok := ask(tools, c); ok {
			return resp
		}
	}
	said := afterTool(r.Name, r.Content)
	if c, ok := m.reminder(strip(s.ask())); ok && said == willRemind {
		said = strings.TrimSuffix(said, "。") + "：" + fmt.Sprint(c.args["content"])
	}
	return says(said)
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
	i := strings.LastIndex(text, "\n"+mark)
	if i <= strings.LastIndex(text, "</session_info>") {
		return text, "" // there is none, or somebody wrote that
	}
	return text[:i], PartOf(text[i+1:])
}

const mark = "## 现在："

// PartOf is the part of a turn that a prompt is for.
func PartOf(prompt string) string {
	head, _, _ := strings.Cut(prompt, "\n")
	return strings.TrimPrefix(head, mark)
}

// Part is the part of a turn that a model is asked for; empty: the whole.
func Part(messages []llms.MessageContent) string {
	_, part := split(text(messages))
	return part
}

var digits = regexp.MustCompile(`[1-9]\d{4,11}`)

// tool is the call that the message asks for.
func (m Model) tool(s scene) (call, bool) {
	l := s.thought()
	ask := strings.TrimSpace(strip(l.text))
	if s.mode == "agent" {
		if c, ok := m.command(ask); ok {
			if c.tool == "qq_group_ban" && c.args["group_id"] == nil {
				return call{"qq_get_group_list", map[string]any{}}, true
			}
			return c, true
		}
	}
	switch {
	case has(l.text, "戳"):
		return call{"qq_poke", map[string]any{}}, true
	case has(l.text, "查一下", "查查", "是谁") && digits.MatchString(l.text):
		return call{"qq_get_stranger_info", map[string]any{"user_id": digits.FindString(l.text)}}, true
	case s.mode != "agent" && has(l.text, "主人") && has(l.text, "告诉", "转告", "找", "在吗", "急"):
		return call{"notify_master", map[string]any{"content": l.sender + "在找你：" + clip.Ellipsis(ask, 60)}}, true
	}
	return m.reminder(ask)
}

// Result is what came of a call, inside of an element that persona wrote.
func Result(content string) string {
	var element struct {
		Text string `xml:",chardata"`
	}
	if xml.Unmarshal([]byte(content), &element) == nil {
		return strings.TrimSpace(element.Text)
	}
	return content
}

const willRemind = "好，到时候叫你。"

// afterTool says what came of a call.
func afterTool(name, content string) string {
	text := Result(content)
	if strings.HasPrefix(text, "error:") {
		return "想做，没做成。"
	}
	if name == "qq_get_stranger_info" {
		var who struct {
			Nickname string `json:"nickname"`
			UserID   any    `json:"user_id"`
		}
		if json.Unmarshal([]byte(text), &who) == nil && who.Nickname != "" {
			return fmt.Sprintf("查到了，%v 的昵称是「%s」。", who.UserID, who.Nickname)
		}
		return "没查到这个人。"
	}
	return cmp.Or(done[name], "好了。")
}

// done is what is said of a call by its tool.
var done = map[string]string{
	"qq_poke": "戳了，轻轻的一下。", "qq_get_group_list": "在哪个群？说一下群名。", "qq_send_text": "带到了。", "qq_group_ban": "办好了。",
	"notify_master": "好，我去告诉主人。", "set_timer": willRemind, "add_notification": "我在你屏幕上留了一条提醒。", "add_schedule": "记下了，到时候去做。",
}

func has(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
