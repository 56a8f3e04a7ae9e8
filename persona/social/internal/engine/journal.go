package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Tags of a record. They let a message address the bot in the same way after a restart.
const (
	tagAtMe = "at_me"
	tagBot  = "bot"
	tagTo   = "to:"  // a mentioned account
	tagID   = "id:"  // the platform's form of the message id
	tagAct  = "act"  // an action, such as a poke
	tagOut  = "out:" // the outline
)

// record converts a message for memory.
func record(c *Chat, m persona.Message) memory.Record {
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
	if m.Action {
		tags = append(tags, tagAct)
	}
	if o := outline(m); o != "" {
		tags = append(tags, tagOut+o)
	}
	for _, who := range m.Mentions[:min(len(m.Mentions), 16)] {
		tags = append(tags, tagTo+who)
	}
	return memory.Record{
		ID: m.Key, Space: c.Space, Kind: memory.KindMessage, Text: ClipRecord(m.Text), Person: m.From, Name: m.Name,
		ReplyTo: m.ReplyTo, Own: m.Own, At: m.At, Tags: tags,
	}
}

// MessageFromRecord converts a record for prompts.
func MessageFromRecord(c *Chat, rec memory.Record) persona.Message {
	m := persona.Message{
		ID: messageID(rec.ID), Key: rec.ID, Chat: c.ID, From: rec.Person, Name: rec.Name, At: rec.At, Text: ClipPrompt(rec.Text), Own: rec.Own, ReplyTo: rec.ReplyTo,
	}
	typed := ""
	for _, tag := range rec.Tags {
		switch {
		case tag == tagAtMe:
			m.AtMe = true
		case tag == tagBot:
			m.Bot = true
		case strings.HasPrefix(tag, tagTo):
			m.Mentions = append(m.Mentions, tag[len(tagTo):])
		case tag == tagAct:
			m.Action = true
		case strings.HasPrefix(tag, tagOut):
			typed = tag[len(tagOut):]
		case strings.HasPrefix(tag, tagID):
			m.ID = tag[len(tagID):]
		}
	}
	m.Parts = outlineParts(typed, m.Mentions)
	return m
}

// Identify sets the key of a message and of its quote. It is called once, on receipt.
func (e *Engine) Identify(m *persona.Message) {
	m.Key = e.NormalizeID(m.ID) + "@" + strconv.FormatInt(m.At.Unix(), 10)
	if m.Quote != nil {
		m.Quote.Key = e.NormalizeID(m.Quote.ID)
	}
}

// QuoteOf returns a quote of a message.
func (e *Engine) QuoteOf(m persona.Message) persona.Quote {
	return persona.Quote{ID: m.ID, Key: e.NormalizeID(m.ID), From: m.From, Name: m.Name, Text: ClipPrompt(m.Text), Own: m.Own, Parts: m.Parts}
}

// NormalizeID returns the form of an id for comparisons.
func (e *Engine) NormalizeID(id string) string {
	if e.Options.Features.MessageKey != nil {
		return e.Options.Features.MessageKey(id)
	}
	return id
}

// journal writes a message to memory. If that fails, the message counts as unknown, so that it is journaled when it
// comes again. The failed write may have succeeded all the same. Its record would then stand before messages that the
// bot has answered since, so the next attempt deletes it first. Banned messages go to the secret space, which no turn
// reads, and so do notices about the owner's own conversation. The message is deleted with its sources.
func (e *Engine) journal(ctx context.Context, c *Chat, m persona.Message, banned bool, sources ...string) error {
	rec := record(c, m)
	rec.Sources = sources
	if l := messageLabel(e, c, m); l != c.Label {
		rec.Label = l
	}
	if banned || m.Own && e.Router.IsOwnersChat(c.ID) && isOwners(rec.Label) {
		rec.Space = rec.Space.Secret()
	}
	c.mu.Lock()
	torn := c.seen.failed.Has(m.Key)
	c.mu.Unlock()
	var err error
	if torn {
		err = e.Memory.Delete(ctx, rec.Space, rec.ID)
	}
	if err == nil {
		err = e.Memory.Put(ctx, rec)
	}
	if errors.Is(err, memory.ErrNotIndexed) { // it is journaled, and found by words
		e.Log.Warn("a message is journaled but not indexed", "chat", c.ID, "err", err)
		err = nil
	}
	if err != nil {
		c.mu.Lock()
		c.seen.remove(m.Key)
		c.mu.Unlock()
		return err
	}
	if rec.Space == c.Space {
		e.Watchers.emit(c.ID, trace.Event{Message: &m})
	}
	return nil
}

// journalOwn journals a message that the bot sent. The platform's echo, before or after, is a duplicate.
func (e *Engine) journalOwn(ctx context.Context, c *Chat, id string, out persona.Outgoing) {
	if id == "" {
		return
	}
	m := persona.Message{ID: id, Chat: c.ID, From: e.SelfIn(c.ID), Name: e.Options.Profile.Name, At: time.Now(), Text: out.Content(), ReplyTo: out.ReplyTo, Own: true}
	e.Identify(&m)
	if e.markSeen(c, m) {
		if err := e.journal(ctx, c, m, false); err != nil {
			e.Log.Error("a sent message was not journaled", "chat", c.ID, "err", err)
		}
	}
	c.mu.Lock()
	c.seen.confirm(messageID(m.Key))
	c.mu.Unlock()
}

// NewOwnerMessage returns a new message of the owner with a key of its own.
func (e *Engine) NewOwnerMessage(now time.Time, text string) persona.Message {
	id := fmt.Sprintf("%d-%d", now.UnixNano(), e.Counters.ownerLines.Add(1))
	return persona.Message{ID: id, Key: id, Chat: e.OwnerChat.ID, From: "owner", Name: "主人", At: now, Text: text}
}

// PutOwnerMessage journals a message in the owner's conversation.
func (e *Engine) PutOwnerMessage(ctx context.Context, m persona.Message, l memory.Label, sources ...string) error {
	err := e.Memory.Put(ctx, memory.Record{
		ID: m.ID, Space: memory.Owner, Kind: memory.KindMessage, Text: ClipRecord(m.Text), Person: m.From, Name: m.Name, Own: m.Own, At: m.At, Sources: sources, Label: l,
	})
	if err != nil && !errors.Is(err, memory.ErrNotIndexed) {
		return err
	}
	e.Watchers.emit(m.Chat, trace.Event{Message: &m})
	return nil
}

// putAnswer journals an answer to the owner.
func (t *Turn) putAnswer(ctx context.Context, text string) {
	e := t.Engine
	own := e.NewOwnerMessage(time.Now(), text)
	own.From, own.Name, own.Own = e.SelfID(), e.Options.Profile.Name, true
	if err := e.PutOwnerMessage(ctx, own, t.LabelFor(DatumOwnerAnswer)); err != nil {
		e.Log.Error("an answer to the owner was not journaled", "err", err)
	}
}

// markSeen marks a message as known, and reports whether it was new. A message that was retracted before it arrived is
// not new.
func (e *Engine) markSeen(c *Chat, m persona.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.seen.recalled.Has(messageID(m.Key)) && c.seen.add(m.Key, m.Own)
}
