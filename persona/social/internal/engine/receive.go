package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// handleEvent handles an event of the link. The link calls it in order for each chat.
func (e *Engine) handleEvent(ctx context.Context, ev persona.Event) {
	if e.invalid.reject(e.Log, ev) {
		return
	}
	e.Link.once.Do(func() {
		if out, ok := ev.(persona.Disconnected); !ok || out.Others { // events of a chat may come before Connected
			e.Attention.UnmuteAll(time.Now())
		}
	})
	if _, ok := ev.(persona.Connected); ok {
		e.openGaps() // first of all, because messages may come soon
	}
	defer e.Link.ready() // after the mute is lifted below
	for _, p := range e.parts {
		if p.Event != nil {
			p.Event(ctx, ev)
		}
	}
	switch ev := ev.(type) {
	case persona.Message:
		e.gaps.wait(ctx, ev.Chat)
		e.Identify(&ev)
		if err := e.receive(ctx, ev); err != nil {
			e.Log.Error("a message was not journaled and is not handled", "chat", ev.Chat, "id", ev.ID, "err", err)
		}
	case persona.Edited:
		e.gaps.wait(ctx, ev.Chat)
		if err := (actHandler{e}).edit(ctx, ev); err != nil {
			e.Log.Error("an edited message was not changed", "chat", ev.Chat, "id", ev.MessageID, "err", err)
		}
	case persona.Retracted:
		if err := e.handleRetraction(ctx, ev); err != nil {
			e.Log.Error("a recalled message was not deleted", "chat", ev.Chat, "id", ev.MessageID, "err", err)
		}
	case persona.MessagesLost:
		e.Counters.linkOverflow.Add(int64(ev.Count))
		if c := e.LoadedChat(ev.Chat); c != nil {
			c.openGap()
		}
		e.gaps.add(ev.Chat)
	case persona.Connected:
		e.Link.setOnline(ev.Self.Platform, true)
		e.Watchers.emit(persona.Chat{}, trace.Event{Link: &trace.Link{Online: true, Self: ev.Self}})
		e.self.store(ev.Self)
		e.Attention.UnmuteAll(time.Now())
		e.gaps.signal()
	case persona.Disconnected:
		e.Link.setOnline(ev.Self.Platform, false)
		e.Watchers.emit(persona.Chat{}, trace.Event{Link: &trace.Link{Self: ev.Self, Reason: ev.Reason}})
		text := "账号掉线了，暂时不能说话。"
		if ev.Others {
			text = ev.Self.Platform + " 上的账号掉线了，那边暂时不能说话，别处照常。"
		} else {
			e.Attention.MuteAll(time.Now(), time.Time{})
		}
		e.NotifyOwner(ctx, Notice{Text: text + ev.Reason, Label: memory.Untrusted()})
	default:
		if a, ok := (actHandler{e}).actOf(ctx, ev); ok {
			e.gaps.wait(ctx, a.Chat)
			if err := (actHandler{e}).handle(ctx, a); err != nil {
				e.Log.Error("an act was not journaled", "chat", a.Chat, "what", a.ID, "err", err)
			}
		}
	}
}

// receive journals a message and puts it into the buffer.
func (e *Engine) receive(ctx context.Context, m persona.Message) error {
	e.Counters.received.Add(1)
	c, err := e.Chat(ctx, m.Chat)
	if err != nil {
		e.Counters.failed.Add(1)
		return err
	}
	if c.Off() {
		e.Counters.chatOff.Add(1)
		return nil
	}
	if err := c.ReceiveMu.Lock(ctx); err != nil {
		e.Counters.failed.Add(1)
		return err
	}
	defer c.ReceiveMu.Unlock()

	if e.Tombstones.Covers(m.Chat, m.From, m.At) {
		e.Counters.erased.Add(1)
		return nil
	}
	m.Name, m.ChatName = clip.Bytes(m.Name, NameBytes), clip.Bytes(m.ChatName, NameBytes)
	c.setName(m.ChatName)
	if !e.markSeen(c, m) {
		e.Counters.duplicates.Add(1)
		return nil
	}
	e.resolveQuote(ctx, c, &m)
	banned := c.filter(&m)
	if err := e.journal(ctx, c, m, banned); err != nil {
		e.Counters.failed.Add(1)
		return err
	}
	if banned {
		e.Counters.banned.Add(1)
		return nil
	}
	if m.Own {
		e.Counters.ownMessages.Add(1)
		if time.Since(m.At) <= e.Options.MaxAge {
			e.Attention.Observe(time.Now(), c.ID, e.attentionMessage(m, false)) // somebody may have typed it with the bot's account
		}
		return nil
	}
	if time.Since(m.At) > e.Options.MaxAge {
		e.Counters.tooOld.Add(1)
		e.Router.Observe(time.Now(), m)
		return nil
	}
	e.enqueue(c, m, false)
	return nil
}

