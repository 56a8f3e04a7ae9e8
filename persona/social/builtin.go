package social

import "github.com/hearth-bot/hearth/nit/self"

// BuiltinTools are tools over what the being itself has: nit/recall over its memory, and, with Options.Hooks.Notify, notify_master
// of nit/self. With Options.Tools.Plugins they are plugins, which can be switched off. The zero value is ready.
type BuiltinTools struct {
	Reports self.QueueOptions // how much reaches the owner
	// Watch says which messages the owner should perhaps be told of, though nobody called the bot: a turn that can only
	// report is asked then, and nothing of it is said in the chat. Its Owners are Options.Access.Owners where it names none.
	// Nil: only turns that were called report.
	Watch *self.WatchOptions
	// Notes lets a turn write down slots and scratch of its chat, and read them by read_notes; an agent's turn those of
	// the owner's talk. What they wrote down there, they are shown.
	Notes bool
}
