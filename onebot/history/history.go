// Package history back-fills messages that a bot missed while it was offline: it reads the history of a OneBot chat
// backwards, page by page.
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
// Implementations page differently: NapCat, SnowLuma and Lagrange expect the id of a message, LLBot and go-cqhttp its
// sequence number in the chat. Pages detects the right one.
//
// # Concurrency
//
// Pages may be called concurrently. It starts no goroutine.
//
// # Time
//
// Each page has 10 seconds on the wall clock, in addition to the deadline of ctx.
//
// # Caveats
//
// SnowLuma fetches 30 messages at a time and makes breaks in between, so a page takes it more than a second. The id of a
// private message of the bot is another one in its history than in the response of its send.
//
// The history ends at [MaxPages] pages. An implementation may keep fewer messages than QQ shows. go-cqhttp has no
// history of private chats: Pages yields [onebot.ErrUnknownAction].
package history

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// Limits of one call of Pages.
const (
	MaxPages = 8   // pages with at least one message
	PageSize = 100 // messages; each page but the first begins with a message of the page before

	callTime = 10 * time.Second // for a page
)

// A Chat is a group, or the private chat with a user.
type Chat struct {
	Private bool
	ID      int64 // of the group or of the user
}

// Pages yields the newest page of a chat's history and then earlier ones. Messages of a page are in chronological
// order. No message is yielded twice. Pages ends at the start of the history, after [MaxPages], or with an error. An
// error of the first page is always yielded. An error of a later page is yielded if the call did not reach the
// implementation: [onebot.ErrDisconnected], [onebot.ErrTimeout] or the context's error. Any other refusal of a later
// page counts as the end of the history. size is the number of messages in a page; 0 means [PageSize].
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
	way  int // the anchor that the implementation accepts: 1 for the message id, 2 for the sequence number; 0: unknown
}

// before returns the page of messages before oldest.
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
		// An implementation that does not know the anchor may return the newest page instead, which may have newer
		// messages by now.
		older := func(e onebot.Event) bool { return !e.EventTime().After(oldest.EventTime()) }
		if slices.ContainsFunc(page, older) {
			r.way = i + 1
			return page, nil
		}
	}
	return nil, nil
}

// read returns the page that ends with anchor, without messages of earlier pages.
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

// anchors returns the id of a message and its sequence number in the chat.
func anchors(e onebot.Event) (id, seq int64) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return e.MessageID, e.Seq
	case *onebot.PrivateMessage:
		return e.MessageID, e.Seq
	}
	return 0, 0
}
