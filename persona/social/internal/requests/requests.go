// Package requests handles friend requests, group invites and requests to join a group. One model call judges each
// request. A request is answered at most once, and a new friend gets a greeting.
package requests

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A Policy selects who decides. The values equal those of social.Requests.
type Policy uint8

const (
	Judge Policy = iota
	AskOwner
	Ignore
)

// Options select which requests are handled and what the judge may read.
type Options struct {
	Policy   Policy
	Joins    func(ctx context.Context, r persona.Request) // receives requests to join a group; nil: they are ignored
	IsMember func(chat persona.Chat) bool                 // reports whether the account is in a chat
	People   bool                                         // the bot keeps impressions of people
}

// A Handler judges and answers each request once, and greets new friends. Its methods may be called concurrently.
type Handler struct {
	engine    *engine.Engine
	o         Options
	queue     *engine.Queue[jobs.Job]
	answering engine.Mutex // held while a request is answered

	received, approved, rejected, escalated atomic.Int64
}

const (
	requestKind      = "request"
	maxConcurrent    = 4
	maxAge           = 7 * 24 * time.Hour // oldest request that is judged
	minAnswerDelay   = 5 * time.Second
	answerDelayRange = 10 * time.Second
	maxCommentRunes  = 500 // of the requester's comment
)

// New returns the Handler of an engine.
func New(e *engine.Engine, o Options) *Handler {
	return &Handler{engine: e, o: o, queue: engine.NewQueue[jobs.Job](), answering: engine.NewMutex()}
}

// Counts returns the numbers of requests that were received, approved, rejected and escalated to the owner.
func (h *Handler) Counts() (received, approved, rejected, escalated int64) {
	return h.received.Load(), h.approved.Load(), h.rejected.Load(), h.escalated.Load()
}

// receive persists a new request and queues it. A known request is ignored.
func (h *Handler) receive(ctx context.Context, r persona.Request) {
	switch r.Kind {
	case persona.FriendRequest, persona.GroupInvite:
		if h.o.Policy == Ignore {
			return
		}
	case persona.GroupJoin:
		if h.o.Joins == nil {
			return
		}
	default:
		return
	}
	now := time.Now()
	if r.At.IsZero() || r.At.After(now) {
		r.At = now
	}
	chat := privateOf(r)
	if r.ID == "" || r.From.ID == "" || h.engine.Tombstones.Covers(chat, r.From.ID, r.At) {
		return
	}
	r.Name, r.GroupName, r.Comment = clip.Bytes(r.Name, engine.NameBytes), clip.Bytes(r.GroupName, engine.NameBytes), clip.Ellipsis(r.Comment, maxCommentRunes)
	payload, err := json.Marshal(r)
	if err == nil {
		job := jobs.Job{ID: requestID(r), Kind: requestKind, Chat: chat, At: now, Payload: payload}
		if err = h.engine.Jobs.Add(ctx, now, job); err == nil {
			h.queue.Add(job)
			return
		}
	}
	if !errors.Is(err, jobs.ErrClaimed) && !errors.Is(err, jobs.ErrDone) && ctx.Err() == nil {
		h.engine.Log.Error("could not store a request; it is not handled", "kind", r.Kind, "err", err)
		h.notify(ctx, r, "，没有处理：没能记下来", "。")
	}
}

// privateOf returns the private chat with the requester. The job of a request belongs to it and is erased with it.
func privateOf(r persona.Request) persona.Chat {
	return persona.Chat{Platform: r.From.Platform, Kind: persona.Private, ID: r.From.ID}
}

// requestID uses a digest, because flags are arbitrary text and may contain the requester's id.
func requestID(r persona.Request) string { return requestKind + "/" + requestDigest(r) }

func requestDigest(r persona.Request) string {
	return engine.HashID("request\x00" + r.From.Platform + "\x00" + r.Kind + "\x00" + r.ID)
}

// escalate leaves a request to the owner.
func (h *Handler) escalate(ctx context.Context, job jobs.Job, r persona.Request, why string) {
	h.escalated.Add(1)
	h.notify(ctx, r, "，没有处理："+why, "。flag："+r.ID)
	h.finish(ctx, job, "held")
}

func (h *Handler) finish(ctx context.Context, job jobs.Job, outcome string) {
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	if err := h.engine.Jobs.Done(after, time.Now(), job.ID, outcome); err != nil && !errors.Is(err, jobs.ErrNotClaimed) {
		h.engine.Log.Error("could not store the outcome of a request", "job", job.ID, "err", err)
	}
}

// answerAt returns when to answer a request: after a random delay, as a human would.
func (h *Handler) answerAt(job jobs.Job) time.Time {
	return job.At.Add(minAnswerDelay + time.Duration(h.engine.Rand(job.ID).Int64N(int64(answerDelayRange))))
}

// describe formats a request for the owner.
func describe(r persona.Request) string {
	who := engine.QuoteLine(r.Name) + "（" + engine.QuoteLine(r.From.ID) + "）"
	text := "好友申请：" + who
	switch r.Kind {
	case persona.GroupInvite:
		text = "入群邀请：" + who + "请我进 " + engine.QuoteLine(r.GroupName) + "（" + engine.QuoteLine(r.Group) + "）"
	case persona.GroupJoin:
		text = "入群申请：" + who + "想进 " + engine.QuoteLine(r.GroupName) + "（" + engine.QuoteLine(r.Group) + "）"
	}
	if r.Comment != "" {
		text += "，附言" + quoted(r.Comment)
	}
	return text
}

func quoted(s string) string { return "「" + clip.Ellipsis(engine.QuoteLine(s), 120) + "」" }
