package schedule

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// A Wake is a reason for the bot to act now. Create a job of persona/jobs with its ID. End it with [Planner.Done].
type Wake struct {
	ID     string // unique and permanent; a wake repeated after a crash has the same ID
	Kind   WakeKind
	Origin Origin // the wake runs with these rights only
	Reason WakeReason

	Timer        Firing       // for [WakeTimer]
	Task         Task         // for [WakeTask] and [WakeOutdated]
	Conversation Conversation // for [WakeArchive] and [WakeReview]
}

// A WakeKind is the kind of a [Wake].
type WakeKind uint8

// The kinds of a Wake.
const (
	WakeTimer    WakeKind = iota // a timer fires: talk or stay silent
	WakeTask                     // a task is due: run it as a normal turn
	WakeOutdated                 // a task was missed: report it and reschedule it if it is still useful
	WakeArchive                  // a conversation has ended: store it; needs no model
	WakeReview                   // background turn about an archived conversation
	WakeReflect                  // write a new inner state; nothing is sent, and no other wake waits for it
	WakeIdle                     // background turn that plans ahead
)

var wakeKindNames = []string{"timer", "task", "outdated", "archive", "review", "reflect", "idle"}

// String returns the name of the kind, such as "timer".
func (k WakeKind) String() string { return enum.Name(wakeKindNames, int(k)) }

// MarshalText encodes [WakeKind.String].
func (k WakeKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses [WakeKind.String].
func (k *WakeKind) UnmarshalText(b []byte) error { return enum.Parse(k, wakeKindNames, b) }

// isBackground reports whether this is a background turn. Only one of them runs at a time.
func (k WakeKind) isBackground() bool { return k == WakeReview || k == WakeIdle }

// A WakeReason explains a wake for the prompt. It contains nothing that the chat of the wake may not know.
type WakeReason struct {
	Since    time.Time     // time of the timer or task, or the end of the silence
	Late     bool          // at least a minute late, or the program crashed while it ran
	IdleFor  time.Duration // for [WakeIdle] and [WakeReflect]: time since the last message to the bot; 0 if there was none
	Messages int           // for [WakeReflect]: messages since the last reflection
	Failures int           // number of failed tries
}

// A Conversation is a sequence of messages in one session, with silence before and after it.
type Conversation struct {
	Origin   Origin    `json:"maker,omitzero"` // its session; Person is zero
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`       // time of the last message
	Messages int       `json:"messages"` // number of messages

	WithOwner bool `json:"owner,omitzero"` // the other side is the owner, in the app or in a private chat
}

// withOwner reports whether the other side is the owner. Rows of older versions have no WithOwner.
func (t *Conversation) withOwner() bool { return t.WithOwner || t.Origin.Mode == persona.Agent }

// key returns the key of the conversation's row.
func (t Conversation) key() string {
	if t.Origin.Mode == persona.Agent {
		return persona.Agent.String()
	}
	return t.Origin.Chat.String() // with colons, unless it is the zero Chat
}
