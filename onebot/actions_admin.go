package onebot

import (
	"context"
	"encoding/json"
	"time"
)

// SetGroupWholeBan mutes everybody in a group but its admins, or ends that (set_group_whole_ban).
func (b *Bot) SetGroupWholeBan(ctx context.Context, groupID int64, enable bool) error {
	return b.Call(ctx, "set_group_whole_ban", params{"group_id": groupID, "enable": enable}, nil)
}

// SetGroupAdmin makes a member an admin, or an admin a member (set_group_admin). The bot must own the group.
func (b *Bot) SetGroupAdmin(ctx context.Context, groupID, userID int64, enable bool) error {
	return b.Call(ctx, "set_group_admin", params{"group_id": groupID, "user_id": userID, "enable": enable}, nil)
}

// SetGroupAnonymous lets members speak with a mask, or ends that (set_group_anonymous). NapCat and LLBot do not have
// it.
func (b *Bot) SetGroupAnonymous(ctx context.Context, groupID int64, enable bool) error {
	return b.Call(ctx, "set_group_anonymous", params{"group_id": groupID, "enable": enable}, nil)
}

// SetGroupAnonymousBan mutes an anonymous member for d, in whole seconds (set_group_anonymous_ban). flag is that of
// [Anonymous], also known as anonymous_flag. NapCat and LLBot do not have it.
func (b *Bot) SetGroupAnonymousBan(ctx context.Context, groupID int64, flag string, d time.Duration) error {
	return b.Call(ctx, "set_group_anonymous_ban", params{
		"group_id": groupID, "flag": flag, "anonymous_flag": flag, "anonymous": params{"flag": flag}, "duration": int64(d / time.Second),
	}, nil)
}

// SetGroupName renames a group (set_group_name).
func (b *Bot) SetGroupName(ctx context.Context, groupID int64, name string) error {
	return b.Call(ctx, "set_group_name", params{"group_id": groupID, "group_name": name}, nil)
}

// SetGroupSpecialTitle gives a member a title (set_group_special_title with special_title); "" takes it away. It does
// not expire. The bot must own the group.
func (b *Bot) SetGroupSpecialTitle(ctx context.Context, groupID, userID int64, title string) error {
	return b.Call(ctx, "set_group_special_title", params{"group_id": groupID, "user_id": userID, "special_title": title, "duration": -1}, nil)
}

// GetGroupHonorInfo tells who holds a group's titles (get_group_honor_info): kind is "talkative", "performer",
// "legend", "strong_newbie", "emotion" or "all".
func (b *Bot) GetGroupHonorInfo(ctx context.Context, groupID int64, kind string) (HonorInfo, error) {
	return get[HonorInfo](ctx, b, "get_group_honor_info", params{"group_id": groupID, "type": kind})
}

// SetGroupPortrait changes a group's picture (set_group_portrait); file as in [Image]. An extension.
func (b *Bot) SetGroupPortrait(ctx context.Context, groupID int64, file string) error {
	return b.Call(ctx, "set_group_portrait", params{"group_id": groupID, "file": file, "cache": 0}, nil)
}

// SetGroupRemark sets the bot's own name for a group (set_group_remark). An extension of NapCat and LLBot.
func (b *Bot) SetGroupRemark(ctx context.Context, groupID int64, remark string) error {
	return b.Call(ctx, "set_group_remark", params{"group_id": groupID, "remark": remark}, nil)
}

// SendGroupSign signs the bot in to a group for today (send_group_sign). An extension.
func (b *Bot) SendGroupSign(ctx context.Context, groupID int64) error {
	return b.Call(ctx, "send_group_sign", params{"group_id": groupID}, nil)
}

// GetGroupSignedList lists who signed in to a group today (get_group_signed_list). An extension of NapCat and LLBot.
func (b *Bot) GetGroupSignedList(ctx context.Context, groupID int64) ([]SignedMember, error) {
	return get[[]SignedMember](ctx, b, "get_group_signed_list", params{"group_id": groupID})
}

