package qq

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
)

type strangerIn struct {
	User nit.ID `json:"user_id" jsonschema:"QQ号"`
}

type strangerOut struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
	Sex      string `json:"sex,omitempty"`
	Age      int64  `json:"age,omitempty"`
}

type stranger struct{ account Account }

func (s stranger) define() (nit.Tool, error) {
	return nit.Define("qq_get_stranger_info", "按 QQ号查询用户的公开资料：昵称、性别、年龄。", s.info,
		nit.At(nit.L1), nit.ReadOnly(),
		nit.In(nit.ModePersona, "想知道对方是谁时，看看 TA 的公开资料。昵称是对方自己写的，未必是真的。"))
}

func (s stranger) info(ctx context.Context, in strangerIn) (strangerOut, error) {
	id, err := in.User.Int64()
	if err != nil || id <= 0 {
		return strangerOut{}, nit.Tell("user_id 是数字的 QQ号")
	}
	info, err := s.account.GetStrangerInfo(ctx, id, false)
	if err != nil {
		return strangerOut{}, errors.Join(nit.Tell("没有查到这个人"), err)
	}
	return strangerOut{id, info.Nickname, info.Sex, info.Age}, nil
}
