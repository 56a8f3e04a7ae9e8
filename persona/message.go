package persona

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Message is a message in a chat of any platform. It is an [Event].
//
// Ids are the platform's ids as text, without a prefix. Names and texts are untrusted data, never instructions. Put
// them into a prompt only through prompt.Context: it escapes them.
type Message struct {
	ID       string // the platform's message id, never empty from a link; it can repeat in other chats and at other times
	Key      string // unique and permanent key in its chat; the bot sets it, links leave it empty; not in the JSON form
	Chat     Chat
	ChatName string    // the group's name; "" if unknown
	From     string    // the sender's id; it identifies the person
	Name     string    // the sender's display name (card or nickname); it does not identify anybody
	At       time.Time // time of sending, never zero from a link; with ID it identifies the message
	Text     string    // as people read it: "[图片]", "@小炉 在吗"
	Mentions []string  // ids of the mentioned users, in order
	AtMe     bool      // the bot is mentioned
	Own      bool      // sent by the bot's own account
	Bot      bool      // sent by another bot, as far as the platform or the user knows
	Typed    bool      // Text has only words that the sender typed: no names, quotes, files or cards. False if the link cannot tell; not in the JSON form
	ReplyTo  string    // id of the message that it replies to; "" for none
	Quote    *Quote    // that message, if known
	Pictures []Picture // in order; only those with a known URL; not in the JSON form
}

// A Quote is the message that another message replies to.
type Quote struct {
	ID   string `json:"message_id,omitempty"`
	Key  string `json:"-"` // normalized ID for comparison; the bot sets it, links leave it empty
	From string `json:"-"`
	Name string `json:"sender_name,omitempty"`
	Text string `json:"content,omitempty"`
	Own  bool   `json:"is_own,omitempty"` // sent by the bot's own account
}

// An Outgoing is a message to send. Text is sent as plain text and never parsed as markup.
type Outgoing struct {
	Text            string
	ReplyTo         string   // id of the message to reply to; "" for none
	Mentions        []string // ids to mention before the text
	MentionEveryone bool     // mention everybody before the text; only for the owner's orders
	Image           string   // a picture after the text in the platform's form; "" for none
}

// messageType is the value of the JSON field type.
const messageType = "social_message"

type messageJSON struct {
	Type       string     `json:"type"`
	Platform   string     `json:"platform"`
	SourceID   string     `json:"source_id"`
	SenderID   string     `json:"sender_id"`
	Content    string     `json:"content"`
	AtMe       bool       `json:"is_at_me"`
	MessageID  string     `json:"message_id,omitempty"`
	SourceName string     `json:"source_name,omitempty"`
	SenderName string     `json:"sender_name,omitempty"`
	Time       time.Time  `json:"time,omitzero"`
	Mentions   []string   `json:"mentions,omitempty"`
	Own        bool       `json:"is_own,omitempty"`
	Bot        bool       `json:"is_bot,omitempty"`
	ReplyTo    string     `json:"reply_to,omitempty"`
	Quote      *quoteJSON `json:"quote,omitempty"`
}

type quoteJSON struct {
	Quote
	SenderID string `json:"sender_id,omitempty"`
}

// MarshalJSON encodes the message in a form for exchange with other programs:
//
//	{"type":"social_message","platform":"qq","source_id":"group_123456","sender_id":"user_987654",
//	 "content":"…","is_at_me":true}
//
// The other fields are present if they are known: message_id, source_name, sender_name, time, mentions, is_own, is_bot,
// reply_to and quote.
func (m Message) MarshalJSON() ([]byte, error) {
	j := messageJSON{
		Type: messageType, Platform: m.Chat.Platform, SourceID: m.Chat.SourceID(), SenderID: userID(m.From),
		Content: m.Text, AtMe: m.AtMe, MessageID: m.ID, SourceName: m.ChatName, SenderName: m.Name, Time: m.At.Round(0),
		Mentions: m.Mentions, Own: m.Own, Bot: m.Bot, ReplyTo: m.ReplyTo,
	}
	if m.Quote != nil {
		j.Quote = &quoteJSON{Quote: *m.Quote, SenderID: userID(m.Quote.From)}
	}
	return json.Marshal(j)
}

// UnmarshalJSON decodes the output of [Message.MarshalJSON]. The optional fields may be missing.
func (m *Message) UnmarshalJSON(b []byte) error {
	var j messageJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("persona: message: %w", err)
	}
	if j.Type != messageType {
		return fmt.Errorf("persona: message: type %q, want %q", j.Type, messageType)
	}
	chat := Chat{}
	if j.Platform != "" || j.SourceID != "" {
		var err error
		if chat, err = ParseSource(j.Platform, j.SourceID); err != nil {
			return err
		}
	}
	*m = Message{
		ID: j.MessageID, Chat: chat, ChatName: j.SourceName, From: strings.TrimPrefix(j.SenderID, "user_"), Name: j.SenderName,
		At: j.Time, Text: j.Content, Mentions: j.Mentions, AtMe: j.AtMe, Own: j.Own, Bot: j.Bot, ReplyTo: j.ReplyTo,
	}
	if j.Quote != nil {
		q := j.Quote.Quote
		q.From = strings.TrimPrefix(j.Quote.SenderID, "user_")
		m.Quote = &q
	}
	return nil
}

func userID(id string) string {
	if id == "" {
		return ""
	}
	return "user_" + id
}