// GetGroupShutList lists who may not speak in a group (get_group_shut_list). An extension of NapCat and LLBot.
func (b *Bot) GetGroupShutList(ctx context.Context, groupID int64) ([]MutedMember, error) {
	return get[[]MutedMember](ctx, b, "get_group_shut_list", params{"group_id": groupID})
}

// GetGroupAtAllRemain tells how often everybody may still be mentioned today (get_group_at_all_remain). An extension.
func (b *Bot) GetGroupAtAllRemain(ctx context.Context, groupID int64) (AtAllRemain, error) {
	return get[AtAllRemain](ctx, b, "get_group_at_all_remain", params{"group_id": groupID})
}

// GetGroupSystemMsg lists invitations and requests to join, answered ones too (get_group_system_msg). An extension.
func (b *Bot) GetGroupSystemMsg(ctx context.Context) (GroupSystemMsg, error) {
	return get[GroupSystemMsg](ctx, b, "get_group_system_msg", nil)
}

// A Announcement is an announcement to be made in a group.
type Announcement struct {
	Content string // required
	Image   string // a picture, as in [Image]; "": none
	// Pinned keeps it on top; Confirm wants each member to confirm it; EditCard asks members to change their cards;
	// Window shows it in a window; NewMembers shows it to those who join later. Implementations may ignore each.
	Pinned, Confirm, EditCard, Window, NewMembers bool
}

// SendGroupNotice makes an announcement in a group (_send_group_notice). An extension.
func (b *Bot) SendGroupNotice(ctx context.Context, groupID int64, n Announcement) error {
	kind, window := 1, 1
	if n.NewMembers {
		kind = 20
	}
	if n.Window {
		window = 0
	}
	return b.Call(ctx, "_send_group_notice", and(params{
		"group_id": groupID, "content": n.Content,
		"pinned": n.Pinned, "confirm_required": n.Confirm, "is_show_edit_card": n.EditCard,
		"tip_window": n.Window, "tip_window_type": window, // as LLBot and NapCat say it
		"send_new_member": n.NewMembers, "type": kind,
	}, "image", n.Image), nil)
}

// GetGroupNotice lists the announcements of a group (_get_group_notice). An extension.
func (b *Bot) GetGroupNotice(ctx context.Context, groupID int64) ([]GroupAnnouncement, error) {
	return get[[]GroupAnnouncement](ctx, b, "_get_group_notice", params{"group_id": groupID})
}

// DelGroupNotice removes an announcement (_del_group_notice). An extension.
func (b *Bot) DelGroupNotice(ctx context.Context, groupID int64, noticeID string) error {
	return b.Call(ctx, "_del_group_notice", params{"group_id": groupID, "notice_id": noticeID}, nil)
}

// GetGroupAlbumMediaList lists what is in an album of a group (get_group_album_media_list). attach is told by the
// page before; "" for the first. What comes is QQ's own JSON and differs. An extension of NapCat and LLBot.
func (b *Bot) GetGroupAlbumMediaList(ctx context.Context, groupID int64, albumID, attach string) (json.RawMessage, error) {
	p := params{"group_id": itoa(groupID), "album_id": albumID, "attach_info": attach}
	return get[json.RawMessage](ctx, b, "get_group_album_media_list", p)
}

// GetAICharacters lists the voices that QQ can speak with in a group (get_ai_characters): chatType 1 speaks, 2
// sings; 0 is 1. An extension.
func (b *Bot) GetAICharacters(ctx context.Context, groupID int64, chatType int) ([]AICharacters, error) {
	return get[[]AICharacters](ctx, b, "get_ai_characters", params{"group_id": groupID, "chat_type": max(chatType, 1)})
}

// SendGroupAIRecord lets a voice of QQ's say text in a group (send_group_ai_record). It waits for the bot's Limiter
// first. An extension.
func (b *Bot) SendGroupAIRecord(ctx context.Context, groupID int64, character, text string) error {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return err
	}
	return b.Call(ctx, "send_group_ai_record", params{"group_id": groupID, "character": character, "text": text, "chat_type": 1}, nil)
}
