package onebotlink

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Send sends a message. It never reads CQ codes in the text.
func (l *link) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	return send(ctx, l.account, chat, out)
}

func send(ctx context.Context, bot *onebot.Bot, chat persona.Chat, out persona.Outgoing) (string, error) {
	n, err := numbers(slices.Concat([]string{chat.ID}, out.Mentions)...)
	if err != nil {
		return "", err
	}
	var m onebot.Message
	if out.ReplyTo != "" {
		answered, err := numbers(out.ReplyTo)
		if err != nil {
			return "", err
		}
		m = append(m, onebot.Reply(answered[0]))
	}
	if out.MentionEveryone {
		m = append(m, onebot.AtAll(), onebot.Text(" "))
	}
	for _, who := range n[1:] {
		m = append(m, onebot.At(who), onebot.Text(" "))
	}
	if out.Text != "" || out.Image == "" {
		m = append(m, onebot.Text(out.Text))
	}
	if out.Image != "" {
		m = append(m, onebot.Image(out.Image))
	}

	action, params := "send_private_msg", map[string]any{"user_id": n[0], "message": m}
	if chat.Kind == persona.Group {
		action, params = "send_group_msg", map[string]any{"group_id": n[0], "message": m}
	}
	var sent struct {
		MessageID int64 `json:"message_id"`
	}
	if err := bot.Call(ctx, action, params, &sent); err != nil {
		return "", wrapUnclear(social.ErrUnclear, err)
	}
	return id(sent.MessageID), nil
}

// encodeImage encodes a picture as part of the message.
func encodeImage(picture []byte) (string, error) {
	return onebot.FileFromBytes(picture), nil
}

// typing shows a friend that the bot types, until the implementation has reported that it cannot.
func (l *link) typing(ctx context.Context, chat persona.Chat) error {
	if chat.Kind != persona.Private || l.noTyping.Load() {
		return nil
	}
	const types = 1
	who, err := numbers(chat.ID)
	if err == nil {
		err = l.account.SetInputStatus(ctx, who[0], types)
	}
	if errors.Is(err, onebot.ErrUnknownAction) {
		l.noTyping.Store(true)
	}
	return err
}

// wrapUnclear makes err match as if it is onebot.ErrUnclear or one of others: the action may have succeeded.
func wrapUnclear(as, err error, others ...error) error {
	for _, perhaps := range append(others, onebot.ErrUnclear) {
		if errors.Is(err, perhaps) {
			return fmt.Errorf("%w: %w", as, err)
		}
	}
	return err
}
