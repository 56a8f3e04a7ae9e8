// Package history reads the history of a OneBot chat backwards, page by page, to back-fill what a bot missed while it was
// away:
//
//	var missed []onebot.Event
//	for page, err := range history.Pages(ctx, bot, history.Chat{ID: 123456}, 0) {
//		if err != nil {
//			return err
//		}
//		missed = slices.Concat(page, missed)
//		if slices.ContainsFunc(page, known) {
//			break
//		}
//	}
//
// Implementations differ in what an earlier page is asked for by: NapCat and Lagrange take the id of a message, LLBot and
// go-cqhttp its number in the chat. Pages finds out which it is.
package history

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// The bounds of one reading.
const (
	MaxPages = 8   // that hold messages
	PageSize = 100 // messages; each page but the first begins with one that the page before had

	callTime = 10 * time.Second // for a page
)

// A Chat is a group, or the private chat with a user.
type Chat struct {
	Private bool
	ID      int64 // of the group, or of the user
}

// Pages gives the newest page of a chat's history, then earlier ones, each oldest first. No message comes twice. It ends with
// the history, after [MaxPages], or with an error: of the first page any, later one that says that the implementation could
// not be asked ([onebot.ErrDisconnected], [onebot.ErrTimeout], the context's). What a later page is refused for otherwise
// means that there is no more. size is how many messages to ask for at once; 0: [PageSize]. A page has 10 seconds.
//
// go-cqhttp has no history of private chats: [onebot.ErrUnknownAction].
func Pages(ctx context.Context, bot *onebot.Bot, chat Chat, size int) iter.Seq2[[]onebot.Event, error] {
	if size <= 0 {
		size = PageSize
	}
	return func(yield func([]onebot.Event, error) bool) {
		r := reader{bot: bot, chat: chat, size: size, had: map[uint32]bool{}}
		page, err := r.read(ctx, 0)
		if err != nil {
			yield(nil, err)
			return
		}
		for n := 1; len(page) > 0 && yield(page, nil) && n < MaxPages; n++ {
			if page, err = r.before(ctx, page[0]); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

type reader struct {
	bot  *onebot.Bot
	chat Chat
	size int
	had  map[uint32]bool
	way  int // which of a message's anchors the implementation takes, counted from 1; 0: not known yet
}

// before gives the page of what was said before a message.
func (r *reader) before(ctx context.Context, oldest onebot.Event) ([]onebot.Event, error) {
	id, seq := anchors(oldest)
	for i, anchor := range []int64{id, seq} {
		if anchor == 0 || i == 1 && seq == id || r.way != 0 && r.way != i+1 {
			continue
		}
		page, err := r.read(ctx, anchor)
		if err != nil && (errors.Is(err, onebot.ErrDisconnected) || errors.Is(err, onebot.ErrTimeout) || ctx.Err() != nil) {
			return nil, err
		}
		// One that does not know the anchor may answer with the newest page, which has more in it by now.
		older := func(e onebot.Event) bool { return !e.EventTime().After(oldest.EventTime()) }
		if slices.ContainsFunc(page, older) {
			r.way = i + 1
			return page, nil
		}
	}
	return nil, nil
}

// read gives the page that ends with an anchor, less what it gave before.
func (r *reader) read(ctx context.Context, anchor int64) (page []onebot.Event, err error) {
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	if r.chat.Private {
		events, err := r.bot.GetFriendMsgHistory(ctx, r.chat.ID, anchor, r.size)
		return fresh(r, events), err
	}
	events, err := r.bot.GetGroupMsgHistory(ctx, r.chat.ID, anchor, r.size)
	return fresh(r, events), err
}

func fresh[E onebot.Event](r *reader, events []E) (page []onebot.Event) {
	for _, e := range events {
		id, _ := anchors(e)
		if key := onebot.MessageKey(id); id == 0 || !r.had[key] {
			r.had[key] = true
			page = append(page, e)
		}
	}
	return page
}

// anchors are the id of a message, and its number in the chat.
func anchors(e onebot.Event) (id, seq int64) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return e.MessageID, e.Seq
	case *onebot.PrivateMessage:
		return e.MessageID, e.Seq
	}
	return 0, 0
}
