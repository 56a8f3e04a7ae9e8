package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// A Kind is the task of a model call in a [Scene]. The zero value decides and writes in one conversation. Heart Flow
// Chat splits this into Think, Plan and Write.
type Kind uint8

const (
	SingleCall    Kind = iota // decide; then reply or stay silent
	Think                     // think about the situation
	Plan                      // choose an action after Think; JSON
	Write                     // write the reply after Plan
	Consider                  // decide whether to read this chat at all; JSON; not part of a turn
	ConsiderFocus             // decide whether to give this chat the full attention; JSON; not part of a turn

	// Background calls about a chat. Their output is never sent.
	Summarize    // update the summary with the new messages
	Dream        // extract memories from a day; JSON, see [ParseInsights]
	UpdatePeople // update impressions and nicknames; JSON, see [ParsePeopleUpdate]
	ExplainWords // explain words of a group, listed in Memories; JSON, see [ParseWordMeanings]

	// Calls about a [Scene.Request].
	JudgeRequest // decide about it; JSON, see [ParseRequestDecision]
	Greet        // write the first message to a new friend

	// Calls about a [Scene.Wake]. Remind and PerformTask may send a message. The output of the others is archived and
	// shown to nobody.
	Remind             // a timer fired: reply or stay silent
	PerformTask        // a task is due
	MissedTask         // a task was missed: reschedule it or not; uses tools
	ReviewConversation // a conversation in Recent has ended: edit documents and plan tasks; uses tools
	PlanAhead          // nobody talks and nothing is planned: edit documents and plan tasks; uses tools
	Reflect            // write a new inner state; no tools
	TaskOutcome        // write one line about the result of a task; no tools
	Hearsay            // note statements of other people from a talk with the owner; no tools
	GlobalReflection   // write a new global reflection on Background; no tools
)

var kindNames = []string{
	"whole", "think", "plan", "write", "consider", "consider_focus", "sum_up", "dream", "regard", "explain_words", "judge", "greet",
	"remind", "perform", "missed", "review", "plan_ahead", "reflect", "look", "heard", "muse",
}

var defaultInstructions = [...]string{
	Think: DefaultThink, Plan: DefaultPlan, Write: DefaultWrite, Consider: DefaultConsider, ConsiderFocus: DefaultConsiderFocus, Summarize: DefaultSummarize, Dream: DefaultDream,
	UpdatePeople: DefaultUpdatePeople, ExplainWords: DefaultExplainWords, JudgeRequest: DefaultJudgeRequest, Greet: DefaultGreet, Remind: DefaultRemind, PerformTask: DefaultPerformTask, MissedTask: DefaultMissedTask,
	ReviewConversation: DefaultReviewConversation, PlanAhead: DefaultPlanAhead, Reflect: DefaultReflect, TaskOutcome: DefaultTaskOutcome, Hearsay: DefaultHearsay, GlobalReflection: DefaultGlobalReflection,
}

// isBackgroundCall reports whether this is a background call without tools.
func (p Kind) isBackgroundCall() bool {
	return p == Summarize || p == Dream || p == UpdatePeople || p == ExplainWords || p == Reflect || p == TaskOutcome || p == Hearsay || p == GlobalReflection
}

// IsBackgroundTurn reports whether this is a background turn: it uses tools, and its output is archived and shown to
// nobody.
func (p Kind) IsBackgroundTurn() bool {
	return p == MissedTask || p == ReviewConversation || p == PlanAhead
}

// KindOf returns the Kind for a wake. It returns [SingleCall] for [schedule.WakeArchive], because an archive needs no
// model call.
func KindOf(w *schedule.Wake) Kind {
	return [...]Kind{schedule.WakeTimer: Remind, schedule.WakeTask: PerformTask, schedule.WakeOutdated: MissedTask, schedule.WakeArchive: SingleCall, schedule.WakeReview: ReviewConversation, schedule.WakeReflect: Reflect, schedule.WakeIdle: PlanAhead}[w.Kind]
}

// String returns whole, think, plan, write, consider, consider_focus, sum_up, dream, regard, explain_words, judge, greet, remind, perform,
// missed, review, plan_ahead, reflect, look, heard or muse.
func (p Kind) String() string {
	if int(p) < len(kindNames) {
		return kindNames[p]
	}
	return fmt.Sprintf("Kind(%d)", uint8(p))
}

// An Action is a recent action of the bot in a chat and the reason for it.
type Action struct{ Name, Reason string }

// actionHelp returns the explanation of a plan's action. It is empty for a self-explanatory action.
func actionHelp(action string) string {
	switch action {
	case "text_reply":
		return "：说一段话（可以带一个表情）"
	case "emoji_reply":
		return "：只发一个表情"
	case "react":
		return "：不说话，只给叫你的那条消息（没人叫你就是最后一条）贴一个表情"
	case "no_reply":
		return "：不说话，等新的消息"
	case "exit_focus_mode":
		return "：不再专心看这里，去做别的"
	}
	return ""
}

// Instructions returns the instructions for the scene's Kind. Append them to the context. They are empty for
// [SingleCall], because the system prompt contains its task. All calls of one turn have the same system prompt and
// context, so that providers can cache them.
func Instructions(s Scene) string {
	if int(s.Kind) >= len(defaultInstructions) {
		return ""
	}
	task := cmp.Or(s.Prompts.Text(s.Kind.String()), defaultInstructions[s.Kind])
	switch s.Kind {
	case Plan:
		var list strings.Builder
		for _, a := range s.AllowedActions {
			list.WriteString("- " + a + actionHelp(a) + "\n")
		}
		if len(s.Faces) > 0 && slices.Contains(s.AllowedActions, "react") {
			list.WriteString("选 react 时，JSON 里加上 \"face\"，写表情的名字，只能是：" + strings.Join(s.Faces, "、"))
		}
		return strings.ReplaceAll(task, "{actions}", strings.TrimSpace(list.String()))
	case MissedTask, ReviewConversation, PlanAhead:
		return fillDocuments(task, s)
	}
	return task
}

// fillDocuments replaces {documents} with the instructions for editing documents and for condensing past tasks, if needed.
func fillDocuments(task string, s Scene) string {
	how := ""
	if len(s.Documents) > 0 {
		how = editDocuments
	}
	if s.Condense {
		how += condenseTasks
	}
	return strings.ReplaceAll(task, "{documents}", how)
}
