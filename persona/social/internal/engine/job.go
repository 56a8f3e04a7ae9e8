package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// ErrGivenBack is what do answers for a turn that lost its ground before it had any effect: the job may be done again.
var ErrGivenBack = fmt.Errorf("social: the turn was given back: %w", buffer.ErrRetry)

// Do does a job: it locks the chat, claims the job's row, thinks, delivers, and ends the row. A row whose turn is cut off
// by a stop, before it had any effect, stays claimed and is recovered by the next start.
func (b *Engine) Do(ctx context.Context, j *Job) (r Result, err error) {
	if j.Enter != nil {
		leave, err := j.Enter(ctx)
		if err != nil {
			return r, err
		}
		defer leave()
	}
	if j.Prepare != nil {
		if run, err := j.Prepare(ctx); !run || err != nil {
			return r, err
		}
	}
	if err := b.claim(ctx, j); err != nil {
		return r, err
	}
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := b.newTurn(j, cancel)
	defer t.over()
	defer t.begin()()
	w, err := j.Ask(turnCtx, t)
	outcome, err := j.Deliver(turnCtx, t, &w, err)
	t.tellUndone(ctx)
	r, err = t.finish(ctx, outcome, w, err)
	if j.After != nil {
		j.After(ctx, t, r)
	}
	return r, err
}

// claim takes the job's row. A verdict that let the job begin is used up where that fails.
func (b *Engine) claim(ctx context.Context, j *Job) error {
	if j.NoRow {
		return nil
	}
	now := time.Now()
	j.began = now
	err := b.Jobs.Claim(ctx, now, j.Job)
	if err != nil && j.Verdict.Do != heartflow.Silent {
		why := whyNotWritten
		if errors.Is(err, jobs.ErrDone) || errors.Is(err, jobs.ErrClaimed) {
			why = heartflow.WhyAlreadySpoke
		}
		b.Attention.SkipTurn(now, j.Chat.ID, why)
	}
	return err
}

func (b *Engine) newTurn(j *Job, cancel context.CancelCauseFunc) *Turn {
	t := &Turn{Job: j, Engine: b, cancel: cancel}
	who := j.Chat.Principal(j.Background)
	who.Platform, who.Person, who.Turn = j.Chat.ID.Platform, j.Caller.From, j.ID
	t.Tools = t.View(who)
	if !t.Chat.InChat && !t.Chat.Agent() { // the bot by itself: what it thinks may be read everywhere
		t.Tools = t.Tools.Filter(func(tool nit.ToolInfo) bool { return tool.Name != "read_owner_memory" })
	}
	if j.May != nil {
		t.Tools = t.Tools.Filter(j.May)
	}
	return t
}

// begin makes the turn known to the chat, which may end it, until end is called.
func (t *Turn) begin() (end func()) {
	switch {
	case t.Answers:
		t.Chat.begin(t)
		return t.Chat.end
	case t.Yields:
		return t.Chat.think(t)
	}
	return func() {}
}

// finish ends the row: with its outcome, by giving it back, or not at all where a stop has cut the turn off, or a send is
// unclear, which is settled later.
func (t *Turn) finish(ctx context.Context, outcome string, w Answer, failed error) (Result, error) {
	t.mu.Lock()
	r := Result{Text: w.Text, Spoke: t.spoke, Unclear: t.unclear, Executed: true, Label: t.labelLocked(), Err: failed}
	lost, durable := t.gone, t.durable
	t.mu.Unlock()
	switch {
	case lost != nil && (failed != nil || !t.Yields):
		return r, t.giveBack(ctx)
	case failed != nil && ctx.Err() != nil && !durable && !t.Once, t.NoRow, r.Unclear:
		return r, nil
	}
	after, stop := Afterwards(ctx)
	defer stop()
	return r, t.Engine.Jobs.Done(after, time.Now(), t.ID, outcome)
}

// giveBack ends a turn that lost its ground before it had any effect. Its job may be done again.
func (t *Turn) giveBack(ctx context.Context) error {
	if !t.Yields {
		code := heartflow.WhySuperseded
		if errors.Is(t.Lost(), ErrRetracted) {
			code = heartflow.WhyRetracted
		}
		t.Engine.Attention.SkipTurn(time.Now(), t.Chat.ID, code)
	}
	if t.NoRow {
		return nil
	}
	after, stop := Afterwards(ctx)
	defer stop()
	if err := t.Engine.Jobs.Release(after, t.ID); err != nil {
		return err
	}
	return ErrGivenBack
}
