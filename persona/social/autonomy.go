package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/tmc/langchaingo/llms"
)

// Autonomy are what a being does though nobody spoke to it: timers that it set, tasks that it planned, talks with itself in
// which it plans ahead, reviews what was said and mends what it wrote of itself, and reflections. Each runs with the
// rights of the turn that made it, in the session of that turn, and with no others. The zero value is ready.
//
// What an owner's turn plans that has read what others said may not act later, unless a human allows it at once: where
// Options.Tools.Registry has a Confirm, that is asked about each tool that the task or timer names, with {"when": …, "what": …} for Args.
//
// With Options.Tools.Builtin turns have the tools for it: timers and tasks, and, in talks of the background, patches to its
// documents. What it says by itself in a chat leaves by the same mouth, within the same caps, as every reply. None of it
// is done while more of the budget is spent than [heartflow.BudgetOptions].NoJudge.
type Autonomy struct {
	// Planner says how often it acts by itself, and Life.Self with whose rights it plans ahead: {Mode: persona.Agent} is an
	// owner's companion, which reads the owner's memory; the zero Maker is the persona by itself, which has none.
	Planner schedule.PlannerOptions
	Timers  schedule.TimerOptions // Location is Options.Location where it is nil
	Tasks   schedule.TaskOptions  // likewise

	// DeliverToOwner brings the owner what the being says to them by itself, item by item. Nil: Options.Hooks.Notify does; where that is nil,
	// too, it is kept in the talk with the owner, where [Bot.OwnerMessage] finds it.
	DeliverToOwner func(ctx context.Context, text string) error
	// ShowNotification shows the owner a notice on their device. Nil: there is no add_notification.
	ShowNotification func(ctx context.Context, title, text string) error
	// RecentActivity tells what the owner has been doing since a time, for the talks of the background on the owner's side, such
	// as Since of persona/activity. These talks are shown apps and times; titles and addresses, which others write, only where
	// Labels lets them, and then they change no document. Nil: nothing. The mark moves on when such a talk succeeded.
	RecentActivity func(ctx context.Context, since time.Time) ([]OwnerActivity, error)
	// Character is what its character document says until the first patch: Markdown, with a section for what it knows of
	// its owner.
	Character string

	// OnWake is told of what it did by itself, after each. Called from several goroutines, must not block. Nil: none is.
	OnWake func(WakeResult)

	NoInnerState       bool // reflections are not made, and inner states not shown
	NoGlobalReflection bool // no wider thought over all that everybody may know of

	Model       llms.Model        // for what is never said: a cheaper one, perhaps; nil: that of Options. It spends the same budget
	CallOptions []llms.CallOption // of its calls; those of TurnOptions are not for them
	Timeout     time.Duration     // of one of them; 0 means 2 min
}

// An OwnerActivity is something that the owner did on their computer for a while.
type OwnerActivity struct {
	App      string // the program; "": not known. It is trusted
	Title    string // of a window, a page or a file: others may have written it
	Address  string // of a page, or the project of a file; likewise
	From, To time.Time
}

// A WakeResult is what became of one wake.
type WakeResult struct {
	Wake schedule.Wake
	At   time.Time // when it was over
	Text string    // what was said or thought; "" for silence
	Err  error     // why it failed; nil: it did not
}

// A Agenda is what a being has set itself to do, and what became of it.
type Agenda struct {
	Timers           []schedule.Timer  // the next first
	Planned          []schedule.Task   // the next first
	Past             []schedule.Task   // oldest first
	Documents        []prompt.Document // its documents, as far as they say something
	InnerState       string            // how it feels about the talk with its owner
	GlobalReflection string            // its wider thought
}
