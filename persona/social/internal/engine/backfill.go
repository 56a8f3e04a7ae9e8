package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// largeGap is the number of fetched messages, none of them known, from which on a gap is logged as a warning.
const largeGap = 100

// A backfiller fetches missed messages.
type backfiller struct{ *Engine }

// run fetches messages that the bot missed, and looks up unconfirmed sends. After a start it waits for the link,
// because a history that is not available yet says nothing about sends.
func (e backfiller) run(ctx context.Context) error {
	if e.Options.Features.RecentMessages != nil {
		select {
		case <-e.Link.Ready:
		case <-ctx.Done():
			return nil
		}
	}
	look := time.NewTimer(lookupInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			look.Reset(lookupInterval)
			e.gaps.lookUp(e.unconfirmed.chats()...)
			continue
		case <-e.gaps.wake:
		}
		e.gaps.list(func() []persona.Chat { return e.chatsToRead(ctx) })
		if chat, end, ok := e.gaps.begin(); ok {
			e.readChat(ctx, chat)
			end()
			e.gaps.signal() // for the next one
		}
	}
}

// chatsToRead returns every chat in which messages may be missing after a connection.
func (e backfiller) chatsToRead(ctx context.Context) []persona.Chat {
	chats, err := e.KnownChats(ctx)
	if err != nil && ctx.Err() == nil {
		e.Log.Error("the chats to back-fill could not be listed", "err", err)
	}
	return append(chats, e.unconfirmed.chats()...)
}

// readChat reads the history of one chat. It receives the new messages and resolves unconfirmed sends.
func (e backfiller) readChat(ctx context.Context, chat persona.Chat) {
	doubts := e.unconfirmed.take(chat) // before the read: a send that becomes unclear during it needs another
	c, gap := e.LoadedChat(chat), 0
	var known func(persona.Message) bool
	if c != nil {
		known, gap = c.gap(e.Identify)
	}
	past, err := e.recentMessages(ctx, chat, known)
	e.unconfirmed.resolve(ctx, chat, doubts, past, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNoHistory) {
		e.Log.Warn("a chat's history was not fetched", "chat", chat, "fetched", len(past), "err", err)
	} else if len(past) >= largeGap && (known == nil || !slices.ContainsFunc(past, known)) {
		e.Log.Warn("a gap is larger than the fetched history", "chat", chat, "fetched", len(past))
	}
	for _, m := range past {
		if err := e.receive(ctx, m); err != nil {
			if ctx.Err() == nil {
				e.Log.Error("a message of the history was not journaled", "chat", chat, "id", m.ID, "err", err)
			}
			return
		}
	}
	if c != nil && (err == nil || errors.Is(err, ErrNoHistory)) {
		c.mu.Lock()
		c.seen.known.CloseGap(gap)
		c.mu.Unlock()
	}
}

// recentMessages reads a chat's history with keys.
func (e *Engine) recentMessages(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error) {
	if e.Options.Features.RecentMessages == nil {
		return nil, ErrNoHistory
	}
	past, err := e.Options.Features.RecentMessages(ctx, chat, known)
	past = slices.DeleteFunc(past, func(m persona.Message) bool { return e.invalid.reject(e.Log, m) })
	for i := range past {
		e.Identify(&past[i])
	}
	return past, err
}
