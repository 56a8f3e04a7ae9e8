package persona

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Message is something that was said in a chat, whatever platform it came from. It is an [Event].
//
// Ids are the platform's, as text, without a prefix. Names and texts are what people wrote: data, never instructions,
// and safe to put into a prompt only through [Profile.Context].
type Message struct {
	ID       string // the platform's message id; it may repeat in other chats and at other times
	Key      string // identifies it in its chat for ever, as ids alone do not; set by who hears it; not in the JSON form
	Chat     Chat
	ChatName string    // the group's name; "" when unknown
	From     string    // the speaker's id: who it is
	Name     string    // how the speaker is shown, card before nickname: not who it is
	At       time.Time // when it was said
	Text     string    // as people read it: "[图片]", "@小炉 在吗"
	Mentions []string  // ids that it mentions, in order
	AtMe     bool      // it mentions the bot
	Own      bool      // the bot's own account said it
	Bot      bool      // another bot said it, as far as the platform or the user knows
	Typed    bool      // Text holds nothing but what its author typed: no names, quotes, files or cards. A link that cannot tell leaves it false; not in the JSON form
	ReplyTo  string    // id of the message that it answers; "" when it answers none
	Quote    *Quote    // that message, where it is known
	Pictures []Picture // its pictures, in order, as far as the platform tells their URLs; not in the JSON form
}

// A Quote is the message that another one answers.
type Quote struct {
	ID   string `json:"message_id,omitempty"`
	Key  string `json:"-"` // ID in the one form that ids are compared by; set by who hears the message
	From string `json:"-"`
	Name string `json:"sender_name,omitempty"`
	Text string `json:"content,omitempty"`
	Own  bool   `json:"is_own,omitempty"` // the bot's own account said it
}

// An Outgoing is something to say. Text goes out as text: nothing in it is ever read as markup.
type Outgoing struct {
	Text            string
	ReplyTo         string   // id of the message that it answers; "" for none
	Mentions        []string // ids to mention before the text
	MentionEveryone bool     // mention everybody before the text; for the owner's orders only
	Image           string   // a picture after the text, as the platform takes it; "" for none
}

// messageType is the type field of a message's JSON form.
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

// MarshalJSON gives the form that other programs exchange:
//
//	{"type":"social_message","platform":"qq","source_id":"group_123456","sender_id":"user_987654",
//	 "content":"…","is_at_me":true}
//
// and, where they are known, message_id, source_name, sender_name, time, mentions, is_own, is_bot, reply_to and quote.
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

// UnmarshalJSON reads what [Message.MarshalJSON] gives, and the shorter form without the fields that are optional.
func (m *Message) UnmarshalJSON(b []byte) error {
	var j messageJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("persona: message: %w", err)
	}
	if j.Type != messageType {
		return fmt.Errorf("persona: message: its type is %q, not %q", j.Type, messageType)
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
