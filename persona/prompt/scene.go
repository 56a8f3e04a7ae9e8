package prompt

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A Scene holds everything that one turn may see. The code that fills it must leave out all data that the audience of
// this chat may not see.
type Scene struct {
	Chat         persona.Chat
	ChatName     string // name of the group or friend
	Mode         persona.Mode
	State        string            // attention state from heartflow: "observing", "summoned", "active"
	Attention    *AttentionSummary // of Heart Flow Chat; nil for bots without it
	OwnerPresent bool              // see [persona.Router.OwnerPresent]

	History       []persona.Message // handled messages, oldest first
	CachePrefix   int               // so many of the oldest messages in History serve only prompt caching ([HistoryStart]); dropped first
	Recent        []persona.Message // messages to answer, oldest first; never dropped
	Background    []Session         // other chats that all members of this chat may read, most important first
	Summary       string            // summary of the day in this chat
	People        []Person          // the bot's view of people in this chat, most important first
	Memories      []Memory          // relevant memories of this chat, best first
	OwnerMemories []Memory          // redacted memories about the owner that may be told here, best first
	Target        string            // focus of the model's attention; "" means this chat

	Request *RequestContext // the request to decide about or just approved; nil for none

	// For autonomous turns, and the bot's own notes.
	Wake             *schedule.Wake // the reason of an autonomous turn; nil for other turns
	Notes            []Memory       // slots and scratch notes of this session; ID is the name
	InnerState       string         // the bot's feelings about this session, in its own words
	Mood             *MoodSummary   // the current mood; nil hides it
	GlobalReflection string         // thoughts about all public chats
	Plans

	// For turns in several calls.
	Kind     Kind      // the zero value is one call that decides and writes
	Thoughts []Thought // the last thoughts about this chat, oldest first; the last one is the current one
	Actions  []Action  // recent actions here, oldest first
	Intent   string    // reason for the planned reply
	Choices            // of a plan

	Budget   int             // maximum size in [Tokens]; 0 means 28000, negative means no limit
	Location *time.Location  // for displayed times; nil means time.Local
	Prompts  persona.Prompts // custom prompt texts
}

// Choices are what a plan may choose.
type Choices struct {
	AllowedActions []string
	Faces          []string // names of the faces for the action react
}

// An AttentionSummary says how much attention a bot with Heart Flow Chat gives to a chat.
type AttentionSummary struct {
	GlobalState string  // "offline", "peeking", "normal_chat" or "focused_chat"
	ChatState   string  // "absent", "chat" or "focused"
	Interest    float64 // in the chat, 0 to 1: from 1 on the bot may focus on it
}

// Plans hold the tasks of a [Scene], the material for planning, and why the bot may begin a talk.
type Plans struct {
	Beginning     string          // why the bot may begin a talk in this turn, and how; "" for other turns
	Planned       []schedule.Task // planned tasks in this chat, next first
	Past          []schedule.Task // ended tasks in this chat, oldest first
	OwnerActivity string          // the owner's activity; only in the owner's session
	Documents     []Document      // documents that the bot may edit; only in the owner's session
	Condense      bool            // Past is too long and must be condensed into the document history_tasks
}

// A Thought is what the bot thought about a chat at a time.
type Thought struct {
	Text string
	At   time.Time // zero if unknown
}

// A Document is a text that the bot keeps and edits by patches: its character state or the history of its tasks.
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

// A Memory is a recalled memory. It is not related to [persona.Retracted].
type Memory struct {
	ID         string // shown id; "" hides it
	Key        string // id of the record; never shown, but in [Segment].ID
	Text       string
	Importance string    // "low", "normal", "high"; "" means normal
	Person     string    // the person who said it, or the person it is about; may be ""
	Chat       string    // source chat if it is not the scene's; may be ""
	At         time.Time // time of the source; zero if unknown
}
