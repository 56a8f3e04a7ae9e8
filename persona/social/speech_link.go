package social

import (
	"context"
	"errors"
	"strconv"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// A Typer is a [Link] that can show people that the being is typing. It is asked once for each part of a reply that is
// being typed ([Options].Speech), and honours its context, which ends when the part is typed. Whether it can makes no
// difference to what is said.
type Typer interface {
	Typing(ctx context.Context, chat persona.Chat) error
}

// A PartPacer is a [Pacer] that lets the parts of one reply follow each other more closely than replies. WaitPart returns
// when a further part of what is being said to the chat may leave. Without it Wait is asked for each part.
type PartPacer interface {
	Pacer
	WaitPart(ctx context.Context, chat persona.Chat) error
}

// WaitPart is the pace of the account: parts of one reply count as one for the chat.
func (l *oneBotLink) WaitPart(ctx context.Context, chat persona.Chat) error {
	return l.limiter.WaitPart(ctx, chat.String())
}

// Typing shows a friend that the bot types, until it is known that the implementation cannot.
func (l *oneBotLink) Typing(ctx context.Context, chat persona.Chat) error {
	if chat.Kind != persona.Private || l.mute.Load() {
		return nil
	}
	bot, err := l.account()
	if err != nil {
		return err
	}
	who, err := strconv.ParseInt(chat.ID, 10, 64)
	if err != nil {
		return err
	}
	const types = 1
	if err = bot.SetInputStatus(ctx, who, types); errors.Is(err, onebot.ErrNotFound) {
		l.mute.Store(true)
	}
	return err
}
