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

// An Attachment is documented in package social.
type Attachment struct{ Name, Text string }

// Owner is a turn in agent mode. Its answer is heard while it is written if there is a deliver.
func (b *Engine) Owner(ctx context.Context, text string, attached []Attachment, deliver func(context.Context, string) error) (reply string, err error) {
	if err := b.Begun(ctx); err != nil {
		return "", err
	}
	j := &Job{Chat: b.Owners, Once: true}
	j.Enter = func(ctx context.Context) (func(), error) { return b.Owners.Turn.Unlock, b.Owners.enter(ctx, true) }
	j.Prepare = func(context.Context) (bool, error) {
		now := time.Now()
		j.Caller = b.OwnerMessage(now, text)
		for _, a := range attached {
			m := b.OwnerMessage(now, "["+a.Name+"]\n"+a.Text)
			m.From, m.Name, m.Text = attachedBy, "附件", ClipPrompt(m.Text)
			j.Items = append(j.Items, m)
		}
		j.Items = append(j.Items, j.Caller)
		j.Job = jobs.Job{ID: "owner/" + j.Caller.ID, Kind: "owner", Chat: b.Owners.ID, At: now, ExpiresAt: now.Add(b.Options.MaxAge), LastRecord: j.Caller.ID}
		return true, nil
	}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.askOwner(ctx, deliver) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		return t.answerOwner(ctx, w, err)
	}
	done, err := b.Do(ctx, j)
	if done.Err != nil {
		return "", fmt.Errorf("social: owner's turn: %w", errors.Join(done.Err, err))
	}
	return done.Text, err
}

// attachedBy is who said what the owner attached: nobody that is known.
const attachedBy = "attachment"

// askOwner holds the conversation of a turn in agent mode.
func (t *Turn) askOwner(ctx context.Context, deliver func(context.Context, string) error) (w Answer, err error) {
	now := t.At
	labels := &t.Engine.Options.Labels
	l := labels.LabelOf(DatumOwnerAttached, memory.Untrusted(memory.Owner))
	attached := t.Items[:len(t.Items)-1]
	if len(attached) > 0 {
		t.Read(l)
	}
	scene, err := t.Engine.OwnerScene(ctx, now, t)
	for _, m := range attached {
		if err == nil {
			err = t.Engine.KeepOwner(ctx, m, l)
		}
	}
	if err == nil {
		err = t.Engine.KeepOwner(ctx, t.Caller, labels.LabelOf(DatumOwnerTyped, memory.Trusted(memory.Owner)))
	}
	if err != nil {
		return w, err
	}
	k := &talk{Turn: t, deliver: deliver}
	if deliver != nil {
		t.outlet = stream.New(ctx, math.MaxInt, k.say)
	}
	reply, err := t.Converse(ctx, now, scene, t.Tools)
	if w.Text = reply.Text; deliver != nil {
		w.Text, err = k.finish(ctx, reply.Text, err)
	}
	return w, err
}

// answerOwner keeps the answer in the talk with the owner.
func (t *Turn) answerOwner(ctx context.Context, w *Answer, err error) (outcome string, _ error) {
	if err != nil {
		return "error: " + err.Error(), err
	}
	b := t.Engine
	if w.Text != "" {
		t.keepAnswer(ctx, w.Text)
	}
	b.Done(ctx, t.Chat, Done{Messages: 2})
	return "answered", nil
}

// A talk delivers the items of an answer to the owner.
type talk struct {
	*Turn
	deliver func(ctx context.Context, item string) error
	told    []string // items that were delivered
}

// say delivers an item.
func (t *talk) say(ctx context.Context, item string) error {
	n, err := t.Commit(ctx, jobs.Entry{Chat: t.Chat.ID, Text: item})
	if err != nil {
		return err
	}
	err = t.deliver(ctx, item)
	after, stop := Afterwards(ctx)
	defer stop()
	if err := t.Engine.Jobs.Result(after, time.Now(), t.ID, n, "", err, false); err != nil {
		t.Engine.Log.Error("that an item was delivered was not kept", "err", err)
	}
	if err == nil {
		t.told = append(t.told, item)
	}
	return err
}

// finish delivers the rest of an answer, and gives it as it was delivered. What an answer that failed has delivered is kept.
func (t *talk) finish(ctx context.Context, text string, err error) (string, error) {
	taken, cut := t.outlet.Close(err != nil)
	if err == nil {
		err = cut
	}
	if err == nil {
		items := stream.Items(text)
		for _, item := range items[min(taken, len(items)):] {
			if prompt.IsSilence(item) {
				continue
			}
			if err = t.say(ctx, item); err != nil {
				break
			}
		}
	}
	text = strings.Join(t.told, "\n")
	if err != nil && text != "" {
		after, stop := Afterwards(ctx)
		defer stop()
		t.keepAnswer(after, text)
	}
	return text, err
}
