// Package hfc gives a chat bot focus: it ignores most chats, takes part in some, and gives its full attention to one
// or two. It implements the Heart Flow Chat (HFC, 心流) of MaiBot on top of package heartflow.
//
// A [Flow] is a drop-in replacement for a [heartflow.Attention]. It has one [GlobalState] that changes by time and
// chance. The global state limits how many chats may be [Chatting] and [Focused] at once; all others are [Absent].
// Each chat has an interest: messages raise it, and time lowers it.
//
//	from       to        when
//	Absent     Chatting  once a minute one chat with new messages is drawn, and a Question asks whether to join
//	Absent     Focused   by a chance that depends on interest, drawn every 5 seconds; a private chat at once
//	Chatting   Focused   by the same chance
//	Chatting   Absent    after 30 minutes without an own message
//	Focused    either    the planner leaves, or three silences in a row waited 594 s; half of the time to Chatting
//
// If the global state allows fewer chats than before, the chats without a message for the longest time become Absent.
// A muted chat is Absent, and so is every chat while the account is muted or asleep.
//
// In an Absent chat the bot answers messages that address it. In a Chatting chat a [Willingness] gives each message a
// chance of an answer. In a Focused chat the verdict is Ask with [WhyFocused], and a [Cycle] divides the turn into
// steps: think, plan, act.
//
//	flow, err := hfc.New[int64](hfc.Options{Attention: heartflow.Options{Names: []string{"小炉"}}, Topics: likes})
//	if err != nil {
//		return err
//	}
//	flow.Observe(now, group, message) // every message on arrival
//	if flow.Judge(now, group).Do == heartflow.Silent {
//		return
//	}
//	if flow.ChatState(now, group) == hfc.Focused {
//		for step, ok := flow.NextStep(now, group); ok; step, ok = flow.NextStep(now, group) {
//			flow.FinishStep(now, group, step.ID, do(step)) // write a thought, make a plan, or act by flow.Speak
//		}
//	}
//
// [Flow.Due] returns changes of states, a [Question] for the caller, and wanted turns in chats without new messages.
// Open such a turn with [Flow.BeginTurn]. [Flow.Next] returns when to call Due.
//
// Every change leaves a trace among those of the Attention. [Text] translates the codes of this package into Chinese
// and English. [Cycle], [ParsePlan] and [VaryThought] may be used without a Flow.
//
// # Time
//
// This package has no clock and no goroutine. Times are wall times. A time before the latest one counts as the latest
// one. Each method first applies what is due, in the order of time. After a gap of more than a day, the global state
// simulates only the last day; everything else catches up in bounded time. The same seed and the same calls give the
// same traces, also across [Flow.Snapshot] and [Flow.Restore].
//
// # Concurrency
//
// All methods of a [Flow] may be called concurrently. No lock is held while a function of the [Options] runs. A
// [Cycle] may be used by one goroutine at a time.
//
// # Caveats
//
// The caller must carry out steps and answer questions. A step without a result fails after 100 s. A Question without
// an answer counts as no after the same time. A focus without steps ends after ten minutes. So without a caller the
// bot becomes silent, and no state remains.
//
// A Flow calls models far more often than an Attention with one policy: two or more calls for each cycle of a Focused
// chat, and one for each Question. Quiet hours and the [heartflow.Budget] limit these calls as well.
//
// The constants come from MaiBot 0.6.3. This package differs on purpose where the original had faults. The chance to
// focus stays within 0 and 1. A wait is counted when it ends. Chatting also ends without any own message. A chat is
// not asked about again for ten minutes after a no. Messages that address the bot are answered.
//
// A chat takes about 700 bytes in addition to its Attention. An hour after the last message it takes none.
package hfc
