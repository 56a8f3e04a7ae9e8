package requests

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Part is what the engine calls.
func (h *Handler) Part() engine.Part {
	return engine.Part{
		Run: h.run,
		Event: func(ctx context.Context, e persona.Event) {
			if r, ok := e.(persona.Request); ok {
				h.requested(ctx, r)
			}
		},
		Jobs: map[string]engine.Recovery{
			requestKind: {Again: h.queue.Add, Unclear: h.tellUnclear},
			answerKind:  {Unclear: h.tellUnclear},
		},
	}
}

// deal sees one request through. Where ctx ends before it was answered it runs anew after the next start.
func (h *Handler) deal(ctx context.Context, e jobs.Job) {
	select {
	case <-h.engine.Linked: // after a start: who asked cannot be answered before
	case <-ctx.Done():
		return
	}
	var r persona.Request
	if err := json.Unmarshal(e.Payload, &r); err != nil {
		h.engine.Log.Error("a request is unreadable", "errand", e.ID, "err", err)
		return
	}
	if h.engine.Tombstones.Cover(e.Chat, r.From.ID, e.At) {
		return // and its row went
	}
	if err := h.engine.Jobs.Claim(ctx, time.Now(), e); err != nil {
		if !errors.Is(err, jobs.ErrClaimed) && !errors.Is(err, jobs.ErrDone) && ctx.Err() == nil {
			h.engine.Log.Error("a request was not taken up", "kind", r.Kind, "err", err)
			h.engine.NotifyOwner(ctx, describe(r)+"，还没有处理：没能记下来。flag："+r.ID)
		}
		return
	}
	h.taken.Add(1)
	switch joins := r.Kind == persona.GroupJoin; { // one without Joins was kept by a run that had a host to give it to
	case joins && h.o.Joins != nil:
		h.o.Joins(ctx, r)
		h.end(ctx, e, "given to the host")
		return
	case joins, h.engine.Options.Features.AnswerRequest == nil, h.o.Policy == AskOwner:
		h.hold(ctx, e, r, "等主人决定")
		return
	}
	j, err := h.judge(ctx, e, r)
	switch {
	case ctx.Err() != nil, h.engine.Tombstones.Cover(e.Chat, r.From.ID, e.At):
	case err != nil:
		h.engine.Log.Warn("a request was not judged, and so is not approved", "kind", r.Kind, "err", err)
		h.hold(ctx, e, r, whyHeld(err))
	case j.Decision == prompt.Hold:
		h.hold(ctx, e, r, quoted(j.Reason))
	default:
		h.grant(ctx, e, r, j)
	}
}

// admit deals with requests, a few at a time: most of them wait for a model, and for their time.
func (h *Handler) run(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(atOnce)
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case <-h.queue.Wake:
		}
		for _, e := range h.queue.Take() {
			g.Go(func() error { h.deal(ctx, e); return nil })
		}
	}
}
