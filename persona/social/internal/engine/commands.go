package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/presence"
)

// An order is a command of somebody who may give it.
type order struct {
	persona.Command
	room *Chat
	m    persona.Message
	by   persona.Account
}

const (
	clockFormat    = "01-02 15:04"
	commandKind    = "command"
	longestCommand = 200 // bytes of a message that may be one
	quietUsual     = 30 * time.Minute
)

// adminMay are the commands that an admin may give, too.
func adminMay(k persona.CommandKind) bool {
	return k == persona.CommandQuiet || k == persona.CommandSpeak || k == persona.CommandStatus
}

// ordered reports that a message is a command: no turn sees it then but as history. What it says is looked at only where
// its author may give commands at all, so nobody else can tell that there are any.
func (b *Engine) ordered(r *Chat, m persona.Message) bool {
	who := persona.Account{Platform: m.Chat.Platform, ID: m.From}
	if !b.Options.Commands || m.Own || m.Bot || !b.Router.IsAdmin(who) || len(m.Text) > longestCommand {
		return false
	}
	text, ok := b.addressed(m)
	if !ok {
		return false
	}
	c, ok := persona.ParseCommand(text)
	if !ok || !b.Router.IsOwner(who) && !adminMay(c.Kind) {
		return false
	}
	b.orders.Add(order{c, r, m, who})
	return true
}

// addressed is what a message says to the being: all of it in private; in a group what stands behind a mention of it, and
// of nobody else, or behind its name.
func (b *Engine) addressed(m persona.Message) (string, bool) {
	text := strings.TrimSpace(m.Text)
	if m.Chat.Kind == persona.Private {
		return text, true
	}
	if m.AtMe && strings.HasPrefix(text, "@") {
		i := strings.IndexFunc(text, unicode.IsSpace)
		return text[max(i, 0):], i > 0 && len(m.Mentions) == 1
	}
	for _, name := range append([]string{b.Options.Profile.Name}, b.Options.Profile.Aliases...) {
		rest, ok := strings.CutPrefix(text, name)
		if said := strings.TrimLeft(rest, " \u3000,，:：、"); ok && name != "" && len(said) < len(rest) {
			return said, true
		}
	}
	return "", false
}

// obey carries commands out, one after the other.
func (b *Engine) obey(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.orders.Wake:
		}
		for _, o := range b.orders.Take() {
			if ctx.Err() == nil {
				b.carryOut(ctx, o)
			}
		}
	}
}

// carryOut writes down what a command changes, and answers it. What is cut off before it was answered runs anew while the
// message is fresh; it changes the same thing then.
func (b *Engine) carryOut(ctx context.Context, o order) {
	j := &Job{Chat: o.room, Caller: o.m, Order: true}
	j.Errand = persona.Errand{
		ID: commandKind + "/" + o.room.ID.String() + "/" + o.m.Key, Kind: commandKind, Chat: o.room.ID, At: o.m.At, Until: o.m.At.Add(b.Options.MaxAge),
	}
	var after func()
	j.Ask = func(ctx context.Context, t *Turn) (w Answer, err error) {
		var before func()
		if before, after, w.Text, err = b.command(ctx, o); err != nil && ctx.Err() != nil {
			return w, err
		}
		if err != nil {
			b.Log.Error("a command was not carried out", "command", o.Kind, "err", err)
			w.Text = o.either("没做成。", "That did not work.")
		}
		if o.Kind == persona.CommandForgets { // its row may have been forgotten, too
			if err := b.claim(ctx, j); err != nil && !errors.Is(err, persona.ErrTaken) {
				return w, err
			}
		}
		before()
		return w, nil
	}
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		if err != nil {
			return "error: " + err.Error(), err
		}
		outcome := "done"
		if _, err = t.Say(ctx, o.room.ID, w.Out); err != nil && ctx.Err() != nil && !t.IsDurable() {
			return "", err
		}
		if err != nil && ctx.Err() == nil {
			b.Log.Warn("a command was not answered in its chat", "command", o.Kind, "err", err)
			outcome = "unanswered: " + err.Error()
			if !errors.Is(err, ErrUnclear) {
				b.NotifyOwner(ctx, "在 "+o.room.ID.String()+" 回不了话："+w.Text)
			}
		}
		after()
		return outcome, nil
	}
	if _, err := b.Do(ctx, j); err != nil && !errors.Is(err, persona.ErrOver) && !errors.Is(err, persona.ErrTaken) && ctx.Err() == nil {
		b.Log.Error("a command was not taken up, or that it was carried out was not kept", "command", o.Kind, "err", err)
	}
}

