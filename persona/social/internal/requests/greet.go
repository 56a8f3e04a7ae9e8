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

// whyFriend is the reason of the first words to a new friend.
const whyFriend heartflow.Code = "friend"

// greetAfter is how long a new friendship takes to be one.
const greetAfter = 3 * time.Second

// greet says the first words to a new friend, by a turn that reads the private chat with them and their request, and
// nothing else. It keeps silent where they have spoken first, or it is quiet there. It reports that what it said is in
// doubt.
func (h *Handler) greet(ctx context.Context, e jobs.Job, r persona.Request) (inDoubt bool) {
	c, err := h.engine.Chat(ctx, e.Chat)
	if err != nil || c.Off || loop.Sleep(ctx, greetAfter) != nil {
		return false
	}
	j := &engine.Job{Job: e, Chat: c, Answers: true, NoRow: true}
	j.Enter = func(ctx context.Context) (func(), error) { return c.Turn.Unlock, c.Turn.Lock(ctx) }
	j.Prepare = func(ctx context.Context) (bool, error) {
		now := time.Now()
		if _, quiet := h.engine.Attention.InQuietHours(now, e.Chat); quiet || h.spokeSince(ctx, c, e.At) {
			return false, nil
		}
		j.Verdict = h.engine.Attention.BeginTurn(now, e.Chat, whyFriend)
		return j.Verdict.Do != heartflow.Silent, nil
	}
	j.Ask = func(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
		h.engine.Counters.Asked.Add(1)
		return firstWords(ctx, t, r)
	}
	j.Deliver = func(ctx context.Context, t *engine.Turn, w *engine.Answer, err error) (string, error) {
		switch {
		case t.Lost() != nil:
		case err != nil:
			h.engine.Attention.SkipTurn(time.Now(), e.Chat, heartflow.WhyModelError)
		case w.Text == "":
			h.engine.Attention.SkipTurn(time.Now(), e.Chat, heartflow.WhyModelSilent)
		default:
			_, err = t.Speak(ctx, e.Chat, w.Outgoing)
		}
		if err != nil && t.Lost() == nil {
			h.engine.Log.Warn("a new friend was not greeted", "chat", e.Chat, "err", err)
		}
		return "", err
	}
	done, _ := h.engine.Do(ctx, j)
	return done.Unclear
}

func firstWords(ctx context.Context, t *engine.Turn, r persona.Request) (w engine.Answer, err error) {
	now := time.Now()
	s, err := t.Engine.Scene(ctx, now, t)
	if err != nil {
		return w, err
	}
	s.Kind, s.Request = prompt.Greet, &prompt.RequestContext{Request: r, Energy: -1, Interest: -1}
	s.ChatName = cmp.Or(s.ChatName, r.Name)
	reply, err := t.Converse(ctx, now, s, nil)
	return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
}

// spokeSince reports that somebody else said something in a chat after a time: then there are no first words to say.
func (h *Handler) spokeSince(ctx context.Context, c *engine.Chat, since time.Time) bool {
	past, err := h.engine.Memory.Recent(ctx, c.Space, engine.Remembered/4)
	return err != nil || slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own && rec.At.After(since) })
}
