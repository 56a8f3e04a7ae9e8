package main

import (
	"context"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/onebot"
)

const (
	minPage  = 20 // messages that are asked for at once
	maxPage  = 100
	maxPages = 8
)

// catchUp brings into a room what was said while nobody listened. It is false when QQ did not answer at all.
func (a *account) catchUp(ctx context.Context, r *room) bool {
	r.read()
	past, err := a.past(ctx, r)
	if errors.Is(err, onebot.ErrNotFound) { // go-cqhttp has none of private chats: there is nothing to be asked for again
		a.log.Info("no history of such chats", "chat", r.chat, "err", err)
		past, err = nil, nil
	}
	missing, news, last := r.caught(past, err)
	if !last && ctx.Err() == nil {
		return a.catchUp(ctx, r)
	}
	if err != nil {
		a.log.Warn("the history did not come", "chat", r.chat, "err", err)
	}
	if missing > 0 {
		a.log.Debug("back-filled", "chat", r.chat, "messages", missing)
		if news > 0 {
			a.notify(r.chat)
		}
	}
	a.rooms.tell() // of what was missing, and of what waited
	a.compress(r)
	return err == nil || errors.As(err, new(*onebot.APIError))
}

// past reads a chat's history, oldest first: the newest page, and where a room is behind, earlier ones until it meets what is known. With
// an error it gives what came before that.
func (a *account) past(ctx context.Context, r *room) (all []message, err error) {
	page := max(min(a.o.buffer, maxPage), minPage)
	opens := 10 // forwards
	from := []int64{0}
	for n := 0; n < maxPages && len(from) > 0; n++ {
		events, err := a.page(ctx, r.chat, from[0], page)
		if unasked := errors.Is(err, onebot.ErrDisconnected) || errors.Is(err, onebot.ErrTimeout) || ctx.Err() != nil; err != nil && (n == 0 || unasked) {
			return inOrder(all), err // another error says that there is nothing more to be had, or not in this way
		}
		from = from[1:]
		var got []message
		for _, e := range events {
			if onebot.Perceived(e.Event) == onebot.Ignored {
				continue
			}
			m := a.message(ctx, r, e.Event, opens)
			if slices.ContainsFunc(e.parts(), func(s onebot.Segment) bool { return s.Type == "forward" }) {
				opens--
			}
			if m.text != "" && !slices.ContainsFunc(all, func(o message) bool { return o.key() == m.key() }) {
				got = append(got, m)
			}
		}
		if len(got) == 0 {
			continue // perhaps there is another way to go on
		}
		all = slices.Concat(got, all) // each page is of before the last
		if r.isNew() || r.knows(got) {
			break
		}
		from = events[0].anchors()
	}
	return inOrder(all), nil
}

func inOrder(all []message) []message {
	slices.SortStableFunc(all, byTime)
	return all
}

// A pastEvent is a message out of a history.
type pastEvent struct{ onebot.Event }

func (e pastEvent) parts() onebot.Message {
	switch e := e.Event.(type) {
	case *onebot.GroupMessage:
		return e.Message
	case *onebot.PrivateMessage:
		return e.Message
	}
	return nil
}

// anchors are what earlier messages may be asked for by: NapCat takes ids, others the chat's own count.
func (e pastEvent) anchors() (all []int64) {
	var id, seq int64
	switch e := e.Event.(type) {
	case *onebot.GroupMessage:
		id, seq = e.MessageID, e.Seq
	case *onebot.PrivateMessage:
		id, seq = e.MessageID, e.Seq
	}
	if all = append(all, id); seq != 0 && seq != id {
		all = append(all, seq)
	}
	return all
}

func (a *account) page(ctx context.Context, c chat, seq int64, n int) (out []pastEvent, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if c.private {
		events, err := a.bot.GetFriendMsgHistory(ctx, c.id, seq, n)
		for _, e := range events {
			out = append(out, pastEvent{e})
		}
		return out, err
	}
	events, err := a.bot.GetGroupMsgHistory(ctx, c.id, seq, n)
	for _, e := range events {
		out = append(out, pastEvent{e})
	}
	return out, err
}
