package qq

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

func (k *toolkit) deleteFriend() (nit.Tool, error) {
	return nit.Define("qq_delete_friend", nit.L1, "删除一个好友。user_id 也可以写备注或昵称。删除之后不能撤销，先确认主人要删的是谁。", k.removeFriend, nit.ResultIntegrity(nit.Trusted), nit.ActsOn(unfriendWords, "user_id"),
		nit.DescribeIn(nit.ModePersona, "删除正在和你说话的这个好友。只在你真的不想再和 TA 来往时用。"))
}

// removeFriend ends a friendship. A persona may remove only the friend it talks to, so that nobody can make it remove
// others.
func (k *toolkit) removeFriend(ctx context.Context, in userIn) (string, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if !isAgent(p) && !k.isCurrentUser(p, in.User) {
		return "", nit.ErrUnknownTool
	}
	id, err := k.resolveUser(ctx, in.User)
	if err != nil {
		return "", err
	}
	if err := k.actor.DeleteFriend(ctx, id); err != nil {
		return "", failure("没有删成", "不知道删掉没有，先查好友列表", err)
	}
	return "已删除好友 " + userChat(id).SourceID(), nil
}

// isCurrentUser reports whether given is the person in the conversation.
func (k *toolkit) isCurrentUser(p nit.Principal, given nit.ID) bool {
	id, ok, _ := userByID(given)
	chat, inChat := principalChat(p)
	if !ok || !inChat {
		return false
	}
	if chat.Kind != persona.Group {
		return id == chat.ID
	}
	who, ok := principalUser(p)
	return ok && id == who
}
