package qq

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type pokeIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"在哪里戳：group_群号 或 user_QQ号；留空就是当前会话"`
	User   nit.ID `json:"user_id,omitempty" jsonschema:"在群里戳谁（QQ号）；留空就是正在和你说话的人"`
}

func (k *toolkit) poke() (nit.Tool, error) {
	return nit.Define("qq_poke", nit.L1, "在 QQ 群里戳一戳某个成员，或戳一戳某个好友。也可以写名字。", k.pokeUser, nit.ResultIntegrity(nit.Trusted), nit.ActsOn(pokeWords, "target_id", "user_id"),
		nit.DescribeIn(nit.ModePersona, "戳一戳当前聊天里的人，表示打招呼、撒娇或提醒。偶尔用用就好。"))
}

func (k *toolkit) pokeUser(ctx context.Context, in pokeIn) (string, error) {
	to, here, err := k.resolveTarget(ctx, in.Target, "", "private")
	if err != nil {
		return "", err
	}
	who, err := k.pokeTarget(ctx, in.User, to, here)
	if err != nil {
		return "", err
	}
	if err := k.actor.Poke(ctx, to, who); err != nil {
		return "", failure("没有戳成", "可能已经戳到了，不要再戳", err)
	}
	return "戳了一下", nil
}

// pokeTarget returns the user to poke: in a private chat the other person, in a group the given user or the person in
// the conversation.
func (k *toolkit) pokeTarget(ctx context.Context, given nit.ID, in persona.Chat, here bool) (string, error) {
	if p, _ := nit.PrincipalFrom(ctx); given == "" && in.Kind == persona.Group && here {
		if id, ok := principalUser(p); ok {
			given = nit.ID(id)
		}
	}
	switch {
	case given == "" && in.Kind == persona.Group:
		return "", nit.ModelError("要戳谁？请给出 user_id")
	case given == "":
		return in.ID, nil
	case in.Kind == persona.Group:
		return k.resolveMember(ctx, in.ID, given)
	}
	id, err := k.resolveUser(ctx, given)
	if err == nil && id != in.ID {
		err = nit.ModelError("私聊里只能戳对方")
	}
	return id, err
}