func (o order) either(chinese, english string) string {
	if o.English {
		return english
	}
	return chinese
}

// command writes down what a command changes. What opens a chat happens before the answer, what closes it after.
func (b *Engine) command(ctx context.Context, o order) (before, after func(), answer string, err error) {
	before, after = func() {}, func() {}
	now, chat := time.Now(), o.room.ID
	switch o.Kind {
	case persona.CommandQuiet:
		q := presence.Quiet{Until: o.m.At.Add(cmp.Or(o.For, quietUsual)).Round(0), Owner: b.Router.IsOwner(o.by)}
		if q, err = b.presence.SetQuiet(ctx, now, chat, q); err == nil {
			until := q.Until.In(b.Options.Location).Format(clockFormat)
			answer = o.either("好，安静到 "+until+"。", "All right, quiet until "+until+".")
			after = func() { b.presence.Apply(time.Now(), chat) }
		}
	case persona.CommandSpeak:
		q := b.presence.Quiet(chat)
		if q.Owner && q.Until.After(now) && !b.Router.IsOwner(o.by) {
			answer = o.either("是主人让我安静的。", "My owner wants me quiet.")
			break
		}
		if _, err = b.presence.SetQuiet(ctx, now, chat, presence.Quiet{}); err == nil {
			answer = o.either("好。", "All right.")
			if !q.Until.IsZero() {
				before = func() { b.presence.Apply(time.Now(), chat) }
			}
		}
	case persona.CommandSleep:
		var until time.Time
		if o.For > 0 {
			until = o.m.At.Add(o.For)
		}
		if err = b.presence.SaveSleep(ctx, &until); err == nil {
			answer = o.either("晚安。", "Good night.")
			after = func() { b.Attention.Sleep(time.Now(), until) }
		}
	case persona.CommandWake:
		if err = b.presence.SaveSleep(ctx, nil); err == nil {
			answer = o.either("醒了。", "Awake.")
			before = func() { b.Attention.Wake(time.Now()) }
		}
	case persona.CommandStatus:
		answer = b.status(now, o)
	case persona.CommandForget:
		answer = o.either("你在各个聊天里说过的话，和我对你的印象，都会忘掉，不能恢复。真要这样，就说「确认忘记我」。",
			`What you said in any chat and what I think of you will be forgotten for good. To do that, say "forget me for good".`)
	case persona.CommandForgets:
		if _, err = b.ForgetPerson(ctx, o.by, nil); err == nil {
			answer = o.either("都忘了。", "Forgotten.")
		}
	}
	return before, after, answer, err
}

// status tells how it is: in this chat, and, to an owner in private, at all.
func (b *Engine) status(now time.Time, o order) string {
	chat := o.room.ID
	state := b.Attention.State(now, chat).String()
	energy := int(100 * b.Attention.Energy(now, chat))
	s := o.either(fmt.Sprintf("在这里：%s，精力 %d%%", stateName(state), energy), fmt.Sprintf("Here: %s, energy %d%%", state, energy))
	if h := b.presence.Quiet(chat); h.Until.After(now) {
		until := h.Until.In(b.Options.Location).Format(clockFormat)
		s += o.either("，安静到 "+until, ", quiet until "+until)
	}
	s += o.either("。", ".")
	if chat.Kind != persona.Private || !b.Router.IsOwner(o.by) {
		return s
	}
	c := b.Stats()
	level := b.Options.Attention.Budget.Level(now, "").String()
	return s + o.either(
		fmt.Sprintf("启动以来听到 %d 条，说了 %d 句，调用模型 %d 次，约 %d token，预算 %s，申请 %d 个，留给主人 %d 个。", c.Received, c.Spoken, c.Calls, c.Tokens, level, c.Requests, c.Held),
		fmt.Sprintf(" Since the start: %d heard, %d said, %d model calls, about %d tokens, budget %s, %d requests, %d left to you.", c.Received, c.Spoken, c.Calls, c.Tokens, level, c.Requests, c.Held))
}

func stateName(state string) string {
	switch state {
	case "observing":
		return "潜水"
	case "summoned":
		return "被叫到"
	case "active":
		return "活跃"
	}
	return "离线"
}

// AppOpened notes that a window of the owner's is connected, until closed is called.
func (b *Engine) AppOpened() (closed func()) { return b.Router.AppOpened() }
