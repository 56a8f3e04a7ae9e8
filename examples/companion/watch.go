package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/tmc/langchaingo/llms"
)

// A loggedModel adds the tool calls of a model to the event log.
type loggedModel struct {
	models.Retrier
	events *eventLog
}

// GenerateContent calls the model.
func (w loggedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	w.addResults(messages)
	resp, err := w.Retrier.GenerateContent(ctx, messages, options...)
	if err == nil && len(resp.Choices) > 0 && offline.TaskIn(messages) == outcomeTask {
		w.events.add(kindReflection, "", "%s", resp.Choices[0].Content)
	}
	return resp, err
}

// A delayedModel waits before each call.
type delayedModel struct {
	models.Retrier
	delay time.Duration
}

// GenerateContent calls the model after the delay.
func (s delayedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if s.delay > 0 && !program.Wait(ctx, s.delay) {
		return nil, ctx.Err()
	}
	return s.Retrier.GenerateContent(ctx, messages, options...)
}

// addResults adds the latest tool results. Each result appears once, in the next request.
func (w loggedModel) addResults(messages []llms.MessageContent) {
	asked := map[string]*llms.FunctionCall{}
	var latest []llms.ToolCallResponse
	for _, m := range messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llms.ToolCall:
				asked[part.ID] = part.FunctionCall
				latest = nil
			case llms.ToolCallResponse:
				latest = append(latest, part)
			}
		}
	}
	for _, r := range latest {
		args := ""
		if call := asked[r.ToolCallID]; call != nil {
			args = call.Arguments
		}
		w.events.addToolCall(r.Name, args, offline.Result(r.Content))
	}
}

// addToolCall adds a tool call with effects. Calls that only read are left out.
func (d *eventLog) addToolCall(tool, args, result string) {
	if strings.HasPrefix(result, "error:") {
		d.add(kindFailed, "", "%s %s", tool, strings.TrimSpace(strings.TrimPrefix(result, "error:")))
		return
	}
	var in struct {
		Patch   string `json:"patch"`
		When    string `json:"when"`
		Content any    `json:"content"`
		Target  any    `json:"target_id"`
		User    any    `json:"user_id"`
		Delay   int    `json:"delay_seconds"`
	}
	_ = json.Unmarshal([]byte(args), &in) // missing fields are not shown
	switch tool {
	case "apply_patch_to_character_state", "apply_patch_to_history_tasks":
		d.add(kindPatch, "", "%s", changedLines(in.Patch))
	case "set_timer":
		d.add(kindDid, "", "定时 %s：%v", d.clock.spec(in.When), in.Content)
	case "add_schedule":
		title := ""
		if c, ok := in.Content.(map[string]any); ok {
			title, _ = c["title"].(string)
		}
		d.add(kindDid, "", "计划 %s 后：%s", d.clock.spec(fmt.Sprint(in.Delay, "s")), title)
	case "delete_schedule", "cancel_timer", "set_slot", "set_scratch", "set_inner_state", "character_ops":
		d.add(kindDid, "", "%s %s", tool, args)
	case "notify_master": // the report has its own entry
	case "qq_send_text":
		d.add(kindDid, "", "QQ 上发给 %v：%v", in.Target, in.Content)
	case "qq_group_ban", "qq_group_kick", "qq_group_card", "qq_delete_message", "qq_delete_friend", "qq_poke":
		d.add(kindDid, "", "QQ 上 %s", result)
	}
}

// changedLines returns the lines that a patch removes or adds.
func changedLines(patch string) string {
	var lines []string
	for l := range strings.Lines(patch) {
		if l = strings.TrimRight(l, "\r\n"); strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// outcomeTask is the task heading for the outcome of a scheduled task.
var outcomeTask = offline.TaskOf(prompt.DefaultTaskOutcome)

// addAutonomous adds an autonomous action of the bot.
func (d *eventLog) addAutonomous(l social.WakeResult) {
	where := ""
	if l.Wake.Origin.Mode == persona.Persona && l.Wake.Origin.Chat != (persona.Chat{}) {
		where = l.Wake.Origin.Chat.String()
	}
	var found speech.ItemParser
	text := strings.Join(append(found.Write(l.Text), found.Close()...), " / ")
	if text == "" {
		text = "（什么也没说）"
	}
	if l.Wake.Reason.Late {
		text += "（晚了）"
	}
	if l.Err != nil {
		d.add(kindFailed, where, "%v: %v", l.Wake.Kind, l.Err)
		return
	}
	switch l.Wake.Kind {
	case schedule.WakeTimer:
		d.add(kindTimer, where, "%s → %s", l.Wake.Timer.Timer.Payload, text)
	case schedule.WakeTask:
		d.add(kindTask, where, "%s → %s", l.Wake.Task.Title, text)
	case schedule.WakeOutdated:
		d.add(kindOutdated, where, "%s → %s", l.Wake.Task.Title, text)
	case schedule.WakeArchive:
		d.add(kindArchive, where, "一段话说完了，%d 句", l.Wake.Conversation.Messages)
	case schedule.WakeReview:
		d.add(kindBackground, where, "回想 → %s", text)
	case schedule.WakeIdle:
		d.add(kindBackground, where, "打算 → %s", text)
	case schedule.WakeReflect:
		d.add(kindReflection, where, "%s", text)
	}
}

// addDecision adds a message of the bot on QQ.
func (d *eventLog) addDecision(t heartflow.Trace) {
	if t.Kind == heartflow.KindSpeak && t.Do == heartflow.Speak {
		d.add(kindSaid, t.Chat, "%s", t.Text)
	}
}
