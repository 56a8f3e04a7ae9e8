package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// A batchHandler handles the batches of the buffer.
type batchHandler struct{ engine *Engine }

// handle judges a batch and runs a job for it. The buffer calls it for one batch of a chat at a time.
func (h batchHandler) handle(ctx context.Context, batch buffer.Batch[persona.Chat, Incoming]) error {
	c, err := h.engine.Chat(ctx, batch.Key)
	if err != nil {
		return err
	}
	if h.engine.Focus != nil {
		if err := h.engine.Focus.AwaitPause(ctx, c.ID); err != nil {
			return err
		}
	}
	called := slices.ContainsFunc(batch.Items, func(m Incoming) bool { return m.Called })
	j := &Job{Chat: c, Supersedable: true}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.reply(ctx) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		return t.deliverReply(ctx, *w, err)
	}
	j.Enter = func(ctx context.Context) (func(), error) {
		if err := c.lockTurn(ctx, called); err != nil {
			return nil, buffer.ErrRetry
		}
		return c.TurnMu.Unlock, nil
	}
	j.Prepare = func(ctx context.Context) (bool, error) { return h.judge(ctx, j, batch) }
	j.After = func(ctx context.Context, t *Turn, done Result) {
		if h.engine.Focus != nil {
			h.engine.Focus.Done(t, cmp.Or(t.CancelCause(), done.Err))
		}
		d := Done{Verdict: j.Verdict.Do, Spoke: done.Spoke}
		if done.Spoke {
			d.Messages = len(j.Items) + 1
		}
		h.engine.Done(ctx, c, d)
	}
	r, err := h.engine.Do(ctx, j)
	if r.Retry {
		for i := range batch.Items {
			batch.Items[i].Retried = true
		}
	}
	return err
}

// judge gets the verdict on a batch and adds the messages to the job. It returns false if there is nothing to do.
func (h batchHandler) judge(ctx context.Context, j *Job, batch buffer.Batch[persona.Chat, Incoming]) (run bool, err error) {
	c := j.Chat
	items := c.validItems(h.engine, batch.Items)
	if j.Verdict, j.Job, run = h.verdict(c, batch, items); !run {
		return false, nil
	}
	if j.Verdict.Do == heartflow.Silent {
		h.engine.Counters.silentBatches.Add(1)
		if len(items) == 0 {
			return false, nil
		}
		if slices.ContainsFunc(h.engine.parts, func(p Part) bool { return p.Silent != nil && p.Silent(j, items) }) {
			return true, nil
		}
		defer h.engine.Done(ctx, c, Done{Verdict: heartflow.Silent})
		return false, h.engine.Jobs.Ack(ctx, time.Now(), j.Job)
	}
	called := false
	callers := map[string]bool{}
	for _, m := range items {
		if m.Called {
			callers[m.From] = true
		}
		j.Items = append(j.Items, m.Message)
		j.Reason, j.Retried = cmp.Or(j.Reason, m.Reason), j.Retried || m.Retried
		if m.Called || !called {
			j.Caller, j.receivedAt, called = m.Message, m.ReceivedAt, m.Called
		}
	}
	j.Callers = len(callers)
	silent, err := h.silenced(ctx, j)
	return !silent && err == nil, err
}

// verdict returns attention's verdict on a batch, and the row of its job. A batch without messages is a turn that
// attention requested. ok is false if there is nothing to handle.
func (h batchHandler) verdict(c *Chat, batch buffer.Batch[persona.Chat, Incoming], items []Incoming) (v heartflow.Verdict, e jobs.Job, ok bool) {
	now := time.Now()
	for _, p := range h.engine.parts {
		if p.Judge != nil {
			p.Judge(now, c)
		}
	}
	if len(items) > 0 {
		last := items[len(items)-1].Message
		// LastAt is the time of arrival, not of sending: cursors follow the order of arrival.
		return h.engine.Attention.JudgeUpTo(now, c.ID, messageID(last.Key)), jobs.Job{
			ID: "batch/" + c.ID.String() + "/" + last.Key, Kind: "batch", Chat: c.ID,
			At: batch.LastAt, ExpiresAt: batch.LastAt.Add(h.engine.Options.MaxAge), LastRecord: last.Key,
		}, true
	}
	focused := h.engine.Focus != nil && h.engine.Focus.IsFocused(c.ID)
	wanted := func(m Incoming) bool { return m.TurnReason != "" && (m.TurnReason != hfc.WhyFocused || focused) } // the focus may have ended
	if i := slices.IndexFunc(batch.Items, wanted); i >= 0 {
		return h.engine.Attention.BeginTurn(now, c.ID, batch.Items[i].TurnReason), jobs.Job{
			ID: "look/" + c.ID.String() + "/" + strconv.FormatInt(now.UnixNano(), 10), Kind: "look", Chat: c.ID,
			At: now, ExpiresAt: now.Add(h.engine.Options.MaxAge),
		}, true
	}
	return v, e, false
}

