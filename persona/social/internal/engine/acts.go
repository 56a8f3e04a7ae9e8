package engine

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
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

// message converts an event to a message that tells what somebody did. ok is false for other events and for what is not told.
func (e actHandler) message(ctx context.Context, ev persona.Event) (m persona.Message, calls, ok bool) {
	switch ev := ev.(type) {
	case persona.Poked:
		to := cmp.Or(ev.ToName, ev.To)
		if ev.ToMe {
			to = e.Options.Profile.Name
		}
		m = newAct(ev.Chat, ev.From, ev.Name, ev.At, "poke/"+ev.From+"/"+ev.To, "戳了戳 "+to)
		return m, ev.ToMe, true
	case persona.Reacted:
		if ev.Removed || ev.From == "" {
			return m, false, false
		}
		target, own := e.excerpt(ctx, ev.Chat, ev.MessageID)
		m = newAct(ev.Chat, ev.From, ev.Name, ev.At, "react/"+ev.From+"/"+ev.MessageID+"/"+ev.Face.ID, "给"+target+"回应了 "+cmp.Or(ev.Face.Name, "表情"))
		return m, own && e.Options.ReactionsCall, true
	case persona.MemberJoined:
		return newAct(ev.Chat, ev.ID, ev.Name, ev.At, "join/"+ev.ID, "加入了群"), false, true
	case persona.MemberLeft:
		what := "退出了群"
		if ev.By != "" {
			what = "被移出了群"
		}
		return newAct(ev.Chat, ev.ID, ev.Name, ev.At, "left/"+ev.ID, what), false, true
	case persona.MemberChanged:
		what := changeText(ev)
		return newAct(ev.Chat, ev.ID, ev.Name, ev.At, ev.Kind+"/"+ev.ID, what), false, what != ""
	}
	return m, false, false
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

// excerpt returns the beginning of a message in quotes, and whether the bot sent it.
func (e actHandler) excerpt(ctx context.Context, chat persona.Chat, id string) (text string, own bool) {
	if c, err := e.Chat(ctx, chat); err == nil {
		m := persona.Message{Chat: chat, ReplyTo: id}
		e.resolveQuote(ctx, c, &m)
		if q := m.Quote; q != nil {
			who := q.Name
			if q.Own {
				who = e.Options.Profile.Name
			}
			return " " + who + " 的「" + clip.Ellipsis(QuoteLine(q.Text), maxExcerptRunes) + "」", q.Own
		}
	}
	return "一条消息", false
}

// handle journals what somebody did. If it calls the bot, it is handled like a message that mentions the bot.
func (e actHandler) handle(ctx context.Context, m persona.Message, calls bool) error {
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
	m.Own = m.From == e.SelfID() && m.From != ""
	switch {
	case e.Tombstones.Covers(m.Chat, m.From, m.At):
		return nil
	case !c.allowAct(time.Now()):
		e.Counters.actsDropped.Add(1)
		return nil
	case !e.markSeen(c, m):
		return nil
	}
	if calls = calls && !m.Own && time.Since(m.At) <= e.Options.MaxAge; calls {
		if m.AtMe, err = e.mayCallAgain(ctx, c, m); err != nil {
			return err
		}
	}
	banned := c.filter(&m)
	if err := e.journal(ctx, c, m, banned); err != nil {
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
	id := e.normalizeID(ev.MessageID)
	for _, rec := range past {
		if messageID(rec.ID) != id {
			continue
		}
		m := MessageFromRecord(c, rec)
		m.Text, m.Parts = ev.Text, ev.Parts
		if c.filter(&m) {
			return e.handleRetraction(ctx, persona.Retracted{Chat: ev.Chat, MessageID: ev.MessageID, By: rec.Person, At: ev.At})
		}
		if err := rewriteText(ctx, e.Engine, c, m); err != nil {
			return err
		}
	}
	e.replaceWaiting(c, id, ev)
	return nil
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
