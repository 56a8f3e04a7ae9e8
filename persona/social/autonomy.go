package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/tmc/langchaingo/llms"
)

// Autonomy lets the bot act without being addressed. Turns can set timers and plan tasks, and the bot runs them
// later. When no conversation is going on and nothing is planned, a background turn plans ahead. 3 minutes after the
// last message of a conversation a background turn reviews it. Both happen at most 4 times an hour. After every 10
// messages the bot writes a reflection, its inner state. A conversation with the owner, in the app or in a private
// chat, delays tasks until it ends. Other conversations delay a task by 10 minutes at most. These are the defaults of
// [schedule.PlannerOptions]. Each run is a durable job and has an effect
// at most once, also over crashes. The zero value is ready for use.
//
// With Options.Tools.Builtin turns have the tools for this: timers and tasks, and in background turns patches to the
// bot's documents. Messages to chats have the same caps and rate limits as replies. While the budget is used up to
// [heartflow.BudgetOptions].NoJudgeFrom or more, there are no autonomous runs.
//
// # Rights
//
// A run has the mode, person and session of the turn that planned it, and no more rights. A timer that somebody set
// by talking to the bot in a group sees no tool of the owner's computer. An owner's turn that has read untrusted
// data, and every background turn, can plan only timers and tasks that read, plan and notify the owner. For an
// owner's turn a human can allow more: if Options.Tools.Registry has a Confirm, it is called for each tool that the
// task or timer names. Args is then {"when": …, "what": …}.
//
// # Runs
//
//	reason             rights and prompt                                      output
//	timer              of its creator, without history                        a message there, or silence
//	task               of its creator, with history                           a message there, or silence; the outcome is noted
//	task, too late     of its creator, in the background                      archived; a note in memory
//	conversation over  of that conversation, in the background                archived
//	idle               of Planner.IdleOrigin, in the background               archived
//	10 messages        of the liveliest chats, each separately                the inner state of that chat
//
// A background turn is preempted as long as it has had no effect: [Bot.OwnerMessage] cancels it, and so does a user
// who addresses the bot in its chat. It is retried afterwards. The fourth attempt is not preempted.
//
// # Visibility
//
// After 3 minutes of silence the owner's session is archived. The next turn of the owner is shown a summary of it and its
// last 10 messages. [Bot.Sessions] lists archived sessions. No other prompt shows the archive. Inner states, slots and scratch belong to the chat in which they were written, and
// only turns of that chat see them. Once an hour at most the bot writes a global reflection from its last thoughts about
// public chats (ChatOptions.Public), or from their inner states. All turns except the owner's see it. The documents, the character and the
// history of tasks, are visible to the owner's side only, and change only by patches. Turns of the owner, which have
// every tool, see no notes that are derived from chats.
//
// The owner can send the bot to sleep in all chats; that outlives a restart. A turn of a chat can do so for its own
// chat, for one hour at most. Once a day the owner is notified of messages to chats that could not be sent.
type Autonomy struct {
	// Planner sets how often the bot acts unprompted, and whose rights planning has. An IdleOrigin of {Mode:
	// persona.Agent} is for an owner's companion, which reads the owner's memory. The zero IdleOrigin is the bot
	// itself, without a memory of its owner.
	Planner schedule.PlannerOptions
	Timers  schedule.TimerOptions // a nil Location means Options.Location
	Tasks   schedule.TaskOptions  // a nil Location means Options.Location

	// DeliverToOwner delivers an unprompted message to the owner, item by item. Nil means Options.Hooks.Notify. If
	// that is nil too, the message is stored in the owner's conversation, where [Bot.OwnerMessage] finds it.
	DeliverToOwner func(ctx context.Context, text string) error
	// ShowNotification shows a notice on the owner's device. Nil removes the tool add_notification.
	ShowNotification func(ctx context.Context, title, text string) error
	// RecentActivity returns the owner's activity since a time, for background turns on the owner's side. Package
	// persona/activity has one. The turns see apps and times. Titles and addresses are untrusted. The turns see them
	// only if Labels shows them, and then change no document. The time advances when such a turn succeeds. Nil means
	// none.
	RecentActivity func(ctx context.Context, since time.Time) ([]OwnerActivity, error)
	// Character is the initial text of the character document, until its first patch: Markdown, with a section about
	// the owner.
	Character string

	// OnWake is called after each autonomous run, from several goroutines. It must not block. It may be nil.
	OnWake func(WakeResult)

	NoInnerState       bool // no reflections, and no inner states in prompts
	NoGlobalReflection bool // no global reflection

	// Model makes the calls that send nothing, such as a cheaper model. It uses the same budget. Nil means
	// Options.Models.Background.
	Model       llms.Model
	CallOptions []llms.CallOption // of these calls, instead of those of TurnOptions
	Timeout     time.Duration     // of one of these calls; 0 means 2 min
}

// An OwnerActivity is one stretch of the owner's activity on their computer.
type OwnerActivity struct {
	App      string // the program, trusted; "" if unknown
	Title    string // of a window, page or file; untrusted
	Address  string // of a page, or the project of a file; untrusted
	From, To time.Time
}

// A WakeResult is the outcome of one autonomous run.
type WakeResult struct {
	Wake schedule.Wake
	At   time.Time // time of the end
	Text string    // message or thought; "" for silence
	Err  error     // nil on success
}

// Agenda holds the bot's plans and their outcomes.
type Agenda struct {
	Timers           []schedule.Timer  // the next first
	Planned          []schedule.Task   // the next first
	Past             []schedule.Task   // oldest first
	Documents        []prompt.Document // documents that are not empty
	InnerState       string            // in the owner's conversation
	GlobalReflection string
	Conversations    []schedule.Conversation // that go on, or ended less than [schedule.PlannerOptions].ConversationGap ago
	Wakes            []PastWake              // the last 100 autonomous runs since the start, oldest first
}

// A PastWake is an autonomous run with its outcome, without any text.
type PastWake struct {
	ID         string
	Kind       schedule.WakeKind
	Origin     schedule.Origin
	Background bool      // a turn whose text is archived and shown to nobody
	Began      time.Time // when it was due, or after a crash again
	Ended      time.Time // zero while it runs
	Spoke      bool      // it sent something
	Error      string    // "" for success, and after somebody was erased
}

// A Session is an archived conversation, or an archived background turn.
type Session struct {
	Background bool            // a background turn
	Origin     schedule.Origin // the chat, the owner in agent mode, or the bot itself (zero)
	From, To   time.Time       // times of the first and last message; of a background turn the time of its end
	Messages   int             // number of messages; 0 for a background turn
	Text       string          // summary of a session of the owner, or the text of the background turn; "" means none
}
