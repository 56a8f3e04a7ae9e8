package offline

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A wake is why the being acts though nobody asked.
type wake struct {
	kind string
	late bool
	text string // a timer's
	task task
}

type task struct{ title, plan string }

// remind says what a timer was set for.
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

// quoted is what a plan means to say.
var quoted = regexp.MustCompile(`「(.+?)」`)

// perform speaks of the task, in two pieces.
func (s scene) perform() string {
	t, words := s.wake.task, "这是之前说好的。"
	if in := quoted.FindStringSubmatch(t.plan); in != nil {
		words = in[1]
	}
	if s.mode != "agent" {
		return "说好的事：" + t.title + "。" + words
	}
	return "<item>主人，我记着这件事：" + t.title + "。</item><item>" + words + "</item>"
}

// notices is a notice on the owner's device, for a task that is about their health.
func (s scene) notices(part string) []call {
	if t := s.wake.task; part == "做计划好的事" && s.mode == "agent" && has(t.title, "休息") {
		return []call{{"add_notification", map[string]any{"title": "休息一下", "content": "坐了很久了，起来走走。"}}}
	}
	return nil
}

const again = "补做："

// missed plans a task anew, once.
func (m Model) missed(s scene) []call {
	title := s.wake.task.title
	if title == "" || strings.HasPrefix(title, again) {
		return nil
	}
	return []call{m.plan(time.Hour, again+title, "没赶上，还是想做", s.wake.task.plan)}
}

// ideas are what the rules come upon when nobody talks: each once.
var ideas = []struct {
	title, why, how string
	in              time.Duration
}{
	{"问问主人进展", "主人在忙，想知道顺不顺利", "说「顺利吗？不急着回我。」", time.Hour},
	{"提醒主人休息一下", "坐得太久对身体不好", "说「起来走走吧，水也喝一口。」", 2 * time.Hour},
	{"陪主人回顾今天", "一天快过去了，想一起看看", "说「今天最开心的是什么？」", 3 * time.Hour},
}

// planAhead notes what the owner has been doing, and plans the next thing that it has not done yet.
func (m Model) planAhead(s scene) (calls []call) {
	if c, ok := s.note(seen(s.events)); ok {
		calls = append(calls, c)
	}
	for _, idea := range ideas {
		if !slices.ContainsFunc(s.tasks, func(t task) bool { return strings.TrimPrefix(t.title, again) == idea.title }) {
			return append(calls, m.plan(idea.in, idea.title, idea.why, idea.how))
		}
	}
	return calls
}

// seen is the line of the events that says most: the first that is a piece of it.
func seen(events string) string {
	for l := range strings.Lines(events) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "- ") {
			return "今天在用：" + clip.Ellipsis(strings.TrimPrefix(l, "- "), 40)
		}
	}
	return ""
}

// review keeps what the owner said of themselves.
func (m Model) review(s scene) (calls []call) {
	for _, l := range s.recent {
		if l.own || !has(l.text, "我喜欢", "我家", "我的", "我叫", "生日") || has(l.text, "？", "?", "吗", "提醒") {
			continue
		}
		if c, ok := s.note("说过：" + clip.Ellipsis(l.text, 40)); ok {
			return append(calls, c)
		}
	}
	return calls
}

// about is where the character document says what is known of the owner.
const about = "## 对主人的了解"

// note is a patch that adds a line to that, unless it is there.
func (s scene) note(text string) (call, bool) {
	text = strings.Join(strings.Fields(text), " ")
	doc, ok := s.papers["character_state"]
	if text == "" || strings.Contains(doc, text) || !ok && s.mode != "agent" {
		return call{}, false
	}
	return call{"apply_patch_to_character_state", map[string]any{
		"patch": "*** Begin Patch\n@@ " + about + "\n+- " + text + "\n*** End Patch",
	}}, true
}

// What closes a talk of the background.
const (
	idled  = "想了想，没有要做的。"
	minded = "想好了，记下来了。"
)

// reflect is a feeling by rule: who was there.
func (s scene) reflect() string {
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

// look is one line on a task that was done.
func (s scene) look() string {
	return "「" + s.wake.task.title + "」做了，主人应该听见了。"
}

// heard keeps nothing of what others said.
func (s scene) heard() string { return "[skip]" }

func (s scene) muse() string { return "大家都在过自己的日子，我也在。" }
