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

// Send sends text as text: nothing in it is ever read as CQ code.
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
		return "", unclear(social.ErrUnclear, err)
	}
	return id(sent.MessageID), nil
}

// encodeImage writes the picture into the message.
func encodeImage(picture []byte) (string, error) {
	return onebot.FileFromBytes(picture), nil
}

// typing shows a friend that the bot types, until it is known that the implementation cannot.
func (l *link) typing(ctx context.Context, chat persona.Chat) error {
	if chat.Kind != persona.Private || l.mute.Load() {
		return nil
	}
	const types = 1
	who, err := numbers(chat.ID)
	if err == nil {
		err = l.account.SetInputStatus(ctx, who[0], types)
	}
	if errors.Is(err, onebot.ErrUnknownAction) {
		l.mute.Store(true)
	}
	return err
}

// unclear has err match as where it is onebot.ErrUnclear, or another one that says that something may have been done.
func unclear(as, err error, others ...error) error {
	for _, perhaps := range append(others, onebot.ErrUnclear) {
		if errors.Is(err, perhaps) {
			return fmt.Errorf("%w: %w", as, err)
		}
	}
	return err
}
