package qq

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type reactIn struct {
	Target  nit.ID `json:"target_id,omitempty" jsonschema:"消息在哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Message nit.ID `json:"message_id" jsonschema:"消息的 id"`
	Face    string `json:"face" jsonschema:"表情的名字"`
}

func (k *toolkit) react() (nit.Tool, error) {
	return nit.Define("qq_react", nit.L1, "给一条消息贴一个表情。target_id 是这条消息所在的群或好友，也可以写群名、好友的备注或昵称。", k.addReaction,
		nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(reactWords, "target_id"),
		nit.DescribeIn(nit.ModePersona, "给当前聊天里的一条消息贴一个表情。想回应又不想说话时用，不必每条都贴。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			for _, f := range k.actor.Faces {
				s.Properties["face"].Enum = append(s.Properties["face"].Enum, f.Name)
			}
		}))
}

// addReaction adds a face to a message of the target. An id alone does not tell the chat of a message, so it is looked up:
// otherwise a persona could react in another chat.
func (k *toolkit) addReaction(ctx context.Context, in reactIn) (string, error) {
	to, _, err := k.resolveTarget(ctx, in.Target, "", "group")
	if err != nil {
		return "", err
	}
	id, err := messageID(in.Message)
	if err != nil {
		return "", err
	}
	if err := k.actor.CheckMessage(ctx, to, id); err != nil {
		return "", errors.Join(nit.ModelError("这个聊天里没有查到这条消息"), err)
	}
	i := slices.IndexFunc(k.actor.Faces, func(f persona.Face) bool { return f.Name == in.Face }) // the schema allows no other name
	reaction := persona.Reaction{MessageID: id, Face: k.actor.Faces[i]}
	if _, err := k.actor.Send(ctx, to, persona.Outgoing{Reaction: reaction}); err != nil {
		return "", failure("没有贴上", "可能已经贴上了，不要再贴", err)
	}
	return "贴上了", nil
}

// messageID returns the canonical form of a message id. Some implementations use negative ids.
func messageID(given nit.ID) (string, error) {
	id, err := strconv.ParseInt(string(given), 10, 64)
	if err != nil || id == 0 {
		return "", nit.ModelError("message_id 是消息的数字 id")
	}
	return strconv.FormatInt(id, 10), nil
}
