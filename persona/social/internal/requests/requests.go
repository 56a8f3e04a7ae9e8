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
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
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
	NewCode  func() string                                // returns a random code for a notice; nil means crypto/rand; tests replace it
}

// A Handler judges and answers each request once, and greets new friends. Its methods may be called concurrently.
type Handler struct {
	engine    *engine.Engine
	o         Options
	queue     *engine.Queue[jobs.Job]
	answering engine.Mutex  // held while a request is answered
	slots     chan struct{} // holds a token for each request that is judged
	orders    *engine.Queue[order]
	decisions *decisions

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
	return &Handler{engine: e, o: o, queue: engine.NewQueue[jobs.Job](), answering: engine.NewMutex(), slots: make(chan struct{}, maxConcurrent), orders: engine.NewQueue[order](), decisions: newDecisions(e, o.NewCode)}
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

// escalate leaves a request to the owner. l is the label of the reason; zero means that of the request.
func (h *Handler) escalate(ctx context.Context, job jobs.Job, r persona.Request, why string, l memory.Label) {
	h.escalated.Add(1)
	text := describe(r) + "，没有处理：" + why + "。"
	n := engine.Notice{Text: text + "flag：" + r.ID, Private: text, Label: requestLabel(r), Person: r.From.ID}
	if !l.IsZero() {
		n.Label = n.Label.Join(l)
	}
	if h.engine.Options.Features.AnswerRequest != nil {
		told := r.Kind != persona.GroupJoin && h.engine.Options.Messenger != nil
		if private := h.wait(ctx, r, told, text); private != "" {
			n.Private = private
		}
	}
	h.engine.NotifyOwner(ctx, n)
	h.finish(ctx, job, "held")
}

// wait stores a request that waits for the owner's decision. If the owner is told in private, it returns the text of that
// message with a code for the answer, or "" if the request could not be stored.
func (h *Handler) wait(ctx context.Context, r persona.Request, told bool, text string) string {
	private, err := h.decisions.add(ctx, time.Now(), r, func(code string) string {
		if !told {
			return ""
		}
		return text + howToAnswer(code)
	})
	if err != nil && ctx.Err() == nil {
		h.engine.Log.Error("could not store a request for the owner to decide", "err", err)
	}
	return private
}

// NoteSent stores the id of a private message to the owner, so that an answer may quote it.
func (h *Handler) NoteSent(ctx context.Context, text, messageID string) {
	if err := h.decisions.noteSent(ctx, text, messageID); err != nil {
		h.engine.Log.Error("could not store the message of a request", "err", err)
	}
}

// awaitAwake waits while the bot sleeps, and in quiet hours that end within a day. It reports whether it had to wait.
func (h *Handler) awaitAwake(ctx context.Context, chat persona.Chat) (waited bool, err error) {
	for ; ; waited = true {
		now := time.Now()
		until, quiet := h.engine.Attention.InQuietHours(now, chat)
		switch {
		case engine.IsAsleep(h.engine.Attention, now):
			until = now.Add(time.Minute)
		case !quiet || !until.After(now) || until.Sub(now) > 24*time.Hour: // a zero until: they never end
			return waited, ctx.Err()
		}
		if err := loop.Sleep(ctx, min(until.Sub(now), time.Minute)); err != nil {
			return true, err
		}
	}
}

func (h *Handler) finish(ctx context.Context, job jobs.Job, outcome string) {
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	if err := h.engine.Jobs.Done(after, time.Now(), job.ID, outcome); err != nil && !errors.Is(err, jobs.ErrNotClaimed) {
		h.engine.Log.Error("could not store the outcome of a request", "job", job.ID, "err", err)
	}
}

// answerAt returns when to answer a request that could be judged from a time on: after a random delay, as a human would.
func (h *Handler) answerAt(job jobs.Job, from time.Time) time.Time {
	return from.Add(minAnswerDelay + time.Duration(h.engine.Rand(job.ID).Int64N(int64(answerDelayRange))))
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
