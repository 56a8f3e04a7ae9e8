package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A message is one as it is kept. There are many of them: it has no more than is told.
type message struct {
	id, sender int64
	name, text string
	at         int64 // in Unix seconds
	self       bool  // the account's own
	atMe       bool  // mentions the account, or all
	quotes     int64
}

func (m *message) key() uint32 { return onebot.MessageKey(m.id) }

// speaker is the name that a reader is told.
func (m *message) speaker() string {
	if m.self {
		return "我"
	}
	if m.name == "" || posesAsUs(m.name) {
		return strconv.FormatInt(m.sender, 10)
	}
	return m.name
}

// posesAsUs tells whether somebody is called what the account is called in summaries and quotes.
func posesAsUs(name string) bool { return strings.Trim(fold(name), " :.\"'。“”「」") == "我" }

// said is a message as the tools tell it: the seed's fields first.
type said struct {
	SenderID   string `json:"sender_id"`
	SenderName string `json:"sender_name"`
	Content    string `json:"content"`
	Timestamp  string `json:"timestamp" jsonschema:"RFC 3339, with the zone"`
	MessageID  string `json:"message_id"`
	IsSelf     bool   `json:"is_self,omitempty" jsonschema:"said by the account itself"`
	ReplyTo    string `json:"reply_to,omitempty" jsonschema:"the message_id that it quotes"`
}

// told gives messages to a tool's caller; it is never nil.
func told(all []message, zone *time.Location) []said {
	out := make([]said, len(all))
	for i := range all {
		out[i] = all[i].told(zone)
	}
	return out
}

func (m *message) told(zone *time.Location) said {
	s := said{
		SenderID: strconv.FormatInt(m.sender, 10), SenderName: m.name, Content: m.text,
		Timestamp: stamp(time.Unix(m.at, 0), zone), MessageID: strconv.FormatInt(m.id, 10), IsSelf: m.self,
	}
	if m.quotes != 0 {
		s.ReplyTo = strconv.FormatInt(m.quotes, 10)
	}
	return s
}

func stamp(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.RFC3339) }

// atMe gives the ids of the messages that call the account.
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
