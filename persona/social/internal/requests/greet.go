package requests

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// whyFriend is the reason code of a greeting to a new friend.
const whyFriend heartflow.Code = "friend"

// greetDelay is the time between the approval and the greeting.
const greetDelay = 3 * time.Second

// greet sends a greeting to a new friend. Its turn reads the private chat and the request and nothing else. It sends
// nothing if the friend has spoken first or during quiet hours. It reports whether the result of sending is unclear.
func (h *Handler) greet(ctx context.Context, job jobs.Job, r persona.Request) (unclear bool) {
	c, err := h.engine.Chat(ctx, job.Chat)
	if err != nil || c.Off() || loop.Sleep(ctx, greetDelay) != nil {
		return false
	}
	j := &engine.Job{Job: job, Chat: c, Supersedable: true, NoRow: true}
	j.Enter = func(ctx context.Context) (func(), error) { return c.TurnMu.Unlock, c.TurnMu.Lock(ctx) }
	j.Prepare = func(ctx context.Context) (bool, error) {
		now := time.Now()
		if _, quiet := h.engine.Attention.InQuietHours(now, job.Chat); quiet || h.spokeSince(ctx, c, job.At) {
			return false, nil
		}
		j.Verdict = h.engine.Attention.BeginTurn(now, job.Chat, whyFriend)
		return j.Verdict.Do != heartflow.Silent, nil
	}
	j.Ask = func(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
		h.engine.Counters.Asked.Add(1)
		return askGreeting(ctx, t, r)
	}
	j.Deliver = func(ctx context.Context, t *engine.Turn, w *engine.Answer, err error) (string, error) {
		switch {
		case t.CancelCause() != nil:
		case err != nil:
			h.engine.Attention.SkipTurn(time.Now(), job.Chat, heartflow.WhyModelError)
		case w.Text == "":
			h.engine.Attention.SkipTurn(time.Now(), job.Chat, heartflow.WhyModelSilent)
		default:
			_, err = t.SendReply(ctx, job.Chat, w.Outgoing)
		}
		if err != nil && t.CancelCause() == nil {
			h.engine.Log.Warn("could not greet a new friend", "chat", job.Chat, "err", err)
		}
		return "", err
	}
	done, _ := h.engine.Do(ctx, j)
	return done.Unclear
}

func askGreeting(ctx context.Context, t *engine.Turn, r persona.Request) (w engine.Answer, err error) {
	now := time.Now()
	s, err := t.Engine.Scene(ctx, now, t)
	if err != nil {
		return w, err
	}
	s.Kind, s.Request = prompt.Greet, &prompt.RequestContext{Request: r, Energy: -1, Interest: -1}
	s.ChatName = cmp.Or(s.ChatName, r.Name)
	reply, err := t.Converse(ctx, now, s, nil, nil)
	return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
}

// spokeSince reports whether somebody else has written in a chat since a time.
func (h *Handler) spokeSince(ctx context.Context, c *engine.Chat, since time.Time) bool {
	past, err := h.engine.Memory.Recent(ctx, c.Space, engine.Remembered/4)
	return err != nil || slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own && rec.At.After(since) })
}
