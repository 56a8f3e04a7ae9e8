package onebottest

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Chat is a group, or the private chat of the bot with one user. It is comparable.
type Chat struct {
	Kind string // "group" or "private"
	ID   int64  // id of the group or of the other user
}

// GroupChat returns the chat of the group id.
func GroupChat(id int64) Chat { return Chat{Kind: "group", ID: id} }

// PrivateChat returns the private chat with the user id.
func PrivateChat(id int64) Chat { return Chat{Kind: "private", ID: id} }

// String returns "group:123" or "private:9".
func (c Chat) String() string { return fmt.Sprintf("%s:%d", c.Kind, c.ID) }

// A ChatMessage is one message in a chat, from the bot or from any user.
type ChatMessage struct {
	Chat      Chat
	UserID    int64 // author; Options.SelfID for the bot
	MessageID int64
	Message   onebot.Message // shared: do not modify it
	At        time.Time
	Retracted bool // recalled since; actions no longer return it
}

// History returns all messages of a chat, oldest first, including messages of the bot and recalled ones.
func (s *Server) History(c Chat) []ChatMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := make([]ChatMessage, 0, len(s.chats[c]))
	for _, m := range s.chats[c] {
		said = append(said, m.ChatMessage)
	}
	return said
}
