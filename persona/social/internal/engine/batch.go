package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// batches are what the buffer brings.
type batches struct{ engine *Engine }

// handle deals with one batch: judge, think, speak. It is the buffer's handler: one batch at a time per chat.
func (h batches) handle(ctx context.Context, batch buffer.Batch[persona.Chat, Incoming]) error {
	r, err := h.engine.Chat(ctx, batch.Key)
	if err != nil {
		return err
	}
	if h.engine.Focus != nil {
		if err := h.engine.Focus.Rest(ctx, r.ID); err != nil {
			return err
		}
	}
	called := slices.ContainsFunc(batch.Items, func(m Incoming) bool { return m.Called })
	j := &Job{Chat: r, Answers: true}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.reply(ctx) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) { return t.close(ctx, *w, err) }
	j.Enter = func(ctx context.Context) (func(), error) {
		if err := r.enter(ctx, called); err != nil {
			return nil, buffer.ErrRetry
		}
		return r.Turn.Unlock, nil
	}
	j.Prepare = func(ctx context.Context) (bool, error) { return h.judge(ctx, j, batch) }
	j.After = func(ctx context.Context, t *Turn, done Result) {
		if h.engine.Focus != nil {
			h.engine.Focus.Done(t, cmp.Or(t.Lost(), done.Err))
		}
		d := Done{Verdict: j.Verdict.Do, Spoke: done.Spoke}
		if done.Spoke {
			d.Messages = len(j.Items) + 1
		}
		h.engine.Done(ctx, r, d)
	}
	_, err = h.engine.Do(ctx, j)
	return err
}

// judge asks attention for the verdict on a batch, and completes the job with what is to be answered. It reports false where
// there is nothing to do any more.
func (h batches) judge(ctx context.Context, j *Job, batch buffer.Batch[persona.Chat, Incoming]) (run bool, err error) {
	r := j.Chat
	items := r.living(h.engine, batch.Items)
	if j.Verdict, j.Job, run = h.verdict(r, batch, items); !run {
		return false, nil
	}
	if j.Verdict.Do == heartflow.Silent {
		h.engine.Counters.silent.Add(1)
		if len(items) == 0 {
			return false, nil
		}
		if slices.ContainsFunc(h.engine.parts, func(p Part) bool { return p.Silent != nil && p.Silent(j, items) }) {
			return true, nil
		}
		defer h.engine.Done(ctx, r, Done{Verdict: heartflow.Silent})
		return false, h.engine.Jobs.Ack(ctx, time.Now(), j.Job)
	}
	called := false
	for _, m := range items {
		j.Items = append(j.Items, m.Message)
		j.Reason = cmp.Or(j.Reason, m.Reason)
		if m.Called || !called {
			j.Caller, called = m.Message, m.Called
		}
	}
	return true, nil
}

// verdict is that of attention on a batch, with the row of the job that it would be. A batch without messages is a turn
// that attention wants by itself. ok is false where there is nothing to deal with.
func (h batches) verdict(r *Chat, batch buffer.Batch[persona.Chat, Incoming], items []Incoming) (v heartflow.Verdict, e jobs.Job, ok bool) {
	now := time.Now()
	for _, p := range h.engine.parts {
		if p.Judge != nil {
			p.Judge(now, r)
		}
	}
	if len(items) > 0 {
		last := items[len(items)-1].Message
		// When it was heard, not when it was said: cursors go by the order of arrival.
		return h.engine.Attention.JudgeUpTo(now, r.ID, messageID(last.Key)), jobs.Job{
			ID: "batch/" + r.ID.String() + "/" + last.Key, Kind: "batch", Chat: r.ID,
			At: batch.LastAt, ExpiresAt: batch.LastAt.Add(h.engine.Options.MaxAge), LastRecord: last.Key,
		}, true
	}
	focused := h.engine.Focus != nil && h.engine.Focus.On(r.ID)
	wanted := func(m Incoming) bool { return m.Wanted != "" && (m.Wanted != hfc.WhyFocused || focused) } // or it was, and is no more
	if i := slices.IndexFunc(batch.Items, wanted); i >= 0 {
		return h.engine.Attention.BeginTurn(now, r.ID, batch.Items[i].Wanted), jobs.Job{
			ID: "look/" + r.ID.String() + "/" + strconv.FormatInt(now.UnixNano(), 10), Kind: "look", Chat: r.ID,
			At: now, ExpiresAt: now.Add(h.engine.Options.MaxAge),
		}, true
	}
	return v, e, false
}

// whyNotWritten is the reason of a turn that was not begun because nothing could be written down.
const whyNotWritten heartflow.Code = "not_written"

// reply answers a batch by the bot's strategy.
func (t *Turn) reply(ctx context.Context) (Answer, error) {
	t.Engine.Counters.Asked.Add(1)
	t.Began = t.began
	t.utterance = &Utterance{Turn: t, Chat: t.Chat.ID}
	t.outlet = t.Engine.Delivery.Stream(ctx, t.utterance)
	return t.think(ctx)
}

// close says the answer to a batch, unless the turn is lost, failed, or wants to be silent.
func (t *Turn) close(ctx context.Context, w Answer, err error) (outcome string, fail error) {
	b, chat := t.Engine, t.Chat.ID
	outcome = "spoke"
	taken, cut := t.outlet.Close(err != nil || t.Lost() != nil)
	u := t.utterance
	switch {
	case t.Lost() != nil:
	case err != nil && ctx.Err() == nil:
		b.Counters.ModelFailed.Add(1)
		b.Log.Error("the turn failed", "chat", chat, "err", err)
		b.Attention.SkipTurn(time.Now(), chat, heartflow.WhyModelError)
		outcome = "error: " + err.Error()
	case err != nil:
	case t.HasSpoken() && u.Said == 0 && cut == nil:
		outcome = "spoke by tool"
	case u.Said == 0 && cut == nil && b.Delivery.Silent(w):
		b.Attention.SkipTurn(time.Now(), chat, heartflow.WhyModelSilent)
		outcome = "silent"
	default:
		if err = cut; err == nil {
			u.Answer = w
			err = b.Delivery.Say(ctx, u, taken)
		}
		switch {
		case err == nil:
			t.prod(ctx, w.Poke)
		case u.Said > 0:
			outcome, err = fmt.Sprintf("spoke in part (%d): %v", u.Said, err), nil
		default:
			outcome = "unsent: " + err.Error()
			b.Log.Warn("the reply was not sent", "chat", chat, "err", err)
		}
	}
	return outcome, err
}
