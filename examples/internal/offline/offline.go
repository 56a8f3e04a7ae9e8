// Package offline is a fake model of fixed rules, so that the examples run without a network. It recognizes some requests, uses
// the recalled memories and calls tools. If nobody addresses the bot, it continues a talk with it, joins one about its
// interests, or is silent.
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

// A Model is an llms.Model of fixed rules. It is safe for concurrent use.
type Model struct {
	Interests []string // topics that it joins a talk about; none means that it speaks only if it is addressed

	Speed float64 // simulated time passes this many times faster, so delays are shorter; 0 means 1
}

var _ llms.Model = Model{}

// Call implements llms.Model.
func (m Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent parses persona's context and answers its target message.
func (m Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	prompt := text(messages)
	context, part := splitTask(prompt)
	s, err := read(context)
	if err != nil {
		return nil, fmt.Errorf("offline: the context could not be read: %w", err)
	}
	s.interests, s.mayLeave = m.Interests, strings.Contains(prompt[len(context):], "exit_focus_mode")
	s.mayReact = strings.Contains(prompt[len(context):], "\n- react")
	for _, of := range messages[len(messages)-1].Parts {
		if r, ok := of.(llms.ToolCallResponse); ok {
			return m.afterToolResult(s, part, r, o.Tools), nil
		}
	}
	if resp, ok := callTools(o.Tools, s.screenNotices(part)...); ok {
		return resp, nil
	}
	if part == planning { // a plan may act by tools
		if c, ok := m.toolFor(s); ok {
			if resp, ok := callTools(o.Tools, c); ok {
				return resp, nil
			}
		}
	}
	if say, ok := replies[part]; ok {
		return textResponse(say(s)), nil
	}
	if think, ok := backgroundCalls[part]; ok {
		if resp, ok := callTools(o.Tools, think(m, s)...); ok {
			return resp, nil
		}
		return textResponse(nothingToDo), nil
	}
	if c, ok := m.toolFor(s); ok {
		if resp, ok := callTools(o.Tools, c); ok {
			return resp, nil
		}
	}
	return textResponse(s.answer()), nil
}

// replies returns the text for each task heading of a prompt, and backgroundCalls the tool calls.
var replies = map[string]func(scene) string{
	"想": scene.think, planning: scene.plan, "写": scene.write, "要不要看": scene.shouldReply,
	"记": scene.summarize, "梦": scene.dream, "看人": scene.updatePeople, "群里的说法": scene.explainWords, "判断申请": scene.decideRequest, "打招呼": scene.greet,
	"想起来": scene.remind, "做计划好的事": scene.performTask, "体会": scene.reflectOnChat, "记下结果": scene.writeOutcome, "记下听来的": scene.noteOthers, "往大处想": scene.reflectGlobally,
}

const planning = "决定"

var backgroundCalls = map[string]func(Model, scene) []call{"没赶上的事": Model.replanMissedTask, "回想": Model.review, "打算": Model.planAhead}

// afterToolResult returns the answer after a tool result.
func (m Model) afterToolResult(s scene, part string, r llms.ToolCallResponse, tools []llms.Tool) *llms.ContentResponse {
	if _, ok := backgroundCalls[part]; ok {
		return textResponse(thoughtsNoted)
	}
	if c, ok := m.followUp(s, r); ok {
		if resp, ok := callTools(tools, c); ok {
			return resp
		}
	}
	said := resultText(r.Name, r.Content)
	if c, ok := m.reminderCall(stripMention(s.request())); ok && said == willRemind {
		said = strings.TrimSuffix(said, "。") + "：" + fmt.Sprint(c.args["content"])
	}
	if l := s.targetMessage(); l.isPoke() && said == resultTexts["qq_poke"] {
		said = l.sender + "，戳回去了。"
	}
	if part == planning {
		return textResponse(toJSON(map[string]string{"action": "text_reply", "reasoning": planned(said)}))
	}
	return textResponse(said)
}

func textResponse(s string) *llms.ContentResponse {
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

// splitTask splits a prompt into context and task. The task follows the context under the heading "## 现在：".
func splitTask(text string) (context, task string) {
	i := strings.LastIndex(text, "\n"+taskHeading)
	if i <= strings.LastIndex(text, "</session_info>") {
		return text, "" // there is no task, or a message contains the heading
	}
	return text[:i], TaskOf(text[i+1:])
}

const taskHeading = "## 现在："

// TaskOf returns the task in the heading of a prompt.
func TaskOf(prompt string) string {
	head, _, _ := strings.Cut(prompt, "\n")
	return strings.TrimPrefix(head, taskHeading)
}

// TaskIn returns the task of the last prompt. The empty task is a turn in a single call.
func TaskIn(messages []llms.MessageContent) string {
	_, part := splitTask(text(messages))
	return part
}

var digits = regexp.MustCompile(`[1-9]\d{4,11}`)

// toolFor returns the tool call that the target message asks for.
func (m Model) toolFor(s scene) (call, bool) {
	l := s.targetMessage()
	ask := strings.TrimSpace(stripMention(l.text))
	if s.mode == "agent" {
		if c, ok := m.ownerCommand(ask); ok {
			if c.tool == "qq_group_ban" && c.args["group_id"] == nil {
				return call{"qq_get_group_list", map[string]any{}}, true
			}
			return c, true
		}
	}
	lookingForOwner := s.mode != "agent" && containsAny(l.text, "主人") && containsAny(l.text, "告诉", "转告", "找", "在吗", "急")
	switch {
	case !s.isAddressed() && !lookingForOwner:
		return call{}, false
	case containsAny(l.text, "戳"):
		return call{"qq_poke", map[string]any{}}, true
	case containsAny(l.text, "查一下", "查查", "是谁") && digits.MatchString(l.text):
		return call{"qq_get_stranger_info", map[string]any{"user_id": digits.FindString(l.text)}}, true
	case lookingForOwner:
		return call{"notify_master", map[string]any{"content": l.sender + "在找你：" + clip.Ellipsis(ask, 60)}}, true
	}
	return m.reminderCall(ask)
}

// Result returns the text of a tool result inside of persona's element.
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

// resultText returns the reply to a tool result.
func resultText(name, content string) string {
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
	return cmp.Or(resultTexts[name], "好了。")
}

// resultTexts are the replies to successful calls, by tool.
var resultTexts = map[string]string{
	"qq_poke": "戳了，轻轻的一下。", "qq_get_group_list": "在哪个群？说一下群名。", "qq_send_text": "带到了。", "qq_group_ban": "办好了。",
	"notify_master": "好，我去告诉主人。", "set_timer": willRemind, "add_notification": "我在你屏幕上留了一条提醒。", "add_schedule": "记下了，到时候去做。",
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
