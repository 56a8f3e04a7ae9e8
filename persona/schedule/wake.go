package schedule

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// A Wake is a reason to act now. Make an errand of it by its ID, and end it by [Planner.Done].
type Wake struct {
	ID     string // unique for ever; the same again when the program died before [Planner.Done]
	Kind   WakeKind
	Origin Origin // the rights that it runs with, and no others
	Reason WakeReason

	Timer        Firing       // of [WakeTimer]
	Task         Task         // of [WakeTask] and [WakeOutdated]
	Conversation Conversation // of [WakeArchive] and [WakeReview]
}

// A WakeKind says what a [Wake] is about.
type WakeKind uint8

// The kinds of a Wake.
const (
	WakeTimer    WakeKind = iota // a timer fires: think of its payload, and speak or keep silent
	WakeTask                     // a task is to be done, in a talk of the foreground
	WakeOutdated                 // a task came too late: tell memory, plan it anew if it still makes sense
	WakeArchive                  // a talk is over: put it into the archive. No model is needed
	WakeReview                   // a talk of the background about one that was archived
	WakeReflect                  // write the inner state anew. Nothing waits for it, and nothing is said
	WakeIdle                     // a talk of the background that plans ahead
)

var wakeWords = []string{"timer", "task", "outdated", "archive", "review", "reflect", "idle"}

// String gives the kind's name, "timer" and so on.
func (k WakeKind) String() string { return enum.Name(wakeWords, int(k)) }

// MarshalText gives [WakeKind.String].
func (k WakeKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads [WakeKind.String].
func (k *WakeKind) UnmarshalText(b []byte) error { return enum.Parse(k, wakeWords, b) }

// background reports whether it is one of the talks of which there is one at a time.
func (k WakeKind) background() bool { return k == WakeReview || k == WakeIdle }

// A WakeReason says why now, for the prompt. It holds nothing that the wake's own chat may not know.
type WakeReason struct {
	Since    time.Time     // from when on there was reason for it: the timer's time, the task's, the end of the silence
	Late     bool          // a minute or more ago, or the program died while it ran
	IdleFor  time.Duration // how long nobody has spoken to it, of [WakeIdle] and [WakeReflect]; 0 when nobody ever has
	Messages int           // heard since the last reflection, of [WakeReflect]
	Failures int           // how often it was tried in vain
}

// A Conversation is a stretch of talk in one session, with silence before and after.
type Conversation struct {
	Origin   Origin    `json:"maker,omitzero"` // whose session it is; its Person is nobody
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`       // when the last was heard
	Messages int       `json:"messages"` // how many were
}

// key names the talk's row.
func (t Conversation) key() string {
	if t.Origin.Mode == persona.Agent {
		return persona.Agent.String()
	}
	return t.Origin.Chat.String() // with colons, unless it is the zero Chat
}
