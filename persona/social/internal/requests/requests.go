// Package requests deals with friend requests, group invites and requests to join a group: it has them judged by one
// model call each, answers them at most once, and says the first words to a new friend.
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

// A Policy says who decides. The values are those of social.Requests.
type Policy uint8

const (
	Judge Policy = iota
	AskOwner
	Ignore
)

// Options say which requests are taken up, and what their judge may know.
type Options struct {
	Policy   Policy
	Joins    func(ctx context.Context, r persona.Request) // is given requests to join a group; nil: they are passed over
	IsMember func(chat persona.Chat) bool                 // reports whether the account is in a chat
	People   bool                                         // opinions of people are kept
}

// A Handler has each request judged once, answers it, and greets a new friend. Its methods may be called concurrently.
type Handler struct {
	engine    *engine.Engine
	o         Options
	queue     *engine.Queue[jobs.Job]
	answering engine.Latch // held while a request is answered

	taken, approved, rejected, held atomic.Int64
}

const (
	requestKind   = "request"
	atOnce        = 4
	maxAge        = 7 * 24 * time.Hour // how old a request may be when it is judged
	answerSoonest = 5 * time.Second
	answerSpread  = 10 * time.Second
	commentRunes  = 500 // of what somebody writes along
)

// New returns the Handler of an engine.
func New(e *engine.Engine, o Options) *Handler {
	return &Handler{engine: e, o: o, queue: engine.NewQueue[jobs.Job](), answering: engine.NewLatch()}
}

// Counts returns how many requests were taken up, and how many of them were approved, rejected and left to the owner.
func (h *Handler) Counts() (taken, approved, rejected, held int64) {
	return h.taken.Load(), h.approved.Load(), h.rejected.Load(), h.held.Load()
}

// requested writes a request down, and has it dealt with. One that is known is passed over.
func (h *Handler) requested(ctx context.Context, r persona.Request) {
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
	if r.ID == "" || r.From.ID == "" || h.engine.Tombstones.Cover(chat, r.From.ID, r.At) {
		return
	}
	r.Name, r.GroupName, r.Comment = clip.Bytes(r.Name, engine.NameBytes), clip.Bytes(r.GroupName, engine.NameBytes), clip.Ellipsis(r.Comment, commentRunes)
	payload, err := json.Marshal(r)
	if err == nil {
		e := jobs.Job{ID: requestID(r), Kind: requestKind, Chat: chat, At: now, Payload: payload}
		if err = h.engine.Jobs.Add(ctx, now, e); err == nil {
			h.queue.Add(e)
			return
		}
	}
	if !errors.Is(err, jobs.ErrClaimed) && !errors.Is(err, jobs.ErrDone) && ctx.Err() == nil {
		h.engine.Log.Error("a request was not kept, and so is not handled", "kind", r.Kind, "err", err)
		h.engine.NotifyOwner(ctx, describe(r)+"，没有处理：没能记下来。")
	}
}

// privateOf is the chat that is with who asks: what a request brings lies there, and is forgotten with it.
func privateOf(r persona.Request) persona.Chat {
	return persona.Chat{Platform: r.From.Platform, Kind: persona.Private, ID: r.From.ID}
}

// requestID is made of a digest: flags are any text, and some name who asks.
func requestID(r persona.Request) string { return requestKind + "/" + requestDigest(r) }

func requestDigest(r persona.Request) string {
	return engine.HashID("request\x00" + r.From.Platform + "\x00" + r.Kind + "\x00" + r.ID)
}

// hold leaves a request to the owner.
func (h *Handler) hold(ctx context.Context, e jobs.Job, r persona.Request, why string) {
	h.held.Add(1)
	h.engine.NotifyOwner(ctx, describe(r)+"，没有处理："+why+"。flag："+r.ID)
	h.end(ctx, e, "held")
}

func (h *Handler) end(ctx context.Context, e jobs.Job, outcome string) {
	after, stop := engine.Afterwards(ctx)
	defer stop()
	if err := h.engine.Jobs.Done(after, time.Now(), e.ID, outcome); err != nil && !errors.Is(err, jobs.ErrNotClaimed) {
		h.engine.Log.Error("that a request was dealt with was not kept", "errand", e.ID, "err", err)
	}
}

// answerAt is when a request is answered: nobody answers at once.
func (h *Handler) answerAt(e jobs.Job) time.Time {
	return e.At.Add(answerSoonest + time.Duration(h.engine.Dice(e.ID).Int64N(int64(answerSpread))))
}

// describe names a request for the owner.
func describe(r persona.Request) string {
	who := engine.Line(r.Name) + "（" + engine.Line(r.From.ID) + "）"
	text := "好友申请：" + who
	switch r.Kind {
	case persona.GroupInvite:
		text = "入群邀请：" + who + "请我进 " + engine.Line(r.GroupName) + "（" + engine.Line(r.Group) + "）"
	case persona.GroupJoin:
		text = "入群申请：" + who + "想进 " + engine.Line(r.GroupName) + "（" + engine.Line(r.Group) + "）"
	}
	if r.Comment != "" {
		text += "，附言" + quoted(r.Comment)
	}
	return text
}

func quoted(s string) string { return "「" + clip.Ellipsis(engine.Line(s), 120) + "」" }
