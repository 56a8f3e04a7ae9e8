package persona

import (
	"encoding/json"
	"fmt"
	"slices"
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
	Text     string    // as people read it: "@小炉 在吗[图片]"; with Parts it is [TextOf] them
	Parts    []Part    // the pieces of the message, in order; nil if the link does not tell them
	Mentions []string  // ids of the mentioned users, in order
	AtMe     bool      // the bot is mentioned
	Own      bool      // sent by the bot's own account
	Bot      bool      // sent by another bot, as far as the platform or the user knows
	Action   bool      // it is something that From did, such as a poke. Text says what. It has no id on the platform, so it cannot be quoted
	ReplyTo  string    // id of the message that it replies to; "" for none
	Quote    *Quote    // that message, if known
}

// IsTyped reports whether the sender typed all of the message: it has no names, files, cards or forwards. It is false if the
// link does not tell the parts.
func (m Message) IsTyped() bool {
	other := func(p Part) bool {
		switch p.(type) {
		case Text, Face:
			return false
		}
		return true
	}
	return m.Parts != nil && !slices.ContainsFunc(m.Parts, other)
}

// A Quote is the message that another message replies to.
type Quote struct {
	ID   string `json:"message_id,omitempty"`
	Key  string `json:"-"` // normalized ID for comparison; the bot sets it, links leave it empty
	From string `json:"-"`
	Name string `json:"sender_name,omitempty"`
	Text string `json:"content,omitempty"`
	Own  bool   `json:"is_own,omitempty"` // sent by the bot's own account
	// Parts are the pieces of the quoted message; nil if unknown. Not in the JSON form.
	Parts []Part `json:"-"`
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
	Action     bool       `json:"is_action,omitempty"`
	Parts      []partJSON `json:"parts,omitempty"`
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
// reply_to, quote, is_action and parts.
func (m Message) MarshalJSON() ([]byte, error) {
	j := messageJSON{
		Type: messageType, Platform: m.Chat.Platform, SourceID: m.Chat.SourceID(), SenderID: userID(m.From),
		Content: m.Text, AtMe: m.AtMe, MessageID: m.ID, SourceName: m.ChatName, SenderName: m.Name, Time: m.At.Round(0),
		Mentions: m.Mentions, Own: m.Own, Bot: m.Bot, ReplyTo: m.ReplyTo, Action: m.Action, Parts: partsToJSON(m.Parts),
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
	parts, err := partsFromJSON(j.Parts)
	if err != nil {
		return err
	}
	*m = Message{
		ID: j.MessageID, Chat: chat, ChatName: j.SourceName, From: strings.TrimPrefix(j.SenderID, "user_"), Name: j.SenderName,
		At: j.Time, Text: j.Content, Mentions: j.Mentions, AtMe: j.AtMe, Own: j.Own, Bot: j.Bot, ReplyTo: j.ReplyTo,
		Action: j.Action, Parts: parts,
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
