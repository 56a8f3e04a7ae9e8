package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// Limits of acts, such as pokes and reactions. Unlike messages they cost their author nothing.
const (
	pokeInterval     = 10 * time.Minute // a person's pokes in this time call the bot once
	maxActsPerMinute = 10               // of a chat; further ones are dropped
	maxExcerptRunes  = 20               // of the message that somebody reacted to
)

// An actHandler handles what people do beside sending messages.
type actHandler struct{ *Engine }

// An act is a message that tells what somebody did.
type act struct {
	persona.Message
	calls  bool   // it may call the bot
	source string // id of the record that it quotes; "" for none. Both are deleted together
}

// actOf converts an event to an act. ok is false for other events and for what is not told.
func (e actHandler) actOf(ctx context.Context, ev persona.Event) (a act, ok bool) {
	switch ev := ev.(type) {
	case persona.Poked:
		to := cmp.Or(ev.ToName, ev.To)
		if ev.ToMe {
			to = e.Options.Profile.Name
		}
		return act{Message: newAct(ev.Chat, ev.From, ev.Name, ev.At, "poke/"+ev.From+"/"+ev.To, "戳了戳 "+to), calls: ev.ToMe}, true
	case persona.Reacted:
		if ev.Removed || ev.From == "" {
			return a, false
		}
		target, quoted := e.excerpt(ctx, ev.Chat, ev.MessageID)
		m := newAct(ev.Chat, ev.From, ev.Name, ev.At, "react/"+ev.From+"/"+ev.MessageID+"/"+ev.Face.ID, "给"+target+"回应了 "+cmp.Or(ev.Face.Name, "表情"))
		m.ReplyTo = ev.MessageID
		return act{Message: m, calls: quoted.Own && e.Options.ReactionsCall, source: quoted.ID}, true
	case persona.MemberJoined:
		return act{Message: newAct(ev.Chat, ev.ID, ev.Name, ev.At, "join/"+ev.ID, "加入了群")}, true
	case persona.MemberLeft:
		what := "退出了群"
		if ev.By != "" {
			what = "被移出了群"
		}
		return act{Message: newAct(ev.Chat, ev.ID, ev.Name, ev.At, "left/"+ev.ID, what)}, true
	case persona.MemberChanged:
		what := changeText(ev)
		return act{Message: newAct(ev.Chat, ev.ID, ev.Name, ev.At, ev.Kind+"/"+ev.ID, what)}, what != ""
	}
	return a, false
}

// newAct returns the message of an act. Its id has the form act:kind/person/….
func newAct(chat persona.Chat, who, name string, at time.Time, id, what string) persona.Message {
	parts := []persona.Part{persona.Other{Label: clip.Bytes(strings.Join(strings.Fields(what), " "), NameBytes)}}
	return persona.Message{ID: actPrefix + id, Chat: chat, From: who, Name: name, At: at, Parts: parts, Text: persona.TextOf(parts), Action: true}
}

// changeText tells how a member changed; "" for an unknown kind.
func changeText(ev persona.MemberChanged) string {
	switch {
	case ev.Kind == persona.AdminChanged && ev.Value == "set":
		return "成了群管理员"
	case ev.Kind == persona.AdminChanged:
		return "不再是群管理员"
	case ev.Kind == persona.TitleChanged && ev.Value == "":
		return "的头衔被取消了"
	case ev.Kind == persona.TitleChanged:
		return "得到了头衔「" + ev.Value + "」"
	case ev.Kind == persona.CardChanged && ev.Value != "":
		return "把群名片改成了「" + ev.Value + "」"
	}
	return ""
}

// excerpt returns the beginning of a message in quotes, and its record, which is zero if it is unknown.
func (e actHandler) excerpt(ctx context.Context, chat persona.Chat, id string) (text string, quoted memory.Record) {
	c, err := e.Chat(ctx, chat)
	if err != nil {
		return "一条消息", quoted
	}
	past, err := e.Memory.Recent(ctx, c.Space, Remembered)
	if err != nil {
		e.Log.Warn("a message with a reaction could not be read", "chat", chat, "err", err)
	}
	key := e.NormalizeID(id)
	for _, rec := range slices.Backward(past) {
		if messageID(rec.ID) != key {
			continue
		}
		who := rec.Name
		if rec.Own {
			who = e.Options.Profile.Name
		}
		return " " + who + " 的「" + clip.Ellipsis(QuoteLine(rec.Text), maxExcerptRunes) + "」", rec
	}
	return "一条消息", quoted
}

