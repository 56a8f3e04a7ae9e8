package requests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// ErrAnswered reports that a request has been answered already, or may have been.
var ErrAnswered = errors.New("social: the request has already been answered")

const answerKind = "answer"

// Answer answers a request for the host.
func (h *Handler) Answer(ctx context.Context, r persona.Request, approve bool, reason string) error {
	if r.ID == "" {
		return errors.New("social: answer request: the request has no ID")
	}
	if err := h.engine.AwaitStart(ctx); err != nil {
		return err
	}
	job := jobs.Job{Kind: answerKind, Chat: privateOf(r)}
	for n := 0; ; n++ {
		job.ID = answerID(r, n)
		if old, ok := h.engine.Jobs.Lookup(job.ID); !ok || !certainlyFailed(old) {
			break
		}
	}
	switch err := h.engine.Jobs.Claim(ctx, time.Now(), job); {
	case errors.Is(err, jobs.ErrClaimed), errors.Is(err, jobs.ErrDone):
		h.decisions.close(ctx, r)
		return ErrAnswered
	case err != nil:
		return fmt.Errorf("social: answer request: %w", err)
	}
	err := h.answer(ctx, job.ID, r, approve, reason, func() {})
	outcome := "answered"
	if err != nil {
		outcome = "error: " + err.Error()
	}
	h.finish(ctx, job, outcome)
	if err == nil || errors.Is(err, ErrAnswered) || errors.Is(err, engine.ErrUnclear) {
		h.decisions.close(ctx, r)
	}
	return err
}

func answerID(r persona.Request, n int) string {
	return fmt.Sprintf("%s/%s/%d", answerKind, requestDigest(r), n)
}

// certainlyFailed reports whether a job tried to answer and the answer was certainly not sent.
func certainlyFailed(job jobs.Job) bool {
	return job.Status == jobs.Done && (len(job.Outbox) == 0 || job.Outbox[0].Status == jobs.Failed)
}

// answer is the only function that sends an answer: it commits the answer, sends it, and stores the result. A lock prevents two
// answers to one request. On a certain failure it calls failed before it stores the result, so that a crash in between
// cannot lose the notice.
func (h *Handler) answer(ctx context.Context, jobID string, r persona.Request, approve bool, reason string, failed func()) error {
	if h.engine.Options.Features.AnswerRequest == nil {
		return errors.New("social: answer request: the link cannot answer requests")
	}
	if err := h.answering.Lock(ctx); err != nil {
		return err
	}
	defer h.answering.Unlock()
	if h.answered(r) {
		return ErrAnswered
	}
	n, err := h.engine.Jobs.Commit(ctx, time.Now(), jobID, jobs.Entry{Text: word(approve)})
	if err != nil {
		return fmt.Errorf("social: commit an answer, nothing was sent: %w", err)
	}
	answerErr := h.engine.Options.Features.AnswerRequest(ctx, r, approve, reason)
	unclear := errors.Is(answerErr, engine.ErrUnclear)
	if answerErr != nil && !unclear {
		if ctx.Err() != nil {
			return answerErr // the next start reports it as unclear
		}
		failed()
	}
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	if err := h.engine.Jobs.Result(after, time.Now(), jobID, n, "", answerErr, unclear); err != nil {
		h.engine.Log.Error("could not store the result of an answer", "job", jobID, "err", err)
	}
	return answerErr
}

// answered reports whether any job has answered a request, or may have.
func (h *Handler) answered(r persona.Request) bool {
	tried := func(job jobs.Job) bool { return len(job.Outbox) > 0 && job.Outbox[0].Status != jobs.Failed }
	if job, ok := h.engine.Jobs.Lookup(requestID(r)); ok && tried(job) {
		return true
	}
	for n := 0; ; n++ {
		job, ok := h.engine.Jobs.Lookup(answerID(r, n))
		if !ok || tried(job) {
			return ok
		}
	}
}

// carryOut waits for the answer time, sends the decision, and greets a new friend. l is the label of the reason.
func (h *Handler) carryOut(ctx context.Context, job jobs.Job, r persona.Request, j prompt.RequestDecision, l memory.Label, from time.Time) {
	if loop.Sleep(ctx, time.Until(h.answerAt(job, from))) != nil {
		return
	}
	if _, err := h.awaitAwake(ctx, job.Chat); err != nil {
		return
	}
	approve := j.Decision == prompt.Approve
	failed := sync.OnceFunc(func() {
		h.escalated.Add(1)
		h.wait(ctx, r, false, "")
		h.notify(ctx, r, "，想"+verb(approve)+"，没有成功", "。flag："+r.ID)
	})
	err := h.answer(ctx, job.ID, r, approve, "", failed)
	switch {
	case errors.Is(err, ErrAnswered):
		h.finish(ctx, job, "answered by the host")
		return
	case errors.Is(err, jobs.ErrNotClaimed): // the requester was erased meanwhile
		return
	case err != nil && ctx.Err() != nil: // not committed, or reported after the next start
		return
	case errors.Is(err, engine.ErrUnclear):
		h.notifyUnclearAnswer(ctx, r, approve)
		h.finish(ctx, job, "unclear")
		return
	case err != nil:
		h.engine.Log.Error("could not answer a request", "kind", r.Kind, "err", err)
		failed()
		h.finish(ctx, job, "failed")
		return
	}
	if approve {
		h.approved.Add(1)
	} else {
		h.rejected.Add(1)
	}
	if j.Notify {
		text := describe(r) + "，已" + verb(approve) + "：" + quoted(j.Reason)
		h.engine.NotifyOwner(ctx, engine.Notice{Text: text, Label: requestLabel(r).Join(l), Person: r.From.ID})
	}
	if approve && j.Greet && r.Kind == persona.FriendRequest && h.greet(ctx, job, r) {
		return // the greeting is unclear; settling it ends the job
	}
	h.finish(ctx, job, j.Decision.String())
}

func verb(approve bool) string {
	if approve {
		return "同意"
	}
	return "拒绝"
}

func (h *Handler) notifyUnclearAnswer(ctx context.Context, r persona.Request, approve bool) {
	h.notify(ctx, r, "，想"+verb(approve)+"，不知道成了没有，没有再答", "。flag："+r.ID)
}

// notify notifies the owner about a request. Only Options.Notify gets the tail, which is for programs.
func (h *Handler) notify(ctx context.Context, r persona.Request, what, tail string) {
	text := describe(r) + what
	h.engine.NotifyOwner(ctx, engine.Notice{Text: text + tail, Private: text + "。", Label: requestLabel(r), Person: r.From.ID})
}

// requestLabel returns the label of a request, which comes from the requester.
func requestLabel(r persona.Request) memory.Label {
	return memory.Untrusted(memory.Space(privateOf(r).String()))
}

// notifyUnclear notifies the owner of an answer whose result is unknown.
func (h *Handler) notifyUnclear(ctx context.Context, job jobs.Job) {
	var r persona.Request
	if json.Unmarshal(job.Payload, &r) != nil { // the host's answer
		h.engine.NotifyOwner(ctx, engine.Notice{Text: "对 " + job.Chat.String() + " 的申请的答复，不知道成了没有，没有再答。", Chat: job.Chat})
		return
	}
	h.notifyUnclearAnswer(ctx, r, job.Outbox[0].Text == prompt.Approve.String())
}
