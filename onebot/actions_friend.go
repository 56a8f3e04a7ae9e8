package onebot

import (
	"cmp"
	"context"
)

// DeleteFriend removes a friend (delete_friend). block also blocks later requests if the implementation can. An
// extension.
func (b *Bot) DeleteFriend(ctx context.Context, userID int64, block bool) error {
	return b.Call(ctx, "delete_friend", params{
		"user_id": userID, "friend_id": userID, // alternative name
		"block": block, "temp_block": block, "temp_both_del": false,
	}, nil)
}

// SetFriendRemark sets the bot's private remark for a friend (set_friend_remark). An extension of NapCat and LLBot.
func (b *Bot) SetFriendRemark(ctx context.Context, userID int64, remark string) error {
	return b.Call(ctx, "set_friend_remark", params{"user_id": userID, "remark": remark}, nil)
}

// GetFriendsWithCategory lists the friends by category (get_friends_with_category). An extension of NapCat and LLBot.
func (b *Bot) GetFriendsWithCategory(ctx context.Context) ([]FriendCategory, error) {
	return get[[]FriendCategory](ctx, b, "get_friends_with_category", nil)
}

// GetProfileLike returns the likes of the bot's profile: count users, from index start (get_profile_like). An
// extension of NapCat and LLBot.
func (b *Bot) GetProfileLike(ctx context.Context, start, count int) (ProfileLikes, error) {
	return get[ProfileLikes](ctx, b, "get_profile_like", params{"start": start, "count": count})
}

// GetDoubtFriendsAddRequest lists friend requests that QQ holds back as doubtful (get_doubt_friends_add_request).
// count 0 means 50. An extension of NapCat and LLBot.
func (b *Bot) GetDoubtFriendsAddRequest(ctx context.Context, count int) ([]DoubtRequest, error) {
	return get[[]DoubtRequest](ctx, b, "get_doubt_friends_add_request", params{"count": cmp.Or(count, 50)})
}

// SetDoubtFriendsAddRequest accepts a [DoubtRequest] (set_doubt_friends_add_request). QQ has no way to reject one. An
// extension of NapCat and LLBot.
func (b *Bot) SetDoubtFriendsAddRequest(ctx context.Context, flag string) error {
	return b.Call(ctx, "set_doubt_friends_add_request", params{"flag": flag, "approve": true}, nil)
}

// SendPoke pokes a member of a group, or a friend if groupID is 0 (send_poke). An extension.
func (b *Bot) SendPoke(ctx context.Context, groupID, userID int64) error {
	return b.Call(ctx, "send_poke", withParam(params{"user_id": userID}, "group_id", groupID), nil)
}
