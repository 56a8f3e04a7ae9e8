// Package trace holds the records of what a bot does: messages, decisions, turns, calls of models and tools, sends, other acts and the
// state of the link.
// The Watch method of a bot in package persona/social sends them as they happen. Package persona/social/inspect shows them.
//
// Records may contain words of every chat and of the owner's memory. Show them to the owner only.
package trace

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// An Event is something that happened. Exactly one of the fields after Chat is set. Do not change the values behind the pointers.
type Event struct {
	Seq  uint64 // 1, 2, 3, …, in the order of events since the bot was made
	At   time.Time
	Chat persona.Chat // zero: the whole account

	Message  *persona.Message // was received or sent, and is in the journal
	Decision *heartflow.Trace
	Turn     *Turn
	Call     *Call
	Tool     *Tool
	Sent     *Sent
	Link     *Link
	Act      *Act

	Retracted string // a message that its author took back: its Key, without the @ and the time at the end
	Erased    bool   // data was erased: drop all records that may contain it, also derived ones
}

// A Turn is one run of a job: from the reason to act to the last message. It is reported when it begins and when it has ended.
type Turn struct {
	ID       string // of the job
	Kind     string // of the job: "batch", "look", "timer", "task", …
	Began    time.Time
	Ended    time.Time         // zero while it runs
	Decision uint64            // Seq of the decision that let it begin; 0: none
	Messages []persona.Message // that it answers
	Caller   string            // key of the message that called; "" for none
	Received time.Time         // when the bot received that message; without one, the last of Messages; zero for none
	Outcome  string            // "spoke", "silent", "error: …", …; "" while it runs
	Label    memory.Label      // join of the labels of all data that it has read
}

// A Call is one call of a model.
type Call struct {
	Turn   string // ID of the turn; "" for a call without one
	Began  time.Time
	System string           // the system prompt
	Prompt []prompt.Segment // the first message to the model
	Steps  []Step           // what follows it: tool calls and their results, or a repair
	Tools  []string         // names of the tools that were offered
	Answer string
	Asked  []Step // tools that the answer calls
	Failed string // why there is no answer; "" if there is one
	Finish string // why the model stopped, in the provider's words, such as "stop" or "tool_calls"; "" if it did not say

	heartflow.ModelCall
}

// A Step is one message of a conversation after the prompt.
type Step struct {
	Role string // "ai", "tool" or "human"
	Name string // of the tool; "" if it is none
	Text string // words, arguments or result
}

// A Tool is one call of a tool by a model.
type Tool struct {
	Turn      string // ID of the turn
	ID        string // of the call; "" if the model gave none
	Name      string // of the tool; "unknown" if the turn has no tool with the name that the model asked for
	Began     time.Time
	Took      time.Duration // with the wait for a confirmation
	Arguments string
	Result    string // as the model sees it
	Outcome   string // a nit.Outcome: "done", "refused", "failed", …
	ReadOnly  bool   // the tool changes nothing
}

// A Sent is an attempt to send a message.
type Sent struct {
	Turn    string // ID of the turn
	Text    string
	ReplyTo string
	ID      string // of the message; "" if it was not sent or the platform gave none
	Failed  string // why it was not sent; "" if it was
	Unclear bool   // it may have been sent
}

// A Link is the state of the connection to a platform.
type Link struct {
	Online bool
	Self   persona.Account // of the link; zero if unknown
	Reason string          // why it is offline; may be ""
}

// An Act is something that the bot did that is no message, turn or tool call. Kind says what:
//
//	"timer", "task", "outdated", "archive", "review", "reflect", "idle"
//	           an autonomous run, named like its schedule.WakeKind: Text is the timer's text or the task's title, or the number of
//	           archived messages
//	"outcome"  the bot noted the outcome of a task: Text is its title
//	"notice"   a notice to the owner: Text
//	"command"  the owner's command in the app: Text
type Act struct {
	Kind    string
	Text    string
	Outcome string // what came of it: a message, a thought, a result; "" for nothing
	Failed  string // why it failed; "" if it did not
	Turn    string // ID of the turn; "" for none
	Late    bool   // an autonomous run that came late
}
