package qq

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type forwardIn struct {
	Target   nit.ID   `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Messages []string `json:"messages" jsonschema:"一条一条的内容，纯文本"`
}

// Maximum of messages in a merged forward.
const maxForwarded = 50

func (k *toolkit) sendForward() (nit.Tool, error) {
	return nit.Define("qq_send_forward", nit.L1, "向指定的 QQ 群或好友发送一条合并转发，用于很长或分成很多条的内容。每一条都显示为自己说的，不能写成别人说的。target_id 也可以写群名、好友的备注或昵称。", k.forward,
		nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id"),
		nit.DescribeIn(nit.ModePersona, "在当前的聊天里把很长或分成很多条的内容合成一条合并转发，免得刷屏。每一条都显示为你说的。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			messages := s.Properties["messages"]
			messages.MinItems, messages.MaxItems = new(1), new(maxForwarded)
			messages.Items.MinLength, messages.Items.MaxLength = new(1), new(k.o.MaxTextChars)
		}))
}

// forward sends texts as a merged forward. All messages in it are from the bot's account, so that it never shows words
// that somebody else has not said.
func (k *toolkit) forward(ctx context.Context, in forwardIn) (sendOut, error) {
	to, _, err := k.resolveTarget(ctx, in.Target, "", "group")
	if err != nil {
		return sendOut{}, err
	}
	if slices.ContainsFunc(in.Messages, isBlank) {
		return sendOut{}, errNothingToSend
	}
	self, err := k.actor.Self(ctx)
	if err != nil {
		return sendOut{}, errors.Join(nit.ModelError("没有发出去"), err)
	}
	var messages []persona.Message
	for _, text := range in.Messages {
		messages = append(messages, persona.Message{From: self.ID, Name: cmp.Or(self.Nickname, self.ID), Text: text})
	}
	return k.sendMessage(ctx, in.Target, to, persona.Outgoing{Forward: messages})
}
