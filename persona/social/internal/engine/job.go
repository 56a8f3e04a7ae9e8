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

// ErrReleased is returned by [Engine.Do] if the turn was cancelled before it had any effect. The job may run again.
var ErrReleased = fmt.Errorf("social: the turn was cancelled before it had an effect: %w", buffer.ErrRetry)

// Do runs a job: it locks the chat, claims the job's row, asks the model, delivers the answer and ends the row. If a
// stop interrupts the turn before it had any effect, the row stays claimed and the next start recovers it.
func (e *Engine) Do(ctx context.Context, j *Job) (r Result, err error) {
	e.Counters.doing.Add(1)
	defer e.Counters.doing.Add(-1)
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
	if err := e.claim(ctx, j); err != nil {
		return r, err
	}
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := e.newTurn(j, cancel)
	defer t.cleanUp()
	defer t.register()()
	ended := e.Watchers.turn(t)
	w, err := j.Ask(turnCtx, t)
	outcome, err := j.Deliver(turnCtx, t, &w, err)
	ended(outcome)
	t.notifyRefusal(ctx)
	r, err = t.finish(ctx, outcome, w, err)
	if j.After != nil {
		j.After(ctx, t, r)
	}
	return r, err
}

// claim claims the job's row. If that fails, it uses up the verdict that let the job begin.
func (e *Engine) claim(ctx context.Context, j *Job) error {
	if j.NoRow {
		return nil
	}
	now := time.Now()
	j.claimedAt = now
	err := e.Jobs.Claim(ctx, now, j.Job)
	if err != nil && j.Verdict.Do != heartflow.Silent {
		why := whyNotSaved
		if errors.Is(err, jobs.ErrDone) || errors.Is(err, jobs.ErrClaimed) {
			why = heartflow.WhyAlreadySpoke
		}
		e.Attention.SkipTurn(now, j.Chat.ID, why)
	}
	return err
}

// Names of the tools that answer requests.
const (
	FriendRequestTool = "qq_handle_friend_request"
	GroupInviteTool   = "qq_handle_group_invite"
)

func (e *Engine) newTurn(j *Job, cancel context.CancelCauseFunc) *Turn {
	t := &Turn{Job: j, Engine: e, cancel: cancel}
	who := j.Chat.Principal(j.Background)
	who.Platform, who.Person, who.Turn = j.Chat.ID.Platform, j.Caller.From, j.ID
	t.Tools = t.View(who)
	if who.Mode != nit.ModeAgent { // requests are answered by the turn that judges them, and by the owner
		t.Tools = t.Tools.Filter(func(tool nit.ToolInfo) bool { return tool.Name != FriendRequestTool && tool.Name != GroupInviteTool })
	}
	if !t.Chat.InChat && !t.Chat.Agent() { // autonomous, without a chat: every chat may be shown its notes
		t.Tools = t.Tools.Filter(func(tool nit.ToolInfo) bool { return tool.Name != "read_owner_memory" })
	}
	if j.AllowTool != nil {
		t.Tools = t.Tools.Filter(j.AllowTool)
	}
	return t
}

// register makes the turn known to its chat, which may cancel it until unregister is called.
func (t *Turn) register() (unregister func()) {
	switch {
	case t.Supersedable:
		t.Chat.setActive(t)
		return t.Chat.clearActive
	case t.Preemptible:
		return t.Chat.setBackground(t)
	}
	return func() {}
}

// finish ends the row with its outcome. It releases the row of a cancelled turn. It leaves the row as it is if a stop
// interrupted the turn, or if a send is unclear: the look-up ends the row then.
func (t *Turn) finish(ctx context.Context, outcome string, w Answer, failed error) (Result, error) {
	t.mu.Lock()
	r := Result{Text: w.Text, Spoke: t.spoke, Unclear: t.unclear, Executed: true, Label: t.labelLocked(), Err: failed}
	lost, durable := t.cancelErr, t.committed
	t.mu.Unlock()
	switch {
	case lost == nil && t.retryIn > 0:
		r.Retry = true
		return r, returnBatch(ctx, t)
	case lost != nil && (failed != nil || !t.Preemptible):
		return r, t.release(ctx)
	case failed != nil && ctx.Err() != nil && !durable && !t.NoRetry, t.NoRow, r.Unclear:
		return r, nil
	}
	after, stop := DetachedContext(ctx)
	defer stop()
	return r, t.Engine.Jobs.Done(after, time.Now(), t.ID, outcome)
}

// returnBatch releases the row of a turn whose model failed, and returns its batch to the buffer for a while. After a kill the start
// runs the batch again, because the cursor of the chat is still before it.
func returnBatch(ctx context.Context, t *Turn) error {
	after, stop := DetachedContext(ctx)
	defer stop()
	if err := t.Engine.Jobs.Release(after, t.ID); err != nil {
		return err
	}
	return buffer.RetryAfter(t.retryIn)
}

// release releases the row of a turn that was cancelled before it had any effect. The job may run again.
func (t *Turn) release(ctx context.Context) error {
	if !t.Preemptible {
		code := heartflow.WhySuperseded
		if errors.Is(t.CancelCause(), ErrRetracted) {
			code = heartflow.WhyRetracted
		}
		t.Engine.Attention.SkipTurn(time.Now(), t.Chat.ID, code)
	}
	if t.NoRow {
		return nil
	}
	after, stop := DetachedContext(ctx)
	defer stop()
	if err := t.Engine.Jobs.Release(after, t.ID); err != nil {
		return err
	}
	return ErrReleased
}
