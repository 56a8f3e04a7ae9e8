package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"golang.org/x/sync/errgroup"
)

// Requests are documented in package social.
type Requests uint8

const (
	// JudgeRequests lets the being decide, by one model call for each: approve, reject, or leave it to the owner. It
	// answers 5 to 15 seconds after it was asked. What fails, is not understood, or comes when most of the budget is spent
	// or later than a week after it was asked, is never approved: the owner is told.
	JudgeRequests Requests = iota
	// AskOwner tells the owner, and answers nothing.
	AskOwner
	// NoRequests passes them over.
	NoRequests
)

const (
	requestKind    = "request"
	requestsAtOnce = 4
	requestFor     = 7 * 24 * time.Hour // how old a request may be when it is judged
	answerSoonest  = 5 * time.Second
	answerSpread   = 10 * time.Second
	commentRunes   = 500 // of what somebody writes along
)

// requested writes a request down, and has it dealt with. One that is known is passed over.
func (b *Engine) requested(ctx context.Context, r persona.Request) {
	switch r.Kind {
	case persona.FriendRequest, persona.GroupInvite:
		if b.Options.Requests == NoRequests {
			return
		}
	case persona.GroupJoin:
		if b.Options.Joins == nil {
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
	if r.ID == "" || r.From.ID == "" || b.Tombstones.Cover(chat, r.From.ID, r.At) {
		return
	}
	r.Name, r.GroupName, r.Comment = ClipBytes(r.Name, nameBytes), ClipBytes(r.GroupName, nameBytes), ClipRunes(r.Comment, commentRunes)
	payload, err := json.Marshal(r)
	if err == nil {
		e := persona.Errand{ID: requestID(r), Kind: requestKind, Chat: chat, At: now, Payload: payload}
		if err = b.Jobs.Open(ctx, now, e); err == nil {
			b.petitions.Add(e)
			return
		}
	}
	if !errors.Is(err, persona.ErrTaken) && !errors.Is(err, persona.ErrOver) && ctx.Err() == nil {
		b.Log.Error("a request was not kept, and so is not handled", "kind", r.Kind, "err", err)
		b.NotifyOwner(ctx, describe(r)+"，没有处理：没能记下来。")
	}
}

// privateOf is the chat that is with who asks: what a request brings lies there, and is forgotten with it.
func privateOf(r persona.Request) persona.Chat {
	return persona.Chat{Platform: r.From.Platform, Kind: persona.Private, ID: r.From.ID}
}

// requestID is made of a digest: flags are any text, and some name who asks.
func requestID(r persona.Request) string { return requestKind + "/" + requestDigest(r) }

func requestDigest(r persona.Request) string {
	return HashID("request\x00" + r.From.Platform + "\x00" + r.Kind + "\x00" + r.ID)
}

// admit deals with requests, a few at a time: most of them wait for a model, and for their time.
func (b *Engine) admit(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(requestsAtOnce)
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case <-b.petitions.Wake:
		}
		for _, e := range b.petitions.Take() {
			g.Go(func() error { b.deal(ctx, e); return nil })
		}
	}
}

// deal sees one request through. Where ctx ends before it was answered it runs anew after the next start.
func (b *Engine) deal(ctx context.Context, e persona.Errand) {
	select {
	case <-b.Linked: // after a start: who asked cannot be answered before
	case <-ctx.Done():
		return
	}
	var r persona.Request
	if err := json.Unmarshal(e.Payload, &r); err != nil {
		b.Log.Error("a request is unreadable", "errand", e.ID, "err", err)
		return
	}
	if b.Tombstones.Cover(e.Chat, r.From.ID, e.At) {
		return // and its row went
	}
	if err := b.Jobs.Take(ctx, time.Now(), e); err != nil {
		if !errors.Is(err, persona.ErrTaken) && !errors.Is(err, persona.ErrOver) && ctx.Err() == nil {
			b.Log.Error("a request was not taken up", "kind", r.Kind, "err", err)
			b.NotifyOwner(ctx, describe(r)+"，还没有处理：没能记下来。flag："+r.ID)
		}
		return
	}
	b.Counters.Requests.Add(1)
	if r.Kind == persona.GroupJoin {
		b.Options.Joins(ctx, r)
		b.endRequest(ctx, e, "given to the host")
		return
	}
	if b.Options.Features.Answer == nil || b.Options.Requests == AskOwner {
		b.hold(ctx, e, r, "等主人决定")
		return
	}
	j, err := b.judgeRequest(ctx, e, r)
	switch {
	case ctx.Err() != nil, b.Tombstones.Cover(e.Chat, r.From.ID, e.At):
	case err != nil:
		b.Log.Warn("a request was not judged, and so is not approved", "kind", r.Kind, "err", err)
		b.hold(ctx, e, r, whyHeld(err))
	case j.Decision == persona.Hold:
		b.hold(ctx, e, r, quoted(j.Reason))
	default:
		b.grant(ctx, e, r, j)
	}
}

// hold leaves a request to the owner.
func (b *Engine) hold(ctx context.Context, e persona.Errand, r persona.Request, why string) {
	b.Counters.Held.Add(1)
	b.NotifyOwner(ctx, describe(r)+"，没有处理："+why+"。flag："+r.ID)
	b.endRequest(ctx, e, "held")
}

func (b *Engine) endRequest(ctx context.Context, e persona.Errand, outcome string) {
	after, stop := Afterwards(ctx)
	defer stop()
	if err := b.Jobs.Done(after, time.Now(), e.ID, outcome); err != nil && !errors.Is(err, persona.ErrNotTaken) {
		b.Log.Error("that a request was dealt with was not kept", "errand", e.ID, "err", err)
	}
}

// answerAt is when a request is answered: nobody answers at once.
func (b *Engine) answerAt(e persona.Errand) time.Time {
	return e.At.Add(answerSoonest + time.Duration(b.Dice(e.ID).Int64N(int64(answerSpread))))
}

// describe names a request for the owner.
func describe(r persona.Request) string {
	who := plain(r.Name) + "（" + plain(r.From.ID) + "）"
	text := "好友申请：" + who
	switch r.Kind {
	case persona.GroupInvite:
		text = "入群邀请：" + who + "请我进 " + plain(r.GroupName) + "（" + plain(r.Group) + "）"
	case persona.GroupJoin:
		text = "入群申请：" + who + "想进 " + plain(r.GroupName) + "（" + plain(r.Group) + "）"
	}
	if r.Comment != "" {
		text += "，附言" + quoted(r.Comment)
	}
	return text
}

// plain is what people wrote, in one line.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

func quoted(s string) string { return "「" + ClipRunes(plain(s), 120) + "」" }

func ClipRunes(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
