package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// Attachment is documented in package social.
type Attachment struct{ Name, Text string }

// OwnerTurn runs a turn in agent mode and returns its answer. With a deliver function the answer is streamed.
func (e *Engine) OwnerTurn(ctx context.Context, text string, attached []Attachment, deliver func(context.Context, string) error) (reply string, err error) {
	if err := e.AwaitStart(ctx); err != nil {
		return "", err
	}
	j := &Job{Chat: e.OwnerChat, NoRetry: true}
	j.Enter = func(ctx context.Context) (func(), error) {
		return e.OwnerChat.TurnMu.Unlock, e.OwnerChat.lockTurn(ctx, true)
	}
	j.Prepare = func(context.Context) (bool, error) {
		now := time.Now()
		j.Caller = e.NewOwnerMessage(now, text)
		for _, a := range attached {
			m := e.NewOwnerMessage(now, "["+a.Name+"]\n"+a.Text)
			m.From, m.Name, m.Text = attachmentAuthor, "附件", ClipPrompt(m.Text)
			j.Items = append(j.Items, m)
		}
		j.Items = append(j.Items, j.Caller)
		j.Job = jobs.Job{ID: "owner/" + j.Caller.ID, Kind: "owner", Chat: e.OwnerChat.ID, At: now, ExpiresAt: now.Add(e.Options.MaxAge), LastRecord: j.Caller.ID}
		return true, nil
	}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.askOwner(ctx, deliver) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		return t.answerOwner(ctx, w, err)
	}
	done, err := e.Do(ctx, j)
	if done.Err != nil {
		return "", fmt.Errorf("social: owner's turn: %w", errors.Join(done.Err, err))
	}
	return done.Text, err
}

// askOwner runs the model for a turn in agent mode.
func (t *Turn) askOwner(ctx context.Context, deliver func(context.Context, string) error) (w Answer, err error) {
	now := t.At
	labels := &t.Engine.Options.Labels
	l := labels.LabelOf(DatumOwnerAttached, memory.Untrusted(memory.Owner))
	attached := t.Items[:len(t.Items)-1]
	if len(attached) > 0 {
		t.MarkRead(l)
	}
	scene, err := t.Engine.OwnerScene(ctx, now, t)
	for _, m := range attached {
		if err == nil {
			err = t.Engine.PutOwnerMessage(ctx, m, l)
		}
	}
	if err == nil {
		err = t.Engine.PutOwnerMessage(ctx, t.Caller, labels.LabelOf(DatumOwnerTyped, memory.Trusted(memory.Owner)))
	}
	if err != nil {
		return w, err
	}
	k := &ownerReply{Turn: t, deliver: deliver}
	if deliver != nil {
		t.outlet = stream.New(ctx, math.MaxInt, k.deliverItem)
	}
	reply, err := t.Converse(ctx, now, scene, t.Tools, nil)
	if w.Text = reply.Text; deliver != nil {
		w.Text, err = k.finish(ctx, reply.Text, err)
	}
	return w, err
}

// answerOwner journals the answer in the owner's conversation.
func (t *Turn) answerOwner(ctx context.Context, w *Answer, err error) (outcome string, _ error) {
	if err != nil {
		return "error: " + err.Error(), err
	}
	e := t.Engine
	if w.Text != "" {
		t.putAnswer(ctx, w.Text)
	}
	e.Done(ctx, t.Chat, Done{Messages: 2})
	return "answered", nil
}

// An ownerReply delivers the items of a streamed answer to the owner.
type ownerReply struct {
	*Turn
	deliver   func(ctx context.Context, item string) error
	delivered []string // items
}

// deliverItem commits an item and delivers it.
func (r *ownerReply) deliverItem(ctx context.Context, item string) error {
	n, err := r.Commit(ctx, jobs.Entry{Chat: r.Chat.ID, Text: item})
	if err != nil {
		return err
	}
	err = r.deliver(ctx, item)
	after, stop := DetachedContext(ctx)
	defer stop()
	if err := r.Engine.Jobs.Result(after, time.Now(), r.ID, n, "", err, false); err != nil {
		r.Engine.Log.Error("the result of a delivery was not stored", "err", err)
	}
	if err == nil {
		r.delivered = append(r.delivered, item)
	}
	return err
}

// finish delivers the rest of an answer, and returns the text as delivered. If the answer failed, it journals the
// delivered part.
func (r *ownerReply) finish(ctx context.Context, text string, err error) (string, error) {
	taken, cut := r.outlet.Close(err != nil)
	if err == nil {
		err = cut
	}
	if err == nil {
		items := stream.Items(text)
		for _, item := range items[min(taken, len(items)):] {
			if prompt.IsSilence(item) {
				continue
			}
			if err = r.deliverItem(ctx, item); err != nil {
				break
			}
		}
	}
	text = strings.Join(r.delivered, "\n")
	if err != nil && text != "" {
		after, stop := DetachedContext(ctx)
		defer stop()
		r.putAnswer(after, text)
	}
	return text, err
}
