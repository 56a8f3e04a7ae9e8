package offline

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A wake is the reason of an autonomous action.
type wake struct {
	kind string
	late bool
	text string // of a timer
	task task
}

type task struct{ title, plan string }

// remind returns the text of a due timer.
func (s scene) remind() string {
	if s.wake.text == "" {
		return "[skip]"
	}
	who := ""
	if s.mode == "agent" {
		who = "主人，"
	}
	if s.wake.late {
		return who + "这件事我说晚了：" + s.wake.text
	}
	return who + "到时间了：" + s.wake.text
}

// quoted matches the words to say in a plan.
var quoted = regexp.MustCompile(`「(.+?)」`)

// performTask returns two messages about the task.
func (s scene) performTask() string {
	t, words := s.wake.task, "这是之前说好的。"
	if in := quoted.FindStringSubmatch(t.plan); in != nil {
		words = in[1]
	}
	if s.mode != "agent" {
		return "说好的事：" + t.title + "。" + words
	}
	return "<item>主人，我记着这件事：" + t.title + "。</item><item>" + words + "</item>"
}

// screenNotices returns a notification on the owner's device for a task about a break.
func (s scene) screenNotices(part string) []call {
	if t := s.wake.task; part == "做计划好的事" && s.mode == "agent" && containsAny(t.title, "休息") {
		return []call{{"add_notification", map[string]any{"title": "休息一下", "content": "坐了很久了，起来走走。"}}}
	}
	return nil
}

const again = "补做："

// replanMissedTask schedules a missed task again, once.
func (m Model) replanMissedTask(s scene) []call {
	title := s.wake.task.title
	if title == "" || strings.HasPrefix(title, again) {
		return nil
	}
	return []call{m.taskCall(time.Hour, again+title, "没赶上，还是想做", s.wake.task.plan)}
}

// ideas are the tasks that the rules plan in idle time, each unless the prompt lists it already.
var ideas = []struct {
	title, why, how string
	in              time.Duration
}{
	{"问问主人进展", "主人在忙，想知道顺不顺利", "说「顺利吗？不急着回我。」", time.Hour},
	{"提醒主人休息一下", "坐得太久对身体不好", "说「起来走走吧，水也喝一口。」", 2 * time.Hour},
	{"陪主人回顾今天", "一天快过去了，想一起看看", "说「今天最开心的是什么？」", 3 * time.Hour},
}

// planAhead notes the owner's activity and schedules the next idea.
func (m Model) planAhead(s scene) (calls []call) {
	if c, ok := s.notePatch(firstActivity(s.events)); ok {
		calls = append(calls, c)
	}
	for _, idea := range ideas {
		if !slices.ContainsFunc(s.tasks, func(t task) bool { return strings.TrimPrefix(t.title, again) == idea.title }) {
			return append(calls, m.taskCall(idea.in, idea.title, idea.why, idea.how))
		}
	}
	return calls
}

// firstActivity returns the first activity in the events.
func firstActivity(events string) string {
	for l := range strings.Lines(events) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "- ") {
			return "今天在用：" + clip.Ellipsis(strings.TrimPrefix(l, "- "), 40)
		}
	}
	return ""
}

// review notes statements of the owner about themselves.
func (m Model) review(s scene) (calls []call) {
	for _, l := range s.recent {
		if l.own || !containsAny(l.text, "我喜欢", "我家", "我的", "我叫", "生日") || containsAny(l.text, "？", "?", "吗", "提醒") {
			continue
		}
		if c, ok := s.notePatch("说过：" + clip.Ellipsis(l.text, 40)); ok {
			return append(calls, c)
		}
	}
	return calls
}

// ownerHeading is the section of the character document with facts about the owner.
const ownerHeading = "## 对主人的了解"

// notePatch returns a patch that adds a line to that section, if it is new.
func (s scene) notePatch(text string) (call, bool) {
	text = strings.Join(strings.Fields(text), " ")
	doc, ok := s.documents["character_state"]
	if text == "" || strings.Contains(doc, text) || !ok && s.mode != "agent" {
		return call{}, false
	}
	return call{"apply_patch_to_character_state", map[string]any{
		"patch": "*** Begin Patch\n@@ " + ownerHeading + "\n+- " + text + "\n*** End Patch",
	}}, true
}

// Last texts of a background turn.
const (
	nothingToDo   = "想了想，没有要做的。"
	thoughtsNoted = "想好了，记下来了。"
)

// reflectOnChat returns a feeling about the people in the chat.
func (s scene) reflectOnChat() string {
	names := []string{}
	for _, l := range s.recent {
		if !l.own && l.sender != "" && !slices.Contains(names, l.sender) && len(names) < 5 {
			names = append(names, l.sender)
		}
	}
	if len(names) == 0 {
		return "安安静静的，心里也静。"
	}
	return "刚才和" + strings.Join(names, "、") + "说了话，心里是暖的。"
}

// writeOutcome returns a line about a finished task.
func (s scene) writeOutcome() string {
	return "「" + s.wake.task.title + "」做了，主人应该听见了。"
}

// noteOthers notes nothing from the words of others.
func (s scene) noteOthers() string { return "[skip]" }

func (s scene) reflectGlobally() string { return "大家都在过自己的日子，我也在。" }
