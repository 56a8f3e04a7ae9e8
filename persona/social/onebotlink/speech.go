package onebotlink

import (
	"context"
	"errors"
	"strconv"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// waitPart is the pace of the account: parts of one reply count as one for the chat.
func (l *link) waitPart(ctx context.Context, chat persona.Chat) error {
	return l.limiter.WaitPart(ctx, chat.String())
}

// typing shows a friend that the bot types, until it is known that the implementation cannot.
func (l *link) typing(ctx context.Context, chat persona.Chat) error {
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

// encodeImage writes the picture into the message.
func encodeImage(picture []byte) (string, error) {
	return onebot.FromBytes(picture), nil
}
