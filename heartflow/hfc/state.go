package hfc

import "strconv"

// ChatState is how the being takes part in one chat.
type ChatState uint8

const (
	Absent  ChatState = iota // it does not look at this chat; the state of a chat that nothing is known of
	Chat                     // it chats along: willingness decides, message by message
	Focused                  // it gives itself to it: a Cycle observes, thinks, plans and acts
)

var chatNames = [...]string{"absent", "chat", "focused"}

// String returns absent, chat or focused.
func (s ChatState) String() string {
	if int(s) < len(chatNames) {
		return chatNames[s]
	}
	return "ChatState(" + strconv.Itoa(int(s)) + ")"
}
