package persona

import (
	"fmt"
	"strings"
)

// A Part says what a turn is to make of its [Scene]. The zero value decides and writes in one conversation; the others
// are the three that Heart Flow Chat makes of that.
type Part uint8

const (
	Whole    Part = iota // decide, and write or keep silent
	Think                // a thought of what is going on
	Plan                 // of the thought: what to do, as JSON
	Write                // of the plan: the words
	Consider             // whether to look at this chat at all, as JSON; no part of a turn
)

// String returns whole, think, plan, write or consider.
func (p Part) String() string {
	if names := [...]string{"whole", "think", "plan", "write", "consider"}; int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("Part(%d)", uint8(p))
}

// A Deed is something that the being did lately in a chat, and why: what the next thought follows on.
type Deed struct{ Did, Why string }

// meaning explains an action of a plan; empty for one that its name has to explain.
func meaning(action string) string {
	switch action {
	case "text_reply":
		return "：说一段话（可以带一个表情）"
	case "emoji_reply":
		return "：只发一个表情"
	case "no_reply":
		return "：不说话，等新的消息"
	case "exit_focus_mode":
		return "：不再专心看这里，去做别的"
	}
	return ""
}

// Task is what the model is to do with the context of a part: it stands after it. It is empty for [Whole], whose task is
// in the system prompt. The system prompt and the context of the parts of one turn begin alike, so that providers can
// cache them.
func (p Profile) Task(s Scene) string {
	switch s.Part {
	case Think:
		return either(s.Prompts.Think, DefaultThink)
	case Plan:
		var list strings.Builder
		for _, a := range s.Allowed {
			list.WriteString("- " + a + meaning(a) + "\n")
		}
		return strings.ReplaceAll(either(s.Prompts.Plan, DefaultPlan), "{actions}", strings.TrimSpace(list.String()))
	case Write:
		return either(s.Prompts.Write, DefaultWrite)
	case Consider:
		return either(s.Prompts.Consider, DefaultConsider)
	}
	return ""
}

func either(own, given string) string {
	if own != "" {
		return own
	}
	return given
}
