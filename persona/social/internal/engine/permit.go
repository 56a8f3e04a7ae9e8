package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
)

// ErrNotPermitted is matched by the error of a message that the platform does not permit now.
var ErrNotPermitted = errors.New("social: the platform permits no message now")

// Permitted returns how many messages the platform permits in a chat now, at least 1, or an error that matches
// [ErrNotPermitted]. replyTo is the id of the message that they answer, or "".
func (f Features) Permitted(now time.Time, chat persona.Chat, replyTo string) (left int, err error) {
	if f.Permit == nil {
		return math.MaxInt, nil
	}
	left, err = f.Permit(now, chat, replyTo)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrNotPermitted, err)
	case left <= 0:
		return math.MaxInt, nil
	}
	return left, nil
}

// Permitted returns how many messages the platform permits for u now: see [Features.Permitted].
func (u *Utterance) Permitted(now time.Time) (left int, err error) {
	return u.permitted(now, u.ReplyTo)
}

// permitted asks the platform about a message that quotes replyTo. Without a quote it answers the caller.
func (u *Utterance) permitted(now time.Time, replyTo string) (left int, err error) {
	if replyTo == "" && u.Chat == u.Turn.Chat.ID {
		replyTo = answered(u.Turn.Job)
	}
	return u.Turn.Engine.Options.Features.Permitted(now, u.Chat, replyTo)
}

// answered returns the id of the message that a job answers, or "".
func answered(j *Job) string {
	if j.Caller.Action {
		return ""
	}
	return j.Caller.ID
}

// silenced ends the turn of a batch that the platform does not permit to answer any more, so that no model is asked in vain.
func (h batchHandler) silenced(ctx context.Context, j *Job) (bool, error) {
	e, now := h.engine, time.Now()
	_, err := e.Options.Features.Permitted(now, j.Chat.ID, answered(j))
	if err == nil {
		return false, nil
	}
	e.Log.Info("a batch is not answered", "chat", j.Chat.ID, "err", err)
	e.Attention.SkipTurn(now, j.Chat.ID, heartflow.WhyNoWindow)
	e.Counters.silentBatches.Add(1)
	if len(j.Items) == 0 { // attention requested the turn: it has no row yet
		return true, nil
	}
	defer e.Done(ctx, j.Chat, Done{Verdict: heartflow.Silent})
	return true, e.Jobs.Ack(ctx, now, j.Job)
}
