package engine

import (
	"context"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
)

// A QuoteMode says when a reply quotes the message that it answers. It is documented in package social.
type QuoteMode uint8

// The modes.
const (
	QuoteAuto QuoteMode = iota
	QuoteAlways
	QuoteNever
)

// A reply quotes the message that it answers if more messages or more characters than these stand between.
const (
	maxBetween      = 4
	maxBetweenRunes = 250
)

// quoted returns the id of the message that the first message of an answer quotes, or "".
func (u *Utterance) quoted(ctx context.Context) string {
	t, e, m := u.Turn, u.Turn.Engine, u.Turn.Caller
	if !t.Verdict.Addressed || m.Key == "" || m.Action || !t.Chat.IsValid(e, m) {
		return ""
	}
	switch mode := e.Options.Quote; {
	case mode == QuoteAlways, e.Options.Features.NeedsQuote:
		return m.ID
	case mode == QuoteNever:
		return ""
	case t.Callers > 1:
		return m.ID
	}
	past, err := e.Memory.Recent(ctx, t.Chat.Space, 4*maxBetween)
	if err != nil {
		e.Log.Warn("could not read the messages after the one to answer", "chat", t.Chat.ID, "err", err)
		return ""
	}
	messages, runes := 0, 0
	for i := len(past) - 1; i >= 0 && past[i].ID != m.Key; i-- {
		if MessageFromRecord(t.Chat, past[i]).Action {
			continue
		}
		messages++
		runes += utf8.RuneCountInString(past[i].Text)
		if messages > maxBetween || runes > maxBetweenRunes {
			return m.ID
		}
	}
	return ""
}

// withQuote makes the first message of an answer to a chat quote the message that it answers, if that is not plain anyway.
func (u *Utterance) withQuote(ctx context.Context, out persona.Outgoing) persona.Outgoing {
	if u.SentCount == 0 && u.Answers && out.ReplyTo == "" && out.CanQuote() {
		out.ReplyTo = u.quoted(ctx)
	}
	return out
}
