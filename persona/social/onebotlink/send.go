package onebotlink

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Send sends a message, a reaction or a poke. It never reads CQ codes in the text.
func (l *link) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	return send(ctx, l.account, chat, out)
}

func send(ctx context.Context, bot *onebot.Bot, chat persona.Chat, out persona.Outgoing) (id string, err error) {
	peer, err := numbers(chat.ID)
	if err != nil {
		return "", err
	}
	isGroup := chat.Kind == persona.Group
	switch {
	case out.Reaction != persona.Reaction{}:
		err = react(ctx, bot, chat, out.Reaction)
	case out.Poke != "":
		err = poke(ctx, bot, chat, out.Poke)
	case out.Forward != nil:
		id, err = sendForward(ctx, bot, peer[0], isGroup, out.Forward)
	case out.File.Data != nil:
		err = sendFile(ctx, bot, peer[0], isGroup, out.File)
	default:
		var m onebot.Message
		if m, err = segments(out); err == nil {
			id, err = sendSegments(ctx, bot, peer[0], isGroup, m)
		}
	}
	return id, wrapUnclear(social.ErrUnclear, err)
}

// segments converts a message of text, pictures, faces and voice.
func segments(out persona.Outgoing) (m onebot.Message, err error) {
	mentioned, err := numbers(out.Mentions...)
	if err != nil {
		return nil, err
	}
	if out.ReplyTo != "" {
		answered, err := numbers(out.ReplyTo)
		if err != nil {
			return nil, err
		}
		m = append(m, onebot.Reply(answered[0]))
	}
	if out.Voice.Data != nil { // QQ shows a voice message alone
		return onebot.Message{onebot.Record(onebot.FileFromBytes(out.Voice.Data))}, nil
	}
	if out.MentionEveryone {
		m = append(m, onebot.AtAll(), onebot.Text(" "))
	}
	for _, who := range mentioned {
		m = append(m, onebot.At(who), onebot.Text(" "))
	}
	if out.Text != "" || out.Image == "" && out.Face == (persona.Face{}) {
		m = append(m, onebot.Text(out.Text))
	}
	if out.Face != (persona.Face{}) {
		face, err := numbers(out.Face.ID)
		if err != nil {
			return nil, err
		}
		m = append(m, onebot.Face(face[0]))
	}
	if out.Image != "" {
		m = append(m, onebot.Image(out.Image))
	}
	return m, nil
}

func sendSegments(ctx context.Context, bot *onebot.Bot, peer int64, isGroup bool, m onebot.Message) (string, error) {
	action, params := "send_private_msg", map[string]any{"user_id": peer, "message": m}
	if isGroup {
		action, params = "send_group_msg", map[string]any{"group_id": peer, "message": m}
	}
	var sent struct {
		MessageID int64 `json:"message_id"`
	}
	err := bot.Call(ctx, action, params, &sent)
	return id(sent.MessageID), err
}

// react adds a face to a message. Lagrange has another action for it.
func react(ctx context.Context, bot *onebot.Bot, chat persona.Chat, r persona.Reaction) error {
	n, err := numbers(chat.ID, r.MessageID)
	if err != nil {
		return err
	}
	err = bot.SetMsgEmojiLike(ctx, n[1], r.Face.ID, true)
	if errors.Is(err, onebot.ErrUnknownAction) && chat.Kind == persona.Group {
		err = bot.SetGroupReaction(ctx, n[0], n[1], r.Face.ID, true)
	}
	return err
}

func poke(ctx context.Context, bot *onebot.Bot, chat persona.Chat, user string) error {
	n, err := numbers(chat.ID, user)
	switch {
	case err != nil:
		return err
	case chat.Kind == persona.Group:
		return bot.GroupPoke(ctx, n[0], n[1])
	}
	return bot.FriendPoke(ctx, n[1])
}

// sendForward sends messages as a merged forward of custom nodes.
func sendForward(ctx context.Context, bot *onebot.Bot, peer int64, isGroup bool, messages []persona.Message) (string, error) {
	var nodes onebot.Message
	for _, m := range messages {
		from, err := numbers(m.From)
		if err != nil {
			return "", err
		}
		nodes = append(nodes, onebot.CustomNode(from[0], m.Name, onebot.Message{onebot.Text(m.Text)}))
	}
	send := bot.SendPrivateForwardMsg
	if isGroup {
		send = bot.SendGroupForwardMsg
	}
	sent, err := send(ctx, peer, nodes, onebot.ForwardPreview{})
	return id(sent.MessageID), err
}

func sendFile(ctx context.Context, bot *onebot.Bot, peer int64, isGroup bool, f persona.SentFile) error {
	upload := bot.UploadPrivateFile
	if isGroup {
		upload = bot.UploadGroupFile
	}
	_, err := upload(ctx, peer, onebot.FileUpload{File: onebot.FileFromBytes(f.Data), Name: f.Name})
	return err
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
