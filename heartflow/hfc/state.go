package hfc

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// ChatState is how the being takes part in one chat.
type ChatState uint8

const (
	Absent   ChatState = iota // it does not look at this chat; the state of a chat that nothing is known of
	Chatting                  // it chats along: willingness decides, message by message
	Focused                   // it gives itself to it: a Cycle observes, thinks, plans and acts
)

// String returns absent, chat or focused.
func (s ChatState) String() string {
	return enum.Name(s, "ChatState", "absent", "chat", "focused")
}
