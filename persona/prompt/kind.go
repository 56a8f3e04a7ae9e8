package prompt

import (
	"cmp"
	"fmt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"strings"
)

// A Kind says what a turn is to make of its [Scene]. The zero value decides and writes in one conversation; the others
// are the three that Heart Flow Chat makes of that.
type Kind uint8

const (
	SingleCall Kind = iota // decide, and write or keep silent
	Think                  // a thought of what is going on
	Plan                   // of the thought: what to do, as JSON
	Write                  // of the plan: the words
	Consider               // whether to look at this chat at all, as JSON; no part of a turn

	// What is made of a chat in the background. Nothing of it is ever sent.
	Summarize    // a new summary of the old one and what was said since
	Dream        // what of a day is worth remembering, as JSON: see [ParseInsights]
	UpdatePeople // what to think of the people there, and what they are called, as JSON: see [Profile.ParseRegard]

	// What is made of a [Scene.Request].
	JudgeRequest // whether to grant it, as JSON: see [ParseRequestDecision]
	Greet        // the first words to a new friend

	// What is made of a [Scene.Wake]. The first two may speak; what the others say is archived and shown to nobody.
	Remind             // a timer fired: think of its payload, and speak or keep silent
	PerformTask        // a task is to be done
	MissedTask         // a task came too late: whether to plan it anew, by tools
	ReviewConversation // a talk that is over, in the Recent of the scene: what to mend and what to plan, by tools
	PlanAhead          // nobody talks and nothing is planned: what to mend and what to plan, by tools
	Reflect            // a new inner state of the old one; no tools
	TaskOutcome        // what came of a task, for the history: one line; no tools
	Hearsay            // what others said in a talk with the owner, of answers that tell of chats; no tools
	GlobalReflection   // a new wider thought of what goes on in Background; no tools
)

var partWords = []string{
	"whole", "think", "plan", "write", "consider", "sum_up", "dream", "regard", "judge", "greet",
	"remind", "perform", "missed", "review", "plan_ahead", "reflect", "look", "heard", "muse",
}

var defaultTasks = [...]string{
	Think: DefaultThink, Plan: DefaultPlan, Write: DefaultWrite, Consider: DefaultConsider, Summarize: DefaultSummarize, Dream: DefaultDream,
	UpdatePeople: DefaultUpdatePeople, JudgeRequest: DefaultJudgeRequest, Greet: DefaultGreet, Remind: DefaultRemind, PerformTask: DefaultPerformTask, MissedTask: DefaultMissedTask,
	ReviewConversation: DefaultReviewConversation, PlanAhead: DefaultPlanAhead, Reflect: DefaultReflect, TaskOutcome: DefaultTaskOutcome, Hearsay: DefaultHearsay, GlobalReflection: DefaultGlobalReflection,
}

// aside reports that a part is made in the background, without tools.
func (p Kind) aside() bool {
	return p == Summarize || p == Dream || p == UpdatePeople || p == Reflect || p == TaskOutcome || p == Hearsay || p == GlobalReflection
}

// IsBackgroundTurn reports that a part is a talk with tools that is archived, and shown to nobody.
func (p Kind) IsBackgroundTurn() bool {
	return p == MissedTask || p == ReviewConversation || p == PlanAhead
}

// KindOf is what a turn makes of the wake. [WakeArchive] is for no turn, and has [SingleCall].
func KindOf(w *schedule.Wake) Kind {
	return [...]Kind{schedule.WakeTimer: Remind, schedule.WakeTask: PerformTask, schedule.WakeOutdated: MissedTask, schedule.WakeArchive: SingleCall, schedule.WakeReview: ReviewConversation, schedule.WakeReflect: Reflect, schedule.WakeIdle: PlanAhead}[w.Kind]
}

// String returns whole, think, plan, write, consider, sum_up, dream, regard, judge, greet, remind, perform, missed,
// review, plan_ahead, reflect, look, heard or muse.
func (p Kind) String() string {
	if int(p) < len(partWords) {
		return partWords[p]
	}
	return fmt.Sprintf("Part(%d)", uint8(p))
}

// A Action is something that the being did lately in a chat, and why: what the next thought follows on.
type Action struct{ Name, Reason string }

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

// Instructions are what the model is to do with the context of a part: it stands after it. It is empty for [SingleCall], whose task is
// in the system prompt. The system prompt and the context of the parts of one turn begin alike, so that providers can
// cache them.
func Instructions(s Scene) string {
	if int(s.Kind) >= len(defaultTasks) {
		return ""
	}
	task := cmp.Or(s.Prompts.Text(s.Kind.String()), defaultTasks[s.Kind])
	switch s.Kind {
	case Plan:
		var list strings.Builder
		for _, a := range s.AllowedActions {
			list.WriteString("- " + a + meaning(a) + "\n")
		}
		return strings.ReplaceAll(task, "{actions}", strings.TrimSpace(list.String()))
	case MissedTask, ReviewConversation, PlanAhead:
		return mend(task, s)
	}
	return task
}

// mend says how to mend the documents, where there are any, and what to do with a past that is too long.
func mend(task string, s Scene) string {
	how := ""
	if len(s.Documents) > 0 {
		how = mending
	}
	if s.Condense {
		how += condensing
	}
	return strings.ReplaceAll(task, "{documents}", how)
}
