package social

import "github.com/hearth-bot/hearth/nit/self"

// BuiltinTools are tools over the bot's own data: nit/recall over its memory and, with Options.Hooks.Notify,
// notify_master of nit/self, the only way from a chat to the owner. With Options.Tools.Plugins they are plugins that
// can be switched off. The zero value is ready for use.
//
// No turn of a chat sees the reports. In the owner's conversation a report is untrusted: see docs/SECURITY.md. When a
// turn of the owner reads untrusted chat messages, it loses the acting tools of tier L3 for the rest of the turn.
type BuiltinTools struct {
	Reports self.QueueOptions // rate limits of reports to the owner
	// Watch selects messages that may deserve a report although nobody addressed the bot. Their author looks for the
	// owner, the message is urgent, or the author is watched. A turn that can only report is run for them. It sends
	// nothing to the chat. If Watch.Owners is empty, it is Options.Access.Owners. Nil means that only turns that were
	// addressed report.
	Watch *self.WatchOptions
	// Notes lets a turn write slots and scratch for its chat, and read them by read_notes. Turns in agent mode write
	// those of the owner's conversation. Prompts show them to turns of the same chat.
	Notes bool
}
