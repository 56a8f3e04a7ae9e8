// Package hfc is Heart Flow Chat over package heartflow: a being that looks at few chats at a time, chats along in some,
// and gives its full attention to one or two.
//
// A [Flow] is a [heartflow.Attention] with more to its verdicts: put it where the Attention was. It has one global state
// ([GlobalState]) that changes by time and chance and says how many chats may be in [Chatting] and in [Focused] at once; the
// rest is [Absent]. For each chat it keeps an [interest] that messages raise and time lowers.
//
//	Absent  → Chat     once a minute one chat in which something was said is drawn; a Question asks whether to join
//	Absent  → Focused  by the chance that interest gives, drawn every 5 seconds; a private chat at once
//	Chat    → Focused  by the same chance
//	Chat    → Absent   30 minutes without own words
//	Focused → either   the planner leaves, or three silences in a row that waited 594 s; half of the time to Chat
//
// All of it within the limits of the global state: where that falls, the chats go first in which nobody spoke for
// longest. A chat that is muted, and every chat of an account that is closed or asleep, is Absent.
//
// In a chat that is Absent the being answers who calls it. In Chat a [Willingness] gives each message a chance. In
// Focused a [Cycle] thinks, plans and acts: the verdict is Ask for [WhyFocused], and the turn is made of steps.
//
//	heart, err := hfc.New[int64](hfc.Options{Attention: heartflow.Options{Names: []string{"小炉"}}, Topics: likes})
//	if err != nil {
//		return err
//	}
//	heart.Hear(now, group, message) // as it arrives
//	if heart.Judge(now, group).Do == heartflow.Silent {
//		return
//	}
//	if heart.ChatState(now, group) == hfc.Focused {
//		for ask, ok := heart.Step(now, group); ok; ask, ok = heart.Step(now, group) {
//			heart.Answer(now, group, ask.ID, do(ask)) // a thought, a plan, or the plan carried out by heart.Speak
//		}
//	}
//
// What it wants by itself it tells by [Flow.Due]: changes of state, a [Question] that somebody should answer, and a turn
// in a chat where nobody has written, which begins with [Flow.BeginTurn]. [Flow.Next] says when to ask.
//
// Every change leaves a trace among those of the Attention; [Text] says the codes of this package in Chinese and
// English.
//
// # Time
//
// There is no clock and no goroutine. Times are wall times, a step back counts as the latest time seen, and what was due
// happens first, in order. Of a gap of more than a day the global state lives through the last day only; all else has a
// bound of its own. The same seed and the same calls give the same traces, also over [Flow.Snapshot] and [Flow.Restore].
//
// [Cycle], [ParsePlan] and [VaryThought] may be used without a Flow.
//
// # Caveats
//
// Somebody has to do what is asked. A step that nobody answers fails after 100 s, a Question is a no then, and a focus
// whose steps nobody asks for ends after ten minutes: without a host all of it falls silent and nothing stays behind.
//
// The Flow asks models far more often than an Attention with one policy does: two and more calls for each cycle of a
// Focused chat, one for each Question. Quiet hours and the [heartflow.Budget] hold for those as well.
//
// The constants are those of MaiBot 0.6.3, whose Heart Flow this follows. It differs on purpose where that had faults:
// the chance to focus stays within 0 and 1, a wait is counted when it ends, Chat ends also where nothing was said at all,
// a chat that was looked at and left alone is not looked at again for ten minutes, and who calls is answered.
//
// A chat takes about 700 bytes above its Attention's while something is said in it, and nothing an hour after.
package hfc
