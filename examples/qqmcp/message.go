package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A message is a stored message. There are many, so it has only the fields that tools return.
type message struct {
	id, sender int64
	name, text string
	at         int64 // Unix seconds
	self       bool  // own message of the account
	atMe       bool  // mentions the account or everybody
	quotes     int64
}

func (m *message) key() uint32 { return onebot.MessageKey(m.id) }

// speaker returns the name that a reader sees.
func (m *message) speaker() string {
	if m.self {
		return "我"
	}
	if m.name == "" || imitatesSelf(m.name) {
		return strconv.FormatInt(m.sender, 10)
	}
	return m.name
}

// imitatesSelf reports whether a name looks like the account's name in summaries and quotes.
func imitatesSelf(name string) bool {
	return strings.Trim(normalizeText(name), " :.\"'。“”「」") == "我"
}

// A messageOutput is a message in the result of a tool. The fields of the specification come first.
type messageOutput struct {
	SenderID   string `json:"sender_id"`
	SenderName string `json:"sender_name"`
	Content    string `json:"content"`
	Timestamp  string `json:"timestamp" jsonschema:"RFC 3339, with the zone"`
	MessageID  string `json:"message_id"`
	IsSelf     bool   `json:"is_self,omitempty" jsonschema:"said by the account itself"`
	ReplyTo    string `json:"reply_to,omitempty" jsonschema:"the message_id that it quotes"`
}

// messageOutputs converts messages. The result is never nil.
func messageOutputs(all []message, zone *time.Location) []messageOutput {
	out := make([]messageOutput, len(all))
	for i := range all {
		out[i] = all[i].output(zone)
	}
	return out
}

func (m *message) output(zone *time.Location) messageOutput {
	s := messageOutput{
		SenderID: strconv.FormatInt(m.sender, 10), SenderName: m.name, Content: m.text,
		Timestamp: formatTime(time.Unix(m.at, 0), zone), MessageID: strconv.FormatInt(m.id, 10), IsSelf: m.self,
	}
	if m.quotes != 0 {
		s.ReplyTo = strconv.FormatInt(m.quotes, 10)
	}
	return s
}

func formatTime(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.RFC3339) }

// atMe returns the ids of the messages that mention the account.
func atMe(all []message) []string {
	ids := []string{}
	for i := range all {
		if all[i].atMe {
			ids = append(ids, strconv.FormatInt(all[i].id, 10))
		}
	}
	return ids
}

// A row is a message in the database.
type row struct {
	ID     int64  `json:"id"`
	Sender int64  `json:"sender"`
	Name   string `json:"name,omitempty"`
	Text   string `json:"text"`
	At     int64  `json:"at"`
	Self   bool   `json:"self,omitempty"`
	AtMe   bool   `json:"at_me,omitempty"`
	Quotes int64  `json:"quotes,omitempty"`
}

func (m *message) row() row {
	return row{m.id, m.sender, m.name, m.text, m.at, m.self, m.atMe, m.quotes}
}

func (r *row) message() message {
	return message{r.ID, r.Sender, r.Name, r.Text, r.At, r.Self, r.AtMe, r.Quotes}
}
