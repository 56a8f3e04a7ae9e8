package qq

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

func (k *kit) deleteFriend() (nit.Tool, error) {
	return nit.Define("qq_delete_friend", nit.L1, "删除一个好友。user_id 也可以写备注或昵称。删除之后不能撤销，先确认主人要删的是谁。", k.unfriend, nit.ResultIntegrity(nit.Trusted), nit.ActsOn(unfriendWords, "user_id"),
		nit.DescribeIn(nit.ModePersona, "删除正在和你说话的这个好友。只在你真的不想再和 TA 来往时用。"))
}

// unfriend ends a friendship. A persona ends those with whom it is talking: what one says must not cost it another friend.
func (k *kit) unfriend(ctx context.Context, in userIn) (string, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if !everywhere(p) && !k.present(p, in.User) {
		return "", nit.ErrUnknownTool
	}
	id, err := k.aimAtUser(ctx, in.User)
	if err != nil {
		return "", err
	}
	if err := k.actor.DeleteFriend(ctx, id); err != nil {
		return "", explain("没有删成", "不知道删掉没有，先查好友列表", err)
	}
	return "已删除好友 " + user(id).SourceID(), nil
}

// present reports whether somebody is the one who is talked to.
func (k *kit) present(p nit.Principal, given nit.ID) bool {
	id, ok, _ := personal(given)
	chat, inChat := session(p)
	if !ok || !inChat {
		return false
	}
	if chat.Kind != persona.Group {
		return id == chat.ID
	}
	who, ok := person(p)
	return ok && id == who
}
