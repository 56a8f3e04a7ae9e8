package main

import (
	"context"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
)

const minPage = 20 // messages that are asked for at once

// catchUp brings into a room what was said while nobody listened. It is false when QQ did not answer at all.
func (a *account) catchUp(ctx context.Context, r *room) bool {
	r.read()
	past, err := a.past(ctx, r)
	if errors.Is(err, onebot.ErrUnknownAction) { // go-cqhttp has none of private chats: there is nothing to be asked for again
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

// past reads a chat's history, oldest page first: the newest page, and where a room is behind, earlier ones until it meets what is known. With
// an error it gives what came before that.
func (a *account) past(ctx context.Context, r *room) (all []message, err error) {
	from := history.Chat{Private: r.chat.private, ID: r.chat.id}
	asks := new(10)
	for page, err := range history.Pages(ctx, a.bot, from, max(min(a.o.buffer, history.PageSize), minPage)) {
		if err != nil {
			return all, err
		}
		var got []message
		for _, e := range page {
			if onebot.Classify(e) == onebot.ClassIgnored {
				continue
			}
			if m := a.message(ctx, r, e, asks); m.text != "" {
				got = append(got, m)
			}
		}
		all = slices.Concat(got, all)
		if r.knows(got) {
			break
		}
	}
	return all, nil
}
