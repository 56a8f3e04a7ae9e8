package prompt

import (
	"cmp"
	"fmt"
	"github.com/hearth-bot/hearth/persona/schedule"
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

	// What is made of a chat in the background. Nothing of it is ever sent.
	SumUp  // a new summary of the old one and what was said since
	Dream  // what of a day is worth remembering, as JSON: see [ParseInsights]
	Regard // what to think of the people there, and what they are called, as JSON: see [Profile.ParseRegard]

	// What is made of a [Scene.Petition].
	Judge // whether to grant it, as JSON: see [ParseJudgement]
	Greet // the first words to a new friend

	// What is made of a [Scene.Wake]. The first two may speak; what the others say is archived and shown to nobody.
	Remind    // a timer fired: think of its payload, and speak or keep silent
	Perform   // a task is to be done
	Missed    // a task came too late: whether to plan it anew, by tools
	Review    // a talk that is over, in the Recent of the scene: what to mend and what to plan, by tools
	PlanAhead // nobody talks and nothing is planned: what to mend and what to plan, by tools
	Reflect   // a new inner state of the old one; no tools
	Look      // what came of a task, for the history: one line; no tools
	Heard     // what others said in a talk with the owner, of answers that tell of chats; no tools
	Muse      // a new wider thought of what goes on in Background; no tools
)

var partWords = []string{
	"whole", "think", "plan", "write", "consider", "sum_up", "dream", "regard", "judge", "greet",
	"remind", "perform", "missed", "review", "plan_ahead", "reflect", "look", "heard", "muse",
}

var defaultTasks = [...]string{
	Think: DefaultThink, Plan: DefaultPlan, Write: DefaultWrite, Consider: DefaultConsider, SumUp: DefaultSumUp, Dream: DefaultDream,
	Regard: DefaultRegard, Judge: DefaultJudge, Greet: DefaultGreet, Remind: DefaultRemind, Perform: DefaultPerform, Missed: DefaultMissed,
	Review: DefaultReview, PlanAhead: DefaultPlanAhead, Reflect: DefaultReflect, Look: DefaultLook, Heard: DefaultHeard, Muse: DefaultMuse,
}

// aside reports that a part is made in the background, without tools.
func (p Part) aside() bool {
	return p == SumUp || p == Dream || p == Regard || p == Reflect || p == Look || p == Heard || p == Muse
}

// Background reports that a part is a talk with tools that is archived, and shown to nobody.
func (p Part) Background() bool { return p == Missed || p == Review || p == PlanAhead }

// PartOf is what a turn makes of the wake. [WakeArchive] is for no turn, and has [Whole].
func PartOf(w *schedule.Wake) Part {
	return [...]Part{schedule.WakeTimer: Remind, schedule.WakeTask: Perform, schedule.WakeOutdated: Missed, schedule.WakeArchive: Whole, schedule.WakeReview: Review, schedule.WakeReflect: Reflect, schedule.WakeIdle: PlanAhead}[w.Kind]
}

// String returns whole, think, plan, write, consider, sum_up, dream, regard, judge, greet, remind, perform, missed,
// review, plan_ahead, reflect, look, heard or muse.
func (p Part) String() string {
	if int(p) < len(partWords) {
		return partWords[p]
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

// Instructions are what the model is to do with the context of a part: it stands after it. It is empty for [Whole], whose task is
// in the system prompt. The system prompt and the context of the parts of one turn begin alike, so that providers can
// cache them.
func Instructions(s Scene) string {
	if int(s.Part) >= len(defaultTasks) {
		return ""
	}
	task := cmp.Or(s.Prompts.Text(s.Part.String()), defaultTasks[s.Part])
	switch s.Part {
	case Plan:
		var list strings.Builder
		for _, a := range s.Allowed {
			list.WriteString("- " + a + meaning(a) + "\n")
		}
		return strings.ReplaceAll(task, "{actions}", strings.TrimSpace(list.String()))
	case Missed, Review, PlanAhead:
		return mend(task, s)
	}
	return task
}

// mend says how to mend the documents, where there are any, and what to do with a past that is too long.
func mend(task string, s Scene) string {
	how := ""
	if len(s.Papers) > 0 {
		how = mending
	}
	if s.Condense {
		how += condensing
	}
	return strings.ReplaceAll(task, "{documents}", how)
}
