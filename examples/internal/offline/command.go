package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// A call is a tool call.
type call struct {
	tool string
	args map[string]any
}

// Patterns of the owner's commands, in Chinese and English.
var (
	tells         = regexp.MustCompile(`(?i)^(?:告诉|转告|tell)\s*([^\s，,：:]+)[\s，,：:]+(?:that\s+)?(.+)$`)
	sayIn         = regexp.MustCompile(`^在\s*([^\s，,：:]+?)\s*里?说[\s，,：:]*(.+)$`)
	mutes         = regexp.MustCompile(`(?i)^(?:在\s*(\S+?)\s*里?)?把\s*(\S+?)\s*禁言|^()禁言\s*([^\s\d，,]+)|^()mute\s+(\S+)`)
	unmutes       = regexp.MustCompile(`(?i)^(?:在\s*(\S+?)\s*里?)?解除\s*(\S+?)\s*的?禁言|^()unmute\s+(\S+)`)
	inGroup       = regexp.MustCompile(`(?i)\sin\s+(\S+)$`)
	reminds       = regexp.MustCompile(`(?i)(?:提醒|叫)(?:我|大家|一下)*|remind\s+me(?:\s+to)?`)
	daily         = regexp.MustCompile(`^每天\s*(早上|上午|中午|下午|晚上)?\s*(\d+|[一二两三四五六七八九十]+)\s*点(半)?\s*(?:提醒|叫)我?(.+)$`)
	reminderWords = regexp.MustCompile(`(?i)^\s*(?:later\s+)?(?:to\s+)?(?:以后|之后|后)?|\s*\bin\s*$`)
)

// ownerCommand returns the tool call for a command of the owner, if it is recognized.
func (m Model) ownerCommand(ask string) (call, bool) {
	if c, ok := m.reminderCall(ask); ok {
		return c, true
	}
	if to := tells.FindStringSubmatch(ask); to != nil {
		return call{"qq_send_text", map[string]any{"target_id": to[1], "content": to[2]}}, true
	}
	if to := sayIn.FindStringSubmatch(ask); to != nil {
		return call{"qq_send_text", map[string]any{"target_id": to[1], "content": to[2]}}, true
	}
	if who := unmutes.FindStringSubmatch(ask); who != nil {
		return m.muteCall(ask, who, 0), true
	}
	if who := mutes.FindStringSubmatch(ask); who != nil {
		d, _, _, ok := findDuration(ask)
		if !ok {
			d = 10 * time.Minute
		}
		return m.muteCall(ask, who, d), true
	}
	if d, before, behind, ok := findDuration(ask); ok && before == "" {
		for _, after := range []string{"以后", "之后", "后"} {
			if title, ok := strings.CutPrefix(strings.TrimSpace(behind), after); ok {
				return m.taskCall(d, title, "主人交代的", "到时候主动去做，做完告诉主人"), true
			}
		}
	}
	return call{}, false
}

// muteCall returns a call that mutes a member. Each alternative of the patterns has two submatches: group and member.
func (m Model) muteCall(ask string, found []string, d time.Duration) call {
	group, who := "", ""
	for i := 1; i+1 < len(found); i += 2 {
		if found[i+1] != "" {
			group, who = found[i], found[i+1]
		}
	}
	if in := inGroup.FindStringSubmatch(ask); in != nil {
		group = in[1]
	}
	args := map[string]any{"user_id": who, "duration": int(d.Seconds())} // in real time, because QQ ends it
	if group != "" {
		args["group_id"] = group
	}
	return call{"qq_group_ban", args}
}

// reminderCall returns a timer for requests like "半小时后提醒我喝水", "remind me in 20 min to stretch" or "每天早上八点提醒我吃药".
func (m Model) reminderCall(ask string) (call, bool) {
	if at := daily.FindStringSubmatch(ask); at != nil {
		hour, minute := int(number(at[2])), 0
		if (at[1] == "下午" || at[1] == "晚上") && hour < 12 {
			hour += 12
		}
		if at[3] != "" {
			minute = 30
		}
		return call{"set_timer", map[string]any{"when": fmt.Sprintf("cron:%d %d * * *", minute, hour%24), "content": strings.TrimSpace(at[4])}}, true
	}
	at := reminds.FindStringIndex(ask)
	d, _, _, ok := findDuration(ask)
	if at == nil || !ok {
		return call{}, false
	}
	what := ask[at[1]:]
	if _, before, behind, ok := findDuration(what); ok && strings.TrimSpace(reminderWords.ReplaceAllString(before, "")) == "" {
		what = behind
	}
	what = strings.Trim(reminderWords.ReplaceAllString(what, ""), " ，,。")
	if what == "" {
		return call{}, false
	}
	return call{"set_timer", map[string]any{"when": m.timer(d), "content": what}}, true
}

// taskCall returns a call that schedules a task.
func (m Model) taskCall(d time.Duration, title, motivation, how string) call {
	return call{"add_schedule", map[string]any{
		"delay_seconds": m.seconds(d), "outdated_seconds": m.seconds(d) + m.seconds(6*time.Hour),
		"content": map[string]any{"title": strings.Trim(title, " ，,。"), "motivation": motivation, "plan": how, "expected_outcome": "主人知道有人惦记着"},
	}}
}

// followUp returns the next call after a tool result. A command without a group applies to the only group.
func (m Model) followUp(s scene, r llms.ToolCallResponse) (call, bool) {
	if r.Name != "qq_get_group_list" {
		return call{}, false
	}
	c, ok := m.ownerCommand(s.request())
	var page struct {
		Total int `json:"total"`
		Items []struct {
			ID json.Number `json:"group_id"`
		} `json:"items"`
	}
	if !ok || c.tool != "qq_group_ban" || json.Unmarshal([]byte(Result(r.Content)), &page) != nil || page.Total != 1 || len(page.Items) != 1 {
		return call{}, false
	}
	c.args["group_id"] = page.Items[0].ID.String()
	return c, true
}

// callTools returns a response with those calls whose tools are offered.
func callTools(offered []llms.Tool, calls ...call) (*llms.ContentResponse, bool) {
	c := &llms.ContentChoice{StopReason: "tool_calls"}
	for i, want := range calls {
		for _, t := range offered {
			if t.Function == nil || t.Function.Name != want.tool {
				continue
			}
			raw, err := json.Marshal(want.args)
			if err == nil {
				c.ToolCalls = append(c.ToolCalls, llms.ToolCall{
					ID: fmt.Sprint("offline-", i+1), Type: "function", FunctionCall: &llms.FunctionCall{Name: want.tool, Arguments: string(raw)},
				})
			}
			break
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{c}}, len(c.ToolCalls) > 0
}
