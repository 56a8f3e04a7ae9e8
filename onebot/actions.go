package onebot

import "context"

type (
	groupParams struct {
		GroupID int64 `json:"group_id"`
		NoCache bool  `json:"no_cache,omitempty"`
	}
	userParams struct {
		UserID  int64 `json:"user_id"`
		NoCache bool  `json:"no_cache,omitempty"`
	}
	memberParams struct {
		GroupID int64 `json:"group_id"`
		UserID  int64 `json:"user_id"`
		NoCache bool  `json:"no_cache,omitempty"`
	}
)

// GetLoginInfo returns the bot's account. (get_login_info)
func (b *Bot) GetLoginInfo(ctx context.Context) (LoginInfo, error) {
	return get[LoginInfo](ctx, b, "get_login_info", nil)
}

// GetStatus reports whether the account is online. (get_status)
func (b *Bot) GetStatus(ctx context.Context) (Status, error) {
	return get[Status](ctx, b, "get_status", nil)
}

// GetVersionInfo returns the name and version of the implementation. (get_version_info)
func (b *Bot) GetVersionInfo(ctx context.Context) (VersionInfo, error) {
	return get[VersionInfo](ctx, b, "get_version_info", nil)
}

// GetStrangerInfo returns the profile of any user. noCache (no_cache) asks QQ instead of the implementation's cache.
// (get_stranger_info)
func (b *Bot) GetStrangerInfo(ctx context.Context, userID int64, noCache bool) (StrangerInfo, error) {
	return get[StrangerInfo](ctx, b, "get_stranger_info", userParams{userID, noCache})
}

// GetFriendList lists the friends. (get_friend_list)
func (b *Bot) GetFriendList(ctx context.Context) ([]Friend, error) {
	return get[[]Friend](ctx, b, "get_friend_list", nil)
}

// GetGroupInfo returns a group. noCache as in [Bot.GetStrangerInfo]. (get_group_info)
func (b *Bot) GetGroupInfo(ctx context.Context, groupID int64, noCache bool) (GroupInfo, error) {
	return get[GroupInfo](ctx, b, "get_group_info", groupParams{groupID, noCache})
}

// GetGroupList lists the groups of the bot. (get_group_list)
func (b *Bot) GetGroupList(ctx context.Context) ([]GroupInfo, error) {
	return get[[]GroupInfo](ctx, b, "get_group_list", nil)
}

// GetGroupMemberInfo returns a member of a group. noCache as in [Bot.GetStrangerInfo]. (get_group_member_info)
func (b *Bot) GetGroupMemberInfo(ctx context.Context, groupID, userID int64, noCache bool) (GroupMember, error) {
	return get[GroupMember](ctx, b, "get_group_member_info", memberParams{groupID, userID, noCache})
}

// GetGroupMemberList lists the members of a group. Implementations omit some fields here. (get_group_member_list)
func (b *Bot) GetGroupMemberList(ctx context.Context, groupID int64) ([]GroupMember, error) {
	return get[[]GroupMember](ctx, b, "get_group_member_list", groupParams{GroupID: groupID})
}

// GroupPoke pokes a member (group_poke). An extension of NapCat, LLOneBot and Lagrange.
func (b *Bot) GroupPoke(ctx context.Context, groupID, userID int64) error {
	return b.Call(ctx, "group_poke", memberParams{GroupID: groupID, UserID: userID}, nil)
}

// FriendPoke pokes a friend (friend_poke). An extension of NapCat, LLOneBot and Lagrange.
func (b *Bot) FriendPoke(ctx context.Context, userID int64) error {
	return b.Call(ctx, "friend_poke", userParams{UserID: userID}, nil)
}

// SetFriendAddRequest approves or rejects a [FriendRequest] (set_friend_add_request). remark is the remark of the new
// friend if approved; "" sets none.
func (b *Bot) SetFriendAddRequest(ctx context.Context, flag string, approve bool, remark string) error {
	return b.Call(ctx, "set_friend_add_request", struct {
		Flag    string `json:"flag"`
		Approve bool   `json:"approve"`
		Remark  string `json:"remark,omitempty"`
	}{flag, approve, remark}, nil)
}

// SetGroupAddRequest approves or rejects a [GroupRequest] (set_group_add_request). subType is the SubType of the
// request. QQ shows reason to the user if the request is rejected.
func (b *Bot) SetGroupAddRequest(ctx context.Context, flag, subType string, approve bool, reason string) error {
	return b.Call(ctx, "set_group_add_request", struct {
		Flag    string `json:"flag"`
		SubType string `json:"sub_type"`
		Type    string `json:"type"` // alternative name
		Approve bool   `json:"approve"`
		Reason  string `json:"reason,omitempty"`
	}{flag, subType, subType, approve, reason}, nil)
}
