package qq

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
)

type userIn struct {
	User nit.ID `json:"user_id" jsonschema:"QQ号"`
}

func (k *toolkit) strangerInfo() (nit.Tool, error) {
	return nit.Define("qq_get_stranger_info", nit.L1, "按 QQ号查询用户的公开资料：昵称、性别、年龄。好友也可以写备注或昵称。", k.info,
		readsUntrusted(nit.DescribeIn(nit.ModePersona, "想知道对方是谁时，看看 TA 的公开资料。昵称是对方自己写的，未必是真的。"))...)
}

func (k *toolkit) info(ctx context.Context, in userIn) (personOut, error) {
	id, err := k.resolveUser(ctx, in.User)
	if err != nil {
		return personOut{}, err
	}
	info, err := k.actor.Profile(ctx, id)
	if err != nil {
		return personOut{}, errors.Join(nit.ModelError("没有查到这个人"), err)
	}
	return personOut{UserID: shownID(id), Nickname: info.Nickname, Sex: info.Sex, Age: info.Age}, nil
}
