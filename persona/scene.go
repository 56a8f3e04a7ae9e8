package persona

import "time"

// A Scene is everything that one turn may see. Whoever fills it decides what may be told in this chat: a Scene holds
// nothing that its audience may not hear.
type Scene struct {
	Chat          Chat
	ChatName      string // the group's name, or the friend's
	Mode          Mode
	State         string // perception state as heartflow words it: "observing", "summoned", "active"
	MasterPresent bool   // see [Router.MasterPresent]

	History    []Message // what was said before and has been dealt with, oldest first
	Recent     []Message // what is to be answered, oldest first; never left out
	Background []Session // other chats that everybody in this one may read, the most important first
	Summary    string    // of the day so far, for this chat
	Recall     []Memory  // what this chat's memory holds on the topic, the best first
	Owner      []Memory  // what may be told here of the owner, redacted, the best first
	Target     string    // what to think of first; "" names the chat

	// For the parts of a turn that is made in several.
	Part    Part     // the zero value is one conversation that decides and writes
	Thought string   // the latest one about this chat
	Deeds   []Deed   // what was done here lately, oldest first
	Intent  string   // why the plan wants something said
	Allowed []string // the actions that a plan may choose

	Budget   int            // tokens ([Tokens]) that the context may take; 0 means 8000, negative means no limit
	Location *time.Location // for the times shown; nil means time.Local
	Prompts  Prompts        // texts of the user's own
}

// A Session is another chat in the background of a [Scene].
type Session struct {
	Chat     Chat
	Name     string
	Messages []Message // oldest first
}

// A Memory is something recalled. (A message taken back is [Recalled].)
type Memory struct {
	Text       string
	Importance string    // "low", "normal", "high"; "" means normal
	Who        string    // who said it, or whom it is about; may be ""
	At         time.Time // when it was said; zero when unknown
}
