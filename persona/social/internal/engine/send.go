package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// ErrNoTurn is returned to a tool that sends a message outside of a turn.
var ErrNoTurn = errors.New("social: messages can be sent only by a turn")

// ErrCannotSend is returned for a message that the platform cannot send and that no text can stand for, such as a poke.
var ErrCannotSend = errors.New("social: the platform cannot send this")

// whyOwner is the reason of a message that the owner ordered outside of the chat.
const whyOwner heartflow.Code = "owner"

// Commit stores that the job starts to act, before its first effect. From then on nothing of it runs again. The
// entries are the messages to send; first is the index of the first one in the job's outbox.
func (t *Turn) Commit(ctx context.Context, entries ...jobs.Entry) (first int, err error) {
	if err := t.startActing(); err != nil {
		return 0, err
	}
	first, err = t.Engine.Jobs.Commit(ctx, time.Now(), t.ID, entries...)
	if err == nil {
		t.mu.Lock()
		t.committed = true
		t.mu.Unlock()
	}
	return first, err
}

// Send sends one message of u, or all of it. It waits for the rate limit, checks staleness, retractions and caps, commits
// the job, sends, and stores the result.
func (u *Utterance) Send(ctx context.Context, out persona.Outgoing) (id string, err error) {
	t, e, chat := u.Turn, u.Turn.Engine, u.Chat
	c, err := e.Chat(ctx, chat)
	if err != nil {
		return "", err
	}
	if err := c.sendMu.Lock(ctx); err != nil {
		return "", err
	}
	defer c.sendMu.Unlock()

	if err := t.waitForRate(ctx, chat, u.SentCount > 0); err != nil {
		return "", err
	}
	now := time.Now()
	if _, err := u.permitted(now, out.ReplyTo); err != nil {
		e.Counters.rejected.Add(1)
		return "", err
	}
	if err := u.checkLimits(now); err != nil {
		if t.CancelCause() == nil {
			e.Counters.rejected.Add(1)
		}
		return "", err
	}
	if out = u.withQuote(ctx, out.Degrade(e.Options.Features.CanSend(chat))); out.IsEmpty() {
		return "", ErrCannotSend
	}
	entry := jobs.Entry{Chat: chat, Text: out.Content(), ReplyTo: out.ReplyTo, At: now}
	if !u.Label.IsZero() {
		entry.Label = u.Label.String()
	}
	n, err := t.Commit(ctx, entry)
	if err != nil {
		return "", fmt.Errorf("social: the job could not be committed, so nothing is sent: %w", err)
	}
	id, sendErr := e.Options.Link.Send(ctx, chat, out)
	if u.AfterSend != nil {
		defer u.AfterSend()
	}
	unclear := errors.Is(sendErr, ErrUnclear)
	u.Failed = sendErr != nil && !unclear
	t.NoteSent(chat, sendErr, unclear)
	e.Watchers.sent(t, chat, out, id, sendErr, unclear)

	after, stop := DetachedContext(ctx)
	defer stop()
	if sendErr == nil { // before the result, so that a message with a result is never missing in the journal
		e.journalOwn(after, c, id, out)
		for _, p := range e.parts {
			if p.Sent != nil {
				p.Sent(time.Now(), c, u, e.NormalizeID(id))
			}
		}
	}
	if err := e.Jobs.Result(after, time.Now(), t.ID, n, id, sendErr, unclear); err != nil {
		e.Log.Error("the result of a send was not stored", "chat", chat, "err", err)
	}
	if sendErr != nil {
		e.Counters.sendFailed.Add(1)
		if unclear {
			e.Log.Warn("the outcome of a send is unknown; it is not sent again", "chat", chat, "err", sendErr)
			e.unconfirmed.add(unconfirmedSend{jobID: t.ID, index: n, entry: entry})
		}
		return "", sendErr
	}
	e.Counters.sent.Add(1)
	u.SentCount, u.LastSentAt = u.SentCount+1, time.Now()
	return id, nil
}

// checkLimits reports whether the next message may be sent. The first one counts for all messages of u, also if it fails and
// the reply is sent in another form.
func (u *Utterance) checkLimits(now time.Time) error {
	t := u.Turn
	if err := t.startActing(); err != nil {
		return err
	}
	if u.Notice {
		return t.haltCause()
	}
	if u.CapNotice != "" {
		return t.Engine.Attention.SpeakCapNotice(now, u.Chat, u.FullText, u.CapNotice)
	}
	if !u.counted {
		err := t.countReply(now, u.Chat, u.FullText)
		u.counted = err == nil
		return err
	}
	if err := t.haltCause(); err != nil {
		return err
	}
	return t.Engine.Attention.AllowNext(now, u.Chat)
}

// SendMessage sends one message of a turn, for tools.
func (t *Turn) SendMessage(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	u := &Utterance{Turn: t, Chat: chat, FullText: out.Content()}
	return u.Send(ctx, out)
}

// sendFromTool sends a message of a tool, by the turn in ctx. Its limits are those of replies. The model wrote its text.
func (e *Engine) sendFromTool(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	t := TurnFrom(ctx)
	if t == nil {
		return "", ErrNoTurn
	}
	out.Text = e.PlainText(out.Text)
	out.Forward = slices.Clone(out.Forward)
	for i := range out.Forward {
		out.Forward[i].Text = e.PlainText(out.Forward[i].Text)
	}
	return t.SendMessage(ctx, chat, out)
}

// countReply asks attention for permission. Attention counts the reply in the same call.
func (t *Turn) countReply(now time.Time, chat persona.Chat, text string) error {
	e := t.Engine
	if t.OwnerOrder || t.Chat.Agent() { // the owner ordered it: no verdict, but the same limits
		return e.Attention.Speak(now, chat, text, whyOwner)
	}
	return e.Attention.Speak(now, chat, text)
}

// waitForRate waits for the link's rate limit. more means that it is a further part of one reply.
func (t *Turn) waitForRate(ctx context.Context, chat persona.Chat, more bool) error {
	e := t.Engine
	if more && e.Options.Features.WaitToSendPart != nil {
		return e.Options.Features.WaitToSendPart(ctx, chat)
	}
	if e.Options.Features.WaitToSend != nil {
		return e.Options.Features.WaitToSend(ctx, chat)
	}
	return nil
}
