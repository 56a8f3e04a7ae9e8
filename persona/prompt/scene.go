package prompt

import (
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"time"
)

// A Scene is everything that one turn may see. Whoever fills it decides what may be told in this chat: a Scene holds
// nothing that its audience may not hear.
type Scene struct {
	Chat         persona.Chat
	ChatName     string // the group's name, or the friend's
	Mode         persona.Mode
	State        string // perception state as heartflow words it: "observing", "summoned", "active"
	OwnerPresent bool   // see [Router.MasterPresent]

	History       []persona.Message // what was said before and has been dealt with, oldest first
	CachePrefix   int               // so many of the History, the oldest, only let prompts begin alike ([StableStart]), and go first
	Recent        []persona.Message // what is to be answered, oldest first; never left out
	Background    []Session         // other chats that everybody in this one may read, the most important first
	Summary       string            // of the day so far, for this chat
	People        []Person          // what the being thinks, in this chat, of people in it, the most important first
	Memories      []Memory          // what this chat's memory holds on the topic, the best first
	OwnerMemories []Memory          // what may be told here of the owner, redacted, the best first
	Target        string            // what to think of first; "" names the chat

	Request *RequestContext // what is to be judged, or was granted just now; nil: nothing

	// What the being goes by when it acts by itself, and what it has written down for itself.
	Wake             *schedule.Wake // why it acts though nobody asked; nil: somebody did
	Notes            []Memory       // slots and scratch of this session: ID is the name
	InnerState       string         // how it feels about this session, in its own words
	Mood             *MoodSummary   // how it is just now; nil shows nothing
	GlobalReflection string         // its wider thought, over all that everybody may know of
	Plans

	// For the parts of a turn that is made in several.
	Kind           Kind     // the zero value is one conversation that decides and writes
	Thought        string   // the latest one about this chat
	Actions        []Action // what was done here lately, oldest first
	Intent         string   // why the plan wants something said
	AllowedActions []string // the actions that a plan may choose

	Budget   int             // tokens ([Tokens]) that the context may take; 0 means 8000, negative means no limit
	Location *time.Location  // for the times shown; nil means time.Local
	Prompts  persona.Prompts // texts of the user's own
}

// Plans are what a [Scene] shows of the being's tasks, and what it plans by.
type Plans struct {
	Planned       []schedule.Task // what it means to do here, the next first
	Past          []schedule.Task // what became of tasks here, oldest first
	OwnerActivity string          // what the owner has been doing; of the owner's side only
	Documents     []Document      // documents that it keeps; of the owner's side only, where it may mend them
	Condense      bool            // Past is too long, and to be condensed into the document history_tasks
}

// A Document is a document that the being keeps and mends by patches: what it is, what it knows of its owner, what became of
// tasks.
type Document struct {
	Name string // "character_state", "history_tasks"
	Text string // Markdown
}

// A Session is another chat in the background of a [Scene].
type Session struct {
	Chat     persona.Chat
	Name     string
	Messages []persona.Message // oldest first
}

// A Memory is something recalled. (A message taken back is [Recalled].)
type Memory struct {
	ID         string // to name it by; "" shows none
	Text       string
	Importance string    // "low", "normal", "high"; "" means normal
	Person     string    // who said it, or whom it is about; may be ""
	Chat       string    // the chat that it is from, where that is not the scene's; may be ""
	At         time.Time // when it was said; zero when unknown
}
