package engine

import (
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// What a record carries beside its fields, so that after a restart a message calls as it did.
const (
	tagAtMe = "at_me"
	tagBot  = "bot"
	tagTo   = "to:" // and whom it mentions
	tagID   = "id:" // and the platform's own writing of the message's id
)

// record is the message as memory keeps it.
func record(r *Chat, m persona.Message) memory.Record {
	var tags []string
	if m.AtMe {
		tags = append(tags, tagAtMe)
	}
	if m.Bot {
		tags = append(tags, tagBot)
	}
	if m.ID != messageID(m.Key) {
		tags = append(tags, tagID+m.ID)
	}
	for _, who := range m.Mentions[:min(len(m.Mentions), 16)] {
		tags = append(tags, tagTo+who)
	}
	return memory.Record{
		ID: m.Key, Space: r.Space, Kind: memory.KindMessage, Text: ClipRecord(m.Text), Person: m.From, Name: m.Name,
		ReplyTo: m.ReplyTo, Own: m.Own, At: m.At, Tags: tags,
	}
}

// Message is the record as a turn sees it.
func Message(r *Chat, rec memory.Record) persona.Message {
	m := persona.Message{
		ID: messageID(rec.ID), Key: rec.ID, Chat: r.ID, From: rec.Person, Name: rec.Name, At: rec.At, Text: ClipPrompt(rec.Text), Own: rec.Own, ReplyTo: rec.ReplyTo,
	}
	for _, tag := range rec.Tags {
		switch {
		case tag == tagAtMe:
			m.AtMe = true
		case tag == tagBot:
			m.Bot = true
		case strings.HasPrefix(tag, tagTo):
			m.Mentions = append(m.Mentions, tag[len(tagTo):])
		case strings.HasPrefix(tag, tagID):
			m.ID = tag[len(tagID):]
		}
	}
	return m
}

// Identify gives a message its key, once, where it enters.
func (b *Engine) Identify(m *persona.Message) {
	m.Key = b.key(m.ID) + "@" + strconv.FormatInt(m.At.Unix(), 10)
	if m.Quote != nil {
		m.Quote.Key = b.key(m.Quote.ID)
	}
}

// key is the id to compare by.
func (b *Engine) key(id string) string {
	if b.Options.Features.MessageKey != nil {
		return b.Options.Features.MessageKey(id)
	}
	return id
}
