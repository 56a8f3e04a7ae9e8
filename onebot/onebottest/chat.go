package onebottest

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Chat is a conversation: a group, or the private chat of the bot with one user. It can be compared.
type Chat struct {
	Kind string // "group" or "private"
	ID   int64  // the group's number, or the other user's
}

// GroupChat is the chat of the group id.
func GroupChat(id int64) Chat { return Chat{Kind: "group", ID: id} }

// PrivateChat is the chat with the user id.
func PrivateChat(id int64) Chat { return Chat{Kind: "private", ID: id} }

// String gives "group:123" or "private:9".
func (c Chat) String() string { return fmt.Sprintf("%s:%d", c.Kind, c.ID) }

// A ChatMessage is one message that was said in a chat, by the bot or by anybody else.
type ChatMessage struct {
	Chat      Chat
	UserID    int64 // who said it; the Options' SelfID for the bot
	MessageID int64
	Message   onebot.Message // shared: not to be changed
	At        time.Time
	Retracted bool // taken back since: no action gives it any more
}

// History is all that was said in a chat, oldest first, what the bot sent and what was recalled included.
func (s *Server) History(c Chat) []ChatMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := make([]ChatMessage, 0, len(s.chats[c]))
	for _, m := range s.chats[c] {
		said = append(said, m.ChatMessage)
	}
	return said
}
