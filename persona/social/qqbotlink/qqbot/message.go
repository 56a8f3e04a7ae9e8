package qqbot

import (
	"encoding/json"
	"strings"
)

// A Message is a message in a group or a private chat: C2C_MESSAGE_CREATE, GROUP_AT_MESSAGE_CREATE or GROUP_MESSAGE_CREATE. One
// that comes as two events is delivered once.
type Message struct {
	Common
	Chat        Chat
	ID          string // for Out.MsgID and Recall
	Index       string // for Out.Quote; "" if the platform does not tell it
	Type        MessageType
	Author      Author
	Parts       []Part    // the content in its order
	Mentions    []Mention // each person once, also those that the content does not show
	Attachments []Attachment
	Quote       *Quote // nil if it quotes nothing
	Card        *Card  // for TypeCard
	Own         bool   // the bot's own message, as far as its member_openid is known: see BotState
}

// A MessageType is the platform's message_type.
type MessageType int

// Message types.
const (
	TypeText     MessageType = 0
	TypeCard     MessageType = 3
	TypeParallel MessageType = 101
	TypeRecord   MessageType = 102 // forwarded messages
	TypeQuote    MessageType = 103
)

// An Author is the sender of a message.
type Author struct {
	ID       string // member_openid in groups, user_openid in private chats: never equate the two
	UnionID  string // the same for all bots of a developer; usually ""
	Username string // "" in private chats
	Role     Role   // in groups
	Bot      bool
}

// A Mention is somebody who is mentioned.
type Mention struct {
	ID       string // member_openid; "" for All, and where the platform does not tell the bot's
	Username string // may be ""
	Bot      bool
	You      bool // the bot itself
	All      bool // everybody
}

// A Part is text, a mention, or a face. Exactly one of its fields is set.
type Part struct {
	Text    string
	Mention *Mention
	Face    *Face
}

// A Face is an emoji of QQ.
type Face struct {
	Type int
	ID   string // may be ""
	Text string // such as [微笑]; may be ""
}

// A Quote is the message that another one quotes.
type Quote struct {
	Index       string // of the quoted message; may be ""
	Author      Author // may be empty
	Parts       []Part // may be empty: old messages come without their content
	Attachments []Attachment
}

// Text returns the text of the quoted message, as [Message.Text] does.
func (q *Quote) Text() string { return textOf(q.Parts) }

// A Card is an app's card, such as a shared page.
type Card struct {
	Prompt string // what QQ shows in lists
	Type   string // such as tuwen, miniapp, map or contact_card
	Name   string
	Fields json.RawMessage
}

// conversation makes messages of a chat be handled in order.
func (m *Message) conversation() string { return m.Chat.String() }

// ToMe reports whether the message is private or mentions the bot.
func (m *Message) ToMe() bool {
	if !m.Chat.Group {
		return true
	}
	for _, at := range m.Mentions {
		if at.You {
			return true
		}
	}
	return false
}

// Text returns the content as plain text: the bot's own mention is left out, others are @ with a name, and faces are their text.
func (m *Message) Text() string { return textOf(m.Parts) }

func textOf(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Face != nil:
			if p.Face.Text != "" {
				b.WriteString(p.Face.Text)
			} else {
				b.WriteString("[表情]")
			}
		case p.Mention == nil:
			b.WriteString(p.Text)
		case p.Mention.You:
		case p.Mention.All:
			b.WriteString("@全体成员")
		case p.Mention.Username != "":
			b.WriteString("@" + p.Mention.Username)
		default:
			b.WriteString("@" + p.Mention.ID)
		}
	}
	return strings.TrimSpace(b.String())
}
