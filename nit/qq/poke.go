package qq

import (
	"context"
	"strconv"

	"github.com/hearth-bot/hearth/nit"
)

type pokeIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"在哪里戳：group_群号 或 user_QQ号；留空就是当前会话"`
	User   nit.ID `json:"user_id,omitempty" jsonschema:"在群里戳谁（QQ号）；留空就是正在和你说话的人"`
}

func (k *kit) poke() (nit.Tool, error) {
	return nit.Define("qq_poke", "在 QQ 群里戳一戳某个成员，或戳一戳某个好友。也可以写名字。", k.prod,
		nit.At(nit.L1),
		nit.In(nit.ModePersona, "戳一戳当前聊天里的人，表示打招呼、撒娇或提醒。偶尔用用就好。"))
}

func (k *kit) prod(ctx context.Context, in pokeIn) (string, error) {
	to, here, err := k.aim(ctx, in.Target, "", "private")
	if err != nil {
		return "", err
	}
	who, err := k.whom(ctx, in.User, to, here)
	if err != nil {
		return "", err
	}
	if to.group {
		err = k.account.GroupPoke(ctx, to.id, who)
	} else {
		err = k.account.FriendPoke(ctx, who)
	}
	if err != nil {
		return "", explain("没有戳成", "可能已经戳到了，不要再戳", err)
	}
	return "戳了一下", nil
}

// whom finds who is poked: in a private chat the other one, in a group the given one, or who is talked to.
func (k *kit) whom(ctx context.Context, given nit.ID, in target, here bool) (int64, error) {
	if p, _ := nit.PrincipalFrom(ctx); given == "" && in.group && here {
		if id, ok := person(p); ok {
			given = nit.ID(strconv.FormatInt(id, 10))
		}
	}
	switch {
	case given == "" && in.group:
		return 0, nit.Tell("要戳谁？请给出 user_id")
	case given == "":
		return in.id, nil
	case in.group:
		return k.aimAtMember(ctx, in.id, given)
	}
	id, err := k.aimAtUser(ctx, given)
	if err == nil && id != in.id {
		err = nit.Tell("私聊里只能戳对方")
	}
	return id, err
}
