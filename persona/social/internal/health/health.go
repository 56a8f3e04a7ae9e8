// Package health writes the state of links and of the budget for people, in Chinese and in English.
package health

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Writer writes in a language at a time.
type Writer struct {
	English  bool
	Now      time.Time
	Location *time.Location // of times; nil: local
}

// text returns the text in the language.
func (w Writer) text(chinese, english string) string {
	if w.English {
		return english
	}
	return chinese
}

// Duration returns a duration in its largest unit: 12 秒, 3 分钟, 5 小时, 2 天.
func (w Writer) Duration(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprint(int(d.Seconds()), w.text(" 秒", " s"))
	case d < time.Hour:
		return fmt.Sprint(int(d.Minutes()), w.text(" 分钟", " min"))
	case d < 48*time.Hour:
		return fmt.Sprint(int(d.Hours()), w.text(" 小时", " h"))
	}
	return fmt.Sprint(int(d.Hours()/24), w.text(" 天", " days"))
}

// ago returns how long ago a time was.
func (w Writer) ago(t time.Time) string {
	return w.Duration(w.Now.Sub(t)) + w.text("前", " ago")
}

// Clock returns a time with its date, for it may be read on another day.
func (w Writer) Clock(t time.Time) string {
	const layout = "01-02 15:04"
	if w.Location == nil {
		return t.Local().Format(layout)
	}
	return t.In(w.Location).Format(layout)
}

// State returns whether a link is up, since when, and what is wrong.
func (w Writer) State(h trace.LinkHealth) string {
	s := w.text("在线", "online")
	if !h.Online {
		s = w.text("断开", "offline")
	}
	if !h.Since.IsZero() {
		s += w.text("，已 ", " for ") + w.Duration(w.Now.Sub(h.Since))
	}
	if h.Problem != "" && !h.Online {
		s += w.text("：", ": ") + h.Problem
	}
	return s
}

// Latency returns the round trip times of calls in milliseconds, and how many calls had no answer.
func (w Writer) Latency(h trace.LinkHealth) string {
	s := w.text("还没有调用", "no calls yet")
	if h.Calls > 0 {
		s = fmt.Sprintf(w.text("%s / %s 毫秒", "%s / %s ms"), milliseconds(h.P50), milliseconds(h.P95))
	}
	if h.TimedOut > 0 {
		s += fmt.Sprintf(w.text("，%d 次没等到", ", %d timed out"), h.TimedOut)
	}
	return s
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprint(d.Milliseconds())
}

// Heartbeat returns when the last heartbeat was, or without any when anything arrived.
func (w Writer) Heartbeat(h trace.LinkHealth) string {
	switch {
	case !h.Heartbeat.IsZero():
		return w.ago(h.Heartbeat)
	case !h.Heard.IsZero():
		return w.text("没有；", "none; heard ") + w.ago(h.Heard) + w.text("有消息", "")
	}
	return w.text("没有", "none")
}

// Reconnects returns how often a link came back, and when and why it was lost last.
func (w Writer) Reconnects(h trace.LinkHealth) string {
	s := fmt.Sprintf(w.text("%d 次", "%d"), h.Reconnects)
	if h.Lost.IsZero() {
		return s
	}
	s += fmt.Sprintf(w.text("，上次断在 %s", ", last lost at %s"), w.Clock(h.Lost))
	if h.LostReason != "" {
		s += w.text("：", ": ") + h.LostReason
	}
	return s
}

// Queue returns the depth of the queue with its memory and limit.
func (w Writer) Queue(h trace.LinkHealth) string {
	s := fmt.Sprint(h.Queued)
	if h.QueueLimit > 0 {
		s += fmt.Sprintf(w.text("（%s / %s MB）", " (%s / %s MB)"), megabytes(h.QueuedBytes), megabytes(h.QueueLimit))
	}
	return s
}

func megabytes(bytes int) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<20)), ".0")
}

// Link returns the state of a link in a sentence.
func (w Writer) Link(h trace.LinkHealth) string {
	parts := []string{strings.TrimSpace(h.Self.Platform + " " + h.Self.ID), w.State(h)}
	if h.Calls > 0 || h.TimedOut > 0 {
		parts = append(parts, w.text("延迟 ", "latency ")+w.Latency(h))
	}
	if h.Reconnects > 0 {
		parts = append(parts, w.text("重连 ", "reconnects ")+w.Reconnects(h))
	}
	if h.Queued > 0 || h.Dropped > 0 {
		parts = append(parts, fmt.Sprintf(w.text("排队 %d，丢了 %d", "%d queued, %d dropped"), h.Queued, h.Dropped))
	}
	return strings.Join(parts, w.text("，", ", "))
}

// effects say what stops at each level of the budget.
var effects = [...][2]string{
	heartflow.LevelSaving:       {"先省着用：少插些话，少看些旧消息，每次只想一遍", "saving: fewer interjections, shorter prompts, one model call a reply"},
	heartflow.LevelNoJudge:      {"没人叫就不说话了，后台的整理和安排也先停下；叫我还是会答", "no interjections and no background work; whoever calls me is answered"},
	heartflow.LevelMentionsOnly: {"只回 @、回复、叫名字和私聊", "only mentions, replies, my name and private chats are answered"},
	heartflow.LevelOff:          {"不再用模型，叫我也不答了", "no model calls: nobody is answered"},
}

// Level returns what a level of the budget stops.
func (w Writer) Level(l heartflow.Level) string {
	if l == heartflow.LevelFull || int(l) >= len(effects) {
		return w.text("不受限制", "no restriction")
	}
	return w.text(effects[l][0], effects[l][1])
}

// Budget returns what the budget restricts now and until when.
func (w Writer) Budget(s heartflow.BudgetState) string {
	if s.Level == heartflow.LevelFull {
		return w.Level(s.Level)
	}
	window := w.text("最近一小时", "The last hour")
	if s.Daily {
		window = w.text("最近一天", "The last day")
	}
	return fmt.Sprintf(w.text("%s的模型额度用了 %.0f%%。%s。最早 %s 恢复", "%s used %.0f%% of its budget: %s. It ends at %s at the earliest"), window, 100*s.Share, w.Level(s.Level), w.Clock(s.Until))
}

// Number returns a number with separators between thousands.
func Number(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Used returns a used number with its limit. A limit of 0 or less is none.
func (w Writer) Used(used, limit int) string {
	if limit <= 0 {
		return Number(used) + w.text("（不限）", " (no limit)")
	}
	return fmt.Sprintf(w.text("%s / %s（%.0f%%）", "%s / %s (%.0f%%)"), Number(used), Number(limit), 100*float64(used)/float64(limit))
}

// Allowance returns how many messages the platform permits in a chat.
func (w Writer) Allowance(a trace.Allowance) string {
	if a.Refused != "" {
		return w.text("现在发不了：", "Nothing may be sent: ") + a.Refused
	}
	var parts []string
	if a.Replies > 0 {
		parts = append(parts, fmt.Sprintf(w.text("还能回复 %d 条，到 %s 为止", "%d replies, until %s"), a.Replies, w.Clock(a.RepliesUntil)))
	}
	if a.Day > 0 {
		parts = append(parts, fmt.Sprintf(w.text("主动消息这一分钟还有 %d 条，一天内还有 %d 条", "%d messages without a reply this minute, %d in a day"), a.Minute, a.Day))
	}
	return strings.Join(parts, w.text("；", "; "))
}
