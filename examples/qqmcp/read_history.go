package main

import (
	"context"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
)

const minPage = 20 // minimum messages per request

// catchUp back-fills a chat. It returns false if QQ did not answer at all.
func (a *account) catchUp(ctx context.Context, r *chatState) bool {
	r.readingBegins()
	past, err := a.readHistory(ctx, r)
	if errors.Is(err, onebot.ErrUnknownAction) { // go-cqhttp has no history of private chats, so there is no retry
		a.log.Info("QQ has no history of this kind of chat", "chat", r.chat, "err", err)
		past, err = nil, nil
	}
	missing, news, done := r.finishBackfill(past, err)
	if !done && ctx.Err() == nil {
		return a.catchUp(ctx, r)
	}
	if err != nil {
		a.log.Warn("cannot read the history", "chat", r.chat, "err", err)
	}
	if missing > 0 {
		a.log.Debug("back-filled", "chat", r.chat, "messages", missing)
		if news > 0 {
			a.chatChanged(r.chat)
		}
	}
	a.chats.notifyWaiters() // for missing and pending messages
	a.summarizeDue(r)
	return err == nil || errors.As(err, new(*onebot.APIError))
}

// readHistory reads the history of a chat: the newest page, and earlier ones until one overlaps with known messages. If it
// fails it returns the part before the error. The result is oldest first.
func (a *account) readHistory(ctx context.Context, r *chatState) (all []message, err error) {
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
			if m := a.newMessage(ctx, r, e, asks); m.text != "" {
				got = append(got, m)
			}
		}
		all = slices.Concat(got, all)
		if r.overlaps(got) {
			break
		}
	}
	return all, nil
}