// enqueue lets attention observe a journaled message and puts it into the buffer. replayed means that the bot has
// already seen the message and has spoken since.
func (e *Engine) enqueue(c *Chat, m persona.Message, replayed bool) {
	now := time.Now()
	m.Text = ClipPrompt(m.Text)
	e.Router.Observe(now, m)
	if e.handledByPart(c, m) {
		return
	}
	notice := e.Attention.Observe(now, c.ID, e.attentionMessage(m, replayed))
	h := Incoming{Message: m, ReceivedAt: now, Called: notice.Addressed}
	for _, p := range e.parts {
		if p.Observed != nil {
			p.Observed(now, c, m, notice.Addressed)
		}
		if p.Reason != nil {
			h.Reason = cmp.Or(h.Reason, p.Reason(now, m))
		}
	}
	if notice.Addressed {
		c.requestTurn()
		e.Buffer.AddUrgent(c.ID, h)
	} else {
		e.Buffer.Add(c.ID, h)
	}
	if notice.Supersedes {
		c.supersede()
	}
}

// attentionMessage converts a message for attention.
func (e *Engine) attentionMessage(m persona.Message, replayed bool) heartflow.Message {
	return heartflow.Message{
		ID: messageID(m.Key), From: m.From, Text: OwnWords(m), At: m.At, Addressees: m.Mentions, FromBot: m.Bot, Own: m.Own,
		AtMe: m.AtMe, ReplyToMe: m.Quote != nil && m.Quote.Own, Private: m.Chat.Kind == persona.Private, QuoteID: e.NormalizeID(m.ReplyTo),
		Replayed: replayed,
	}
}

// OwnWords returns the text of a message without the words of others in it: names, files, cards, forwards and transcripts. So
// none of them calls the bot by its name.
func OwnWords(m persona.Message) string {
	if m.Parts == nil {
		return m.Text
	}
	parts := make([]persona.Part, len(m.Parts))
	for i, p := range m.Parts {
		switch p := p.(type) {
		case persona.Text, persona.Face:
			parts[i] = p
		case persona.Mention:
			parts[i] = persona.Text("@")
		case persona.Picture:
			parts[i] = persona.Picture{}
		case persona.Voice:
			parts[i] = persona.Voice{}
		case persona.File:
			parts[i] = persona.File{}
		case persona.Forward:
			parts[i] = persona.Forward{}
		case persona.Card:
			parts[i] = persona.Card{}
		case persona.Location:
			parts[i] = persona.Location{}
		default:
			parts[i] = persona.Other{}
		}
	}
	return persona.TextOf(parts)
}

// resolveQuote fills in the message that m answers, from memory.
func (e *Engine) resolveQuote(ctx context.Context, c *Chat, m *persona.Message) {
	// The quoted author may have been erased. Memory still has messages that they sent later.
	forgotten := m.Quote != nil && e.Tombstones.Has(m.Chat, m.Quote.From)
	if m.ReplyTo == "" || m.Quote != nil && !forgotten {
		return
	}
	m.Quote = nil
	key := e.NormalizeID(m.ReplyTo)
	past, err := e.Memory.Recent(ctx, c.Space, Remembered)
	if err != nil {
		e.Log.Warn("a quoted message could not be read", "chat", c.ID, "err", err)
	}
	for i := len(past) - 1; i >= 0; i-- {
		if messageID(past[i].ID) == key {
			m.Quote = &persona.Quote{ID: m.ReplyTo, Key: key, From: past[i].Person, Name: past[i].Name, Text: ClipPrompt(past[i].Text), Own: past[i].Own}
			return
		}
	}
}

// handleRetraction removes a recalled message from memory, from the buffer and from the turn in progress.
func (e *Engine) handleRetraction(ctx context.Context, ev persona.Retracted) error {
	c, err := e.Chat(ctx, ev.Chat)
	if err != nil || c.Off() {
		return err
	}
	if err := c.ReceiveMu.Lock(ctx); err != nil {
		return err
	}
	defer c.ReceiveMu.Unlock()

	key := e.NormalizeID(ev.MessageID)
	e.Counters.recalled.Add(1)
	c.mu.Lock()
	c.seen.recalled.Add(key)
	row, err := json.Marshal(c.seen.recalled.All())
	c.mu.Unlock()
	if err != nil {
		return err
	}
	e.Buffer.Drop(c.ID, func(m Incoming) bool { return m.TurnReason == "" && messageID(m.Key) == key })
	e.Attention.Retract(time.Now(), c.ID, key)
	c.cancelRetracted(key)
	if err := e.Options.Store.Apply(ctx, map[string][]byte{retractedKey(c.ID): row}); err != nil {
		return err
	}
	for _, space := range []memory.Space{c.Space, c.Space.Secret()} {
		past, err := e.Memory.Recent(ctx, space, Remembered)
		if err == nil {
			err = e.deleteRetracted(ctx, c, space, past)
		}
		if err != nil {
			return err
		}
	}
	e.Watchers.emit(c.ID, trace.Event{Retracted: key})
	return nil
}
