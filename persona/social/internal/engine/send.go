package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// ErrNoTurn is what the mouth answers when something wants to speak outside of a turn.
var ErrNoTurn = errors.New("social: nothing is said outside of a turn")

// whyOwner is the reason of what the owner has said elsewhere.
const whyOwner heartflow.Code = "owner"

// Commit makes the errand's start durable before its first effect: from then on nothing of it runs again.
// The entries are what is said; first is the place of the first in the errand's outbox.
func (t *Turn) Commit(ctx context.Context, entries ...jobs.Entry) (first int, err error) {
	if err := t.Act(); err != nil {
		return 0, err
	}
	first, err = t.Engine.Jobs.Commit(ctx, time.Now(), t.ID, entries...)
	if err == nil {
		t.mu.Lock()
		t.durable = true
		t.mu.Unlock()
	}
	return first, err
}

// Send sends a message of u, which may be all of it.
func (u *Utterance) Send(ctx context.Context, out persona.Outgoing) (id string, err error) {
	t, b, chat := u.Turn, u.Turn.Engine, u.Chat
	r, err := b.Chat(ctx, chat)
	if err != nil {
		return "", err
	}
	if err := r.tongue.Lock(ctx); err != nil {
		return "", err
	}
	defer r.tongue.Unlock()

	if err := t.wait(ctx, chat, u.Said > 0); err != nil {
		return "", err
	}
	now := time.Now()
	if err := u.permitted(now); err != nil {
		if t.Lost() == nil {
			b.Counters.refused.Add(1)
		}
		return "", err
	}
	entry := jobs.Entry{Chat: chat, Text: OutText(out), ReplyTo: out.ReplyTo, At: now}
	n, err := t.Commit(ctx, entry)
	if err != nil {
		return "", fmt.Errorf("social: the errand could not be committed, so nothing is sent: %w", err)
	}
	id, sendErr := b.Options.Link.Send(ctx, chat, out)
	if u.After != nil {
		defer u.After()
	}
	unclear := errors.Is(sendErr, ErrUnclear)
	t.Sent(chat, sendErr, unclear)

	after, stop := Afterwards(ctx)
	defer stop()
	if err := b.Jobs.Result(after, time.Now(), t.ID, n, id, sendErr, unclear); err != nil {
		b.Log.Error("the result of a send was not kept", "chat", chat, "err", err)
	}
	if sendErr != nil {
		b.Counters.sendFailed.Add(1)
		if unclear {
			b.Log.Warn("it is unclear whether this was sent; it is not sent again", "chat", chat, "err", sendErr)
			b.unconfirmed.doubt(doubtful{errand: t.ID, n: n, entry: entry})
		}
		return "", sendErr
	}
	b.Counters.spoken.Add(1)
	b.keepOwn(after, r, id, out)
	u.Said, u.Last = u.Said+1, time.Now()
	return id, nil
}

// permitted asks whether the next message may leave: the first counts for all of them.
func (u *Utterance) permitted(now time.Time) error {
	t := u.Turn
	if err := t.Act(); err != nil {
		return err
	}
	if u.Said == 0 {
		return t.permit(now, u.Chat, u.Whole)
	}
	if err := t.Halted(); err != nil {
		return err
	}
	return t.Engine.Attention.AllowNext(now, u.Chat)
}

// Say sends one message of a turn, as tools do.
func (t *Turn) Say(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	u := &Utterance{Turn: t, Chat: chat, Whole: out.Text}
	return u.Send(ctx, out)
}

// say is the mouth, the only way out, for replies and for tools alike:
// wait, then fresh and within the caps, commit, send, result.
func (b *Engine) say(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	t := TurnFrom(ctx)
	if t == nil {
		return "", ErrNoTurn
	}
	return t.Say(ctx, chat, out)
}

// permit asks attention, which counts in the same call.
func (t *Turn) permit(now time.Time, chat persona.Chat, text string) error {
	b := t.Engine
	if t.Order || t.Chat.Agent() { // an order of the owner: nothing was judged, and the gates are the same
		return b.Attention.Speak(now, chat, text, whyOwner)
	}
	return b.Attention.Speak(now, chat, text)
}

// wait is the pace of the link. more: it is a further part of what was said before.
func (t *Turn) wait(ctx context.Context, chat persona.Chat, more bool) error {
	b := t.Engine
	if more && b.Options.Features.WaitToSendPart != nil {
		return b.Options.Features.WaitToSendPart(ctx, chat)
	}
	if b.Options.Features.WaitToSend != nil {
		return b.Options.Features.WaitToSend(ctx, chat)
	}
	return nil
}

// keepOwn journals what the being said. The platform's echo of it, before or after, counts once.
func (b *Engine) keepOwn(ctx context.Context, r *Chat, id string, out persona.Outgoing) {
	if id == "" {
		return
	}
	m := persona.Message{ID: id, Chat: r.ID, From: b.SelfID(), Name: b.Options.Profile.Name, At: time.Now(), Text: OutText(out), ReplyTo: out.ReplyTo, Own: true}
	b.Identify(&m)
	if b.isNew(r, m) {
		if err := b.keep(ctx, r, m, false); err != nil {
			b.Log.Error("an own message was not kept", "chat", r.ID, "err", err)
		}
	}
	r.mu.Lock()
	r.seen.confirm(messageID(m.Key))
	r.mu.Unlock()
}

// OutText is the text that the platform tells of a message.
func OutText(out persona.Outgoing) string {
	text := out.Text
	if out.MentionEveryone {
		text = "@全体成员 " + text
	}
	if out.Image != "" {
		text += "[图片]"
	}
	return text
}
