package social

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// An UnclearSend is a message, or an answer to a request, of which nobody knows whether it was sent: the connection failed
// meanwhile, or the program did. It is never sent again.
type UnclearSend struct {
	ID       string // for [Bot.SettleUnclear]
	Kind     string // of its job: "batch", "timer", "task", "request", "answer", …
	Chat     persona.Chat
	Text     string    // "" after somebody was erased, whom it may have quoted; approve or reject of an answer to a request
	At       time.Time // when it became unclear
	Error    string    // of the attempt; may be ""
	Searched bool      // the bot still looks it up in the history of the chat, so it cannot be settled yet
}

var (
	// ErrSettled is returned by [Bot.SettleUnclear] for a send that is not unclear, or not any more.
	ErrSettled = engine.ErrSettled
	// ErrSearched is returned by [Bot.SettleUnclear] while the bot still looks the send up.
	ErrSearched = engine.ErrSearched
)

// Unclear returns the sends whose outcome is unknown, oldest first. The bot looks a message up in the history of its chat,
// if the platform has one. Those that it did not find stay in the list for a day. It waits until [Bot.Run] has started.
func (b *Bot) Unclear(ctx context.Context) ([]UnclearSend, error) {
	all, err := engine.UnclearSends(ctx, b.engine)
	list := make([]UnclearSend, len(all))
	for i, s := range all {
		list[i] = UnclearSend(s)
	}
	return list, err
}

// SettleUnclear stores whether an unclear send was sent. It sends nothing. A message that was sent becomes part of the history,
// so that the bot knows that it said it. One that was not sent stays out of it; it counts for the caps all the same. An
// answer to a request that was not sent can be given again: see [Bot.AnswerRequest]. It waits until [Bot.Run] has started.
func (b *Bot) SettleUnclear(ctx context.Context, id string, sent bool) error {
	s, err := engine.Settle(ctx, b.engine, id, sent)
	if err != nil {
		return err
	}
	_, job, _ := strings.Cut(id, "/")
	is := "sent"
	if !sent {
		is = "not sent"
		err = b.requests.Reopen(ctx, job)
	}
	b.note(ctx, Change{Chat: s.Chat, Field: "unclear_send", Subject: s.Kind, Old: "unclear", New: is})
	return err
}
