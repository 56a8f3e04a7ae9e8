package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// ErrAnswered is what [Being.Answer] gives for a request that was answered before, or perhaps was.
var ErrAnswered = errors.New("social: the request was answered already")

const answerKind = "answer"

// Answer answers a request for the host.
func (b *Engine) Answer(ctx context.Context, r persona.Request, approve bool, reason string) error {
	if r.ID == "" {
		return errors.New("social: answer which request? It has no ID")
	}
	if err := b.Begun(ctx); err != nil {
		return err
	}
	e := persona.Errand{Kind: answerKind, Chat: privateOf(r)}
	for n := 0; ; n++ {
		e.ID = answerID(r, n)
		if old, ok := b.Jobs.Lookup(e.ID); !ok || !failed(old) {
			break
		}
	}
	switch err := b.Jobs.Take(ctx, time.Now(), e); {
	case errors.Is(err, persona.ErrTaken), errors.Is(err, persona.ErrOver):
		return ErrAnswered
	case err != nil:
		return fmt.Errorf("social: answer: %w", err)
	}
	err := b.answer(ctx, e.ID, r, approve, reason, func() {})
	outcome := "answered"
	if err != nil {
		outcome = "error: " + err.Error()
	}
	b.endRequest(ctx, e, outcome)
	return err
}

func answerID(r persona.Request, n int) string {
	return fmt.Sprintf("%s/%s/%d", answerKind, requestDigest(r), n)
}

// failed reports that an errand tried to answer, and certainly did not.
func failed(e persona.Errand) bool {
	return e.Status == persona.Done && (len(e.Outbox) == 0 || e.Outbox[0].Status == persona.Failed)
}

// answer is the one way out for answers: commit, answer, result. One at a time, so that none is given twice. What certainly
// failed is passed to failed before it is written down, so that whoever is to know of it does when the process dies in
// between.
func (b *Engine) answer(ctx context.Context, errand string, r persona.Request, approve bool, reason string, failed func()) error {
	if b.Options.Features.Answer == nil {
		return errors.New("social: the link cannot answer requests")
	}
	if err := b.answers.Lock(ctx); err != nil {
		return err
	}
	defer b.answers.Unlock()
	if b.answered(r) {
		return ErrAnswered
	}
	word := persona.Reject
	if approve {
		word = persona.Approve
	}
	n, err := b.Jobs.Commit(ctx, time.Now(), errand, persona.Entry{Text: word.String()})
	if err != nil {
		return fmt.Errorf("social: the errand could not be committed, so nothing is answered: %w", err)
	}
	answerErr := b.Options.Features.Answer(ctx, r, approve, reason)
	unclear := errors.Is(answerErr, ErrUnclear)
	if answerErr != nil && !unclear {
		if ctx.Err() != nil {
			return answerErr // it is told as unclear after the next start
		}
		failed()
	}
	after, stop := Afterwards(ctx)
	defer stop()
	if err := b.Jobs.Result(after, time.Now(), errand, n, "", answerErr, unclear); err != nil {
		b.Log.Error("the result of an answer was not kept", "errand", errand, "err", err)
	}
	return answerErr
}

// answered reports that some errand has answered a request, or perhaps has.
func (b *Engine) answered(r persona.Request) bool {
	tried := func(e persona.Errand) bool { return len(e.Outbox) > 0 && e.Outbox[0].Status != persona.Failed }
	if e, ok := b.Jobs.Lookup(requestID(r)); ok && tried(e) {
		return true
	}
	for n := 0; ; n++ {
		e, ok := b.Jobs.Lookup(answerID(r, n))
		if !ok || tried(e) {
			return ok
		}
	}
}

// grant answers as was judged, when it is time, and greets a new friend.
func (b *Engine) grant(ctx context.Context, e persona.Errand, r persona.Request, j persona.Judgement) {
	if !Sleep(ctx, time.Until(b.answerAt(e))) {
		return
	}
	approve := j.Decision == persona.Approve
	failed := sync.OnceFunc(func() {
		b.Counters.Held.Add(1)
		b.NotifyOwner(ctx, describe(r)+"，想"+verb(approve)+"，没有成功。flag："+r.ID)
	})
	err := b.answer(ctx, e.ID, r, approve, "", failed)
	switch {
	case errors.Is(err, ErrAnswered):
		b.endRequest(ctx, e, "answered by the host")
		return
	case errors.Is(err, persona.ErrNotTaken): // who asked was forgotten meanwhile
		return
	case err != nil && ctx.Err() != nil: // not committed, or told after the next start
		return
	case errors.Is(err, ErrUnclear):
		b.NotifyOwner(ctx, unclearAnswer(r, approve))
		b.endRequest(ctx, e, "unclear")
		return
	case err != nil:
		b.Log.Error("a request was not answered", "kind", r.Kind, "err", err)
		failed()
		b.endRequest(ctx, e, "failed")
		return
	}
	if approve {
		b.Counters.Approved.Add(1)
	} else {
		b.Counters.Rejected.Add(1)
	}
	if j.Notify {
		b.NotifyOwner(ctx, describe(r)+"，已"+verb(approve)+"："+quoted(j.Reason))
	}
	if approve && j.Greet && r.Kind == persona.FriendRequest && b.greet(ctx, e, r) {
		return // what it said is in doubt, and the errand ends with that
	}
	b.endRequest(ctx, e, j.Decision.String())
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

// tellUnclearAnswer tells of an answer that was cut off.
func (b *Engine) tellUnclearAnswer(ctx context.Context, e persona.Errand) {
	var r persona.Request
	if json.Unmarshal(e.Payload, &r) != nil { // it was the host's
		b.NotifyOwner(ctx, "对 "+e.Chat.String()+" 的申请的答复，不知道成了没有，没有再答。")
		return
	}
	b.NotifyOwner(ctx, unclearAnswer(r, e.Outbox[0].Text == persona.Approve.String()))
}

// pause waits, and reports that ctx has not ended meanwhile.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
