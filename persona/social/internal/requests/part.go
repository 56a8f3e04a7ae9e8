package requests

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Part returns the callbacks for the engine.
func (h *Handler) Part() engine.Part {
	return engine.Part{
		Restore:       h.decisions.restore,
		Run:           h.run,
		HandleMessage: h.handleMessage,
		Erase:         h.decisions.erase,
		Event: func(ctx context.Context, e persona.Event) {
			if r, ok := e.(persona.Request); ok {
				h.receive(ctx, r)
			}
		},
		Jobs: map[string]engine.Recovery{
			requestKind: {Rerun: h.queue.Add, Unclear: h.notifyUnclear},
			answerKind:  {Unclear: h.notifyUnclear},
		},
	}
}

// handle processes one request. If ctx ends before it is answered, the next start runs it again.
func (h *Handler) handle(ctx context.Context, job jobs.Job) {
	select {
	case <-h.engine.Link.Ready: // nothing can be answered before
	case <-ctx.Done():
		return
	}
	var r persona.Request
	if err := json.Unmarshal(job.Payload, &r); err != nil {
		h.engine.Log.Error("skip an unreadable request", "job", job.ID, "err", err)
		return
	}
	if h.engine.Tombstones.Covers(job.Chat, r.From.ID, job.At) {
		return // its row was erased, too
	}
	if err := h.engine.Jobs.Claim(ctx, time.Now(), job); err != nil {
		if !errors.Is(err, jobs.ErrClaimed) && !errors.Is(err, jobs.ErrDone) && ctx.Err() == nil {
			h.engine.Log.Error("could not claim a request", "kind", r.Kind, "err", err)
			h.notify(ctx, r, "，还没有处理：没能记下来", "。flag："+r.ID)
		}
		return
	}
	h.received.Add(1)
	switch joins := r.Kind == persona.GroupJoin; { // an earlier run with Joins may have stored a join request
	case joins && h.o.Joins != nil:
		if h.engine.Options.Features.AnswerRequest != nil {
			h.wait(ctx, r, false, "")
		}
		h.o.Joins(ctx, r)
		h.finish(ctx, job, "given to the host")
		return
	case joins, h.engine.Options.Features.AnswerRequest == nil, h.o.Policy == AskOwner:
		h.escalate(ctx, job, r, "等主人决定", memory.Label{})
		return
	}
	from := job.At
	switch waited, err := h.awaitAwake(ctx, job.Chat); {
	case err != nil:
		return
	case waited:
		from = time.Now()
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return
	}
	j, l, err := h.judge(ctx, job, &r)
	switch {
	case ctx.Err() != nil, h.engine.Tombstones.Covers(job.Chat, r.From.ID, job.At):
	case err != nil:
		h.engine.Log.Warn("could not judge a request; it is not approved", "kind", r.Kind, "err", err)
		h.escalate(ctx, job, r, escalationText(err), memory.Label{})
	case j.Decision == prompt.Hold:
		h.escalate(ctx, job, r, quoted(j.Reason), l)
	default:
		h.carryOut(ctx, job, r, j, l, from)
	}
}

// run handles requests. A few are judged and answered at a time; the others wait, some until the bot is awake.
func (h *Handler) run(ctx context.Context) error {
	var g errgroup.Group
	g.Go(func() error { return h.runOrders(ctx) })
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case <-h.queue.Wake:
		}
		for _, job := range h.queue.Take() {
			g.Go(func() error { h.handle(ctx, job); return nil })
		}
	}
}
