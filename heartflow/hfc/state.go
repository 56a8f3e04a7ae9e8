package hfc

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// ChatState is the state of one chat.
type ChatState uint8

const (
	Absent   ChatState = iota // the default: the bot only answers messages that address it
	Chatting                  // the bot takes part: the willingness decides about each message
	Focused                   // the bot focuses on the chat: a Cycle thinks, plans and acts
)

// String returns absent, chat or focused.
func (s ChatState) String() string {
	return enum.Name(s, "ChatState", "absent", "chat", "focused")
}