// handle journals what somebody did. If it calls the bot, it is handled like a message that mentions the bot.
func (e actHandler) handle(ctx context.Context, a act) error {
	m := a.Message
	c, err := e.Chat(ctx, m.Chat)
	if err != nil || c.Off() {
		return err
	}
	if err := c.ReceiveMu.Lock(ctx); err != nil {
		return err
	}
	defer c.ReceiveMu.Unlock()
	e.Identify(&m)
	m.Name = clip.Bytes(m.Name, NameBytes)
	m.Own = m.From == e.SelfIn(m.Chat) && m.From != ""
	switch {
	case e.Tombstones.Covers(m.Chat, m.From, m.At):
		return nil
	case !c.allowAct(time.Now()):
		e.Counters.actsDropped.Add(1)
		return nil
	case !e.markSeen(c, m):
		return nil
	}
	if a.calls && !m.Own && time.Since(m.At) <= e.Options.MaxAge {
		if m.AtMe, err = e.mayCallAgain(ctx, c, m); err != nil {
			return err
		}
	}
	banned := c.filter(&m)
	var sources []string
	if a.source != "" {
		sources = []string{a.source}
	}
	if err := e.journal(ctx, c, m, banned, sources...); err != nil {
		return err
	}
	if m.AtMe && !banned {
		e.enqueue(c, m, false)
	}
	return nil
}

// mayCallAgain reports whether an act of a person may call the bot: no act did in the last ten minutes. The journal knows,
// also after a restart.
func (e actHandler) mayCallAgain(ctx context.Context, c *Chat, m persona.Message) (bool, error) {
	past, err := e.Memory.Recent(ctx, c.Space, Remembered)
	for _, rec := range past {
		before := MessageFromRecord(c, rec)
		if before.Action && before.AtMe && before.From == m.From && m.At.Sub(before.At) < pokeInterval {
			return false, err
		}
	}
	return true, err
}

// allowAct counts an act, and reports whether it is within the limit of its chat.
func (c *Chat) allowAct(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.actsSince) >= time.Minute || now.Before(c.actsSince) {
		c.actsSince, c.acts = now, 0
	}
	c.acts++
	return c.acts <= maxActsPerMinute
}

// edit replaces the text of a message in the journal and in the buffer. It does not call the bot.
func (e actHandler) edit(ctx context.Context, ev persona.Edited) error {
	c, err := e.Chat(ctx, ev.Chat)
	if err != nil || c.Off() {
		return err
	}
	past, err := e.Memory.Recent(ctx, c.Space, Remembered)
	if err != nil {
		return err
	}
	id := e.NormalizeID(ev.MessageID)
	for _, rec := range past {
		if messageID(rec.ID) != id {
			continue
		}
		m := MessageFromRecord(c, rec)
		m.Text, m.Parts = ev.Text, ev.Parts
		if ev.Parts != nil {
			m.Mentions = mentioned(ev.Parts)
		}
		if c.filter(&m) {
			return e.handleRetraction(ctx, persona.Retracted{Chat: ev.Chat, MessageID: ev.MessageID, By: rec.Person, At: ev.At})
		}
		edited := record(c, m)
		if err := rewrite(ctx, e.Engine, c, m, func(rec *memory.Record) { rec.Text, rec.Tags = edited.Text, edited.Tags }); err != nil {
			return err
		}
	}
	e.replaceWaiting(c, id, ev)
	return nil
}

// mentioned returns the ids of the users that parts mention.
func mentioned(parts []persona.Part) (ids []string) {
	for _, p := range parts {
		if m, ok := p.(persona.Mention); ok && m.ID != "" {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// replaceWaiting gives a message that waits to be judged its new text. Its wait begins again.
func (e actHandler) replaceWaiting(c *Chat, id string, ev persona.Edited) {
	var waiting []Incoming
	e.Buffer.Drop(c.ID, func(m Incoming) bool {
		is := m.TurnReason == "" && messageID(m.Key) == id
		if is {
			waiting = append(waiting, m)
		}
		return is
	})
	for _, m := range waiting {
		if m.Text, m.Parts = ClipPrompt(ev.Text), ev.Parts; m.Called {
			e.Buffer.AddUrgent(c.ID, m)
		} else {
			e.Buffer.Add(c.ID, m)
		}
	}
}