// whyNotSaved is the reason of a turn that did not begin because its row could not be written.
const whyNotSaved heartflow.Code = "not_written"

// reply answers a batch by the configured strategy.
func (t *Turn) reply(ctx context.Context) (Answer, error) {
	t.Engine.Counters.Asked.Add(1)
	t.Began = t.claimedAt
	t.utterance = &Utterance{Turn: t, Chat: t.Chat.ID, Answers: true}
	t.outlet = t.Engine.Delivery.Stream(ctx, t.utterance)
	return t.answer(ctx)
}

// deliverReply sends the answer to a batch, unless the turn was cancelled, failed or chose silence.
func (t *Turn) deliverReply(ctx context.Context, w Answer, err error) (outcome string, fail error) {
	e, chat := t.Engine, t.Chat.ID
	outcome = "spoke"
	taken, cut := t.outlet.Close(err != nil || t.CancelCause() != nil)
	u := t.utterance
	switch {
	case t.CancelCause() != nil:
		outcome = "cancelled"
	case err != nil && ctx.Err() == nil:
		outcome = t.deliverFailure(ctx, err)
	case err != nil && !t.HasSpoken():
		outcome = "interrupted"
	case err != nil:
	case t.HasSpoken() && u.SentCount == 0 && cut == nil:
		outcome = "spoke by tool"
	case u.SentCount == 0 && cut == nil && e.Delivery.IsSilent(w):
		e.Attention.SkipTurn(time.Now(), chat, heartflow.WhyModelSilent)
		outcome = "silent"
	default:
		if err = cut; err == nil {
			u.Answer = w
			err = e.Delivery.Deliver(ctx, u, taken)
		}
		switch {
		case err == nil:
			t.sendPokes(ctx, w.Poke)
		case u.SentCount > 0:
			outcome, err = fmt.Sprintf("spoke in part (%d): %v", u.SentCount, err), nil
		default:
			outcome = "unsent: " + err.Error()
			if errors.Is(err, ErrNotPermitted) {
				e.Attention.SkipTurn(time.Now(), chat, heartflow.WhyNoWindow)
			}
			e.Log.Warn("the reply was not sent", "chat", chat, "err", err)
		}
	}
	return outcome, err
}

// deliverFailure handles the error of a turn that answers a batch: it tries the batch again later, or says that it cannot
// answer, or is silent.
func (t *Turn) deliverFailure(ctx context.Context, err error) (outcome string) {
	e, chat := t.Engine, t.Chat.ID
	e.Counters.ModelFailed.Add(1)
	e.Log.Error("the turn failed", "chat", chat, "err", err, "advice", adviceOn(err))
	outcome = "error: " + err.Error()
	var retry time.Duration
	text := ""
	for _, p := range e.parts {
		if p.Failed != nil {
			retry, text = p.Failed(ctx, t, err)
		}
	}
	switch {
	case retry > 0:
		t.retryIn = retry
		e.Attention.SkipTurn(time.Now(), chat, heartflow.WhyModelRetry)
		return outcome
	case text != "":
		u := &Utterance{Turn: t, Chat: chat, FullText: text}
		if _, err := u.Send(ctx, t.toCaller(text)); err != nil {
			e.Log.Warn("the chat was not told that the model failed", "chat", chat, "err", err)
		}
	}
	e.Attention.SkipTurn(time.Now(), chat, heartflow.WhyModelError)
	return outcome
}

// adviceOn says what to do about a failed turn; "" if there is nothing, or if the log of the model's calls says it.
func adviceOn(err error) string {
	f, _ := models.Cause(err)
	switch {
	case errors.Is(err, prompt.ErrTooManySteps):
		return "the model calls tools without end: use another model, or allow more tool calls"
	case errors.Is(err, context.DeadlineExceeded) && f.Kind != models.Loading:
		return models.Failure{Kind: models.Timeout}.Advice()
	}
	return ""
}

// toCaller returns a message to the person who called. In a group it quotes the call.
func (j *Job) toCaller(text string) persona.Outgoing {
	out := persona.Outgoing{Text: text}
	if j.Chat.ID.Kind == persona.Group && !j.Caller.Action {
		out.ReplyTo = j.Caller.ID
	}
	return out
}

// RunCapNotice completes a job for a batch that a cap silenced: it sends text. told is called before the message is sent, and
// an error keeps it from being sent.
func (j *Job) RunCapNotice(text string, caller persona.Message, told func(ctx context.Context) error) {
	j.Caller, j.Supersedable = caller, false
	j.Ask = func(context.Context, *Turn) (Answer, error) { return Answer{Outgoing: j.toCaller(text)}, nil }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		if err == nil {
			err = told(ctx)
		}
		if err == nil {
			_, err = (&Utterance{Turn: t, Chat: j.Chat.ID, FullText: text, CapNotice: j.Verdict.Why[0]}).Send(ctx, w.Outgoing)
		}
		if err != nil {
			return "unsent: " + err.Error(), err
		}
		return "said why it is silent", nil
	}
}
