package requests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// ErrAnswered is what social.Being.Answer gives for a request that was answered before, or perhaps was.
var ErrAnswered = errors.New("social: the request was answered already")

const answerKind = "answer"

// Answer answers a request for the host.
func (h *Handler) Answer(ctx context.Context, r persona.Request, approve bool, reason string) error {
	if r.ID == "" {
		return errors.New("social: answer which request? It has no ID")
	}
	if err := h.engine.Begun(ctx); err != nil {
		return err
	}
	e := jobs.Job{Kind: answerKind, Chat: privateOf(r)}
	for n := 0; ; n++ {
		e.ID = answerID(r, n)
		if old, ok := h.engine.Jobs.Lookup(e.ID); !ok || !failed(old) {
			break
		}
	}
	switch err := h.engine.Jobs.Claim(ctx, time.Now(), e); {
	case errors.Is(err, jobs.ErrClaimed), errors.Is(err, jobs.ErrDone):
		return ErrAnswered
	case err != nil:
		return fmt.Errorf("social: answer: %w", err)
	}
	err := h.answer(ctx, e.ID, r, approve, reason, func() {})
	outcome := "answered"
	if err != nil {
		outcome = "error: " + err.Error()
	}
	h.end(ctx, e, outcome)
	return err
}

func answerID(r persona.Request, n int) string {
	return fmt.Sprintf("%s/%s/%d", answerKind, requestDigest(r), n)
}

// failed reports that an errand tried to answer, and certainly did not.
func failed(e jobs.Job) bool {
	return e.Status == jobs.Done && (len(e.Outbox) == 0 || e.Outbox[0].Status == jobs.Failed)
}

// answer is the one way out for answers: commit, answer, result. One at a time, so that none is given twice. What certainly
// failed is passed to failed before it is written down, so that whoever is to know of it does when the process dies in
// between.
func (h *Handler) answer(ctx context.Context, errand string, r persona.Request, approve bool, reason string, failed func()) error {
	if h.engine.Options.Features.AnswerRequest == nil {
		return errors.New("social: the link cannot answer requests")
	}
	if err := h.answering.Lock(ctx); err != nil {
		return err
	}
	defer h.answering.Unlock()
	if h.answered(r) {
		return ErrAnswered
	}
	word := prompt.Reject
	if approve {
		word = prompt.Approve
	}
	n, err := h.engine.Jobs.Commit(ctx, time.Now(), errand, jobs.Entry{Text: word.String()})
	if err != nil {
		return fmt.Errorf("social: the errand could not be committed, so nothing is answered: %w", err)
	}
	answerErr := h.engine.Options.Features.AnswerRequest(ctx, r, approve, reason)
	unclear := errors.Is(answerErr, engine.ErrUnclear)
	if answerErr != nil && !unclear {
		if ctx.Err() != nil {
			return answerErr // it is told as unclear after the next start
		}
		failed()
	}
	after, stop := engine.Afterwards(ctx)
	defer stop()
	if err := h.engine.Jobs.Result(after, time.Now(), errand, n, "", answerErr, unclear); err != nil {
		h.engine.Log.Error("the result of an answer was not kept", "errand", errand, "err", err)
	}
	return answerErr
}

// answered reports that some errand has answered a request, or perhaps has.
func (h *Handler) answered(r persona.Request) bool {
	tried := func(e jobs.Job) bool { return len(e.Outbox) > 0 && e.Outbox[0].Status != jobs.Failed }
	if e, ok := h.engine.Jobs.Lookup(requestID(r)); ok && tried(e) {
		return true
	}
	for n := 0; ; n++ {
		e, ok := h.engine.Jobs.Lookup(answerID(r, n))
		if !ok || tried(e) {
			return ok
		}
	}
}

// grant answers as was judged, when it is time, and greets a new friend.
func (h *Handler) grant(ctx context.Context, e jobs.Job, r persona.Request, j prompt.RequestDecision) {
	if loop.Sleep(ctx, time.Until(h.answerAt(e))) != nil {
		return
	}
	approve := j.Decision == prompt.Approve
	failed := sync.OnceFunc(func() {
		h.held.Add(1)
		h.engine.NotifyOwner(ctx, describe(r)+"，想"+verb(approve)+"，没有成功。flag："+r.ID)
	})
	err := h.answer(ctx, e.ID, r, approve, "", failed)
	switch {
	case errors.Is(err, ErrAnswered):
		h.end(ctx, e, "answered by the host")
		return
	case errors.Is(err, jobs.ErrNotClaimed): // who asked was forgotten meanwhile
		return
	case err != nil && ctx.Err() != nil: // not committed, or told after the next start
		return
	case errors.Is(err, engine.ErrUnclear):
		h.engine.NotifyOwner(ctx, unclearAnswer(r, approve))
		h.end(ctx, e, "unclear")
		return
	case err != nil:
		h.engine.Log.Error("a request was not answered", "kind", r.Kind, "err", err)
		failed()
		h.end(ctx, e, "failed")
		return
	}
	if approve {
		h.approved.Add(1)
	} else {
		h.rejected.Add(1)
	}
	if j.Notify {
		h.engine.NotifyOwner(ctx, describe(r)+"，已"+verb(approve)+"："+quoted(j.Reason))
	}
	if approve && j.Greet && r.Kind == persona.FriendRequest && h.greet(ctx, e, r) {
		return // what it said is in doubt, and the errand ends with that
	}
	h.end(ctx, e, j.Decision.String())
}

func verb(approve bool) string {
	if approve {
		return "同意"
	}
	return "拒绝"
}

func unclearAnswer(r persona.Request, approve bool) string {
	return describe(r) + "，想" + verb(approve) + "，不知道成了没有，没有再答。flag：" + r.ID
}

// tellUnclear tells of an answer that was cut off.
func (h *Handler) tellUnclear(ctx context.Context, e jobs.Job) {
	var r persona.Request
	if json.Unmarshal(e.Payload, &r) != nil { // it was the host's
		h.engine.NotifyOwner(ctx, "对 "+e.Chat.String()+" 的申请的答复，不知道成了没有，没有再答。")
		return
	}
	h.engine.NotifyOwner(ctx, unclearAnswer(r, e.Outbox[0].Text == prompt.Approve.String()))
}
