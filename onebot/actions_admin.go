package onebot

import (
	"context"
	"encoding/json"
	"time"
)

// SetGroupWholeBan mutes all members except admins, or unmutes them (set_group_whole_ban).
func (b *Bot) SetGroupWholeBan(ctx context.Context, groupID int64, enable bool) error {
	return b.Call(ctx, "set_group_whole_ban", params{"group_id": groupID, "enable": enable}, nil)
}

// SetGroupAdmin promotes a member to admin or demotes an admin (set_group_admin). The bot must own the group.
func (b *Bot) SetGroupAdmin(ctx context.Context, groupID, userID int64, enable bool) error {
	return b.Call(ctx, "set_group_admin", params{"group_id": groupID, "user_id": userID, "enable": enable}, nil)
}

// SetGroupAnonymous allows or forbids anonymous messages (set_group_anonymous). NapCat and LLBot do not support it.
func (b *Bot) SetGroupAnonymous(ctx context.Context, groupID int64, enable bool) error {
	return b.Call(ctx, "set_group_anonymous", params{"group_id": groupID, "enable": enable}, nil)
}

// SetGroupAnonymousBan mutes an anonymous member for d, in whole seconds (set_group_anonymous_ban). flag is the Flag
// of [Anonymous], on the wire also anonymous_flag. NapCat and LLBot do not support it.
func (b *Bot) SetGroupAnonymousBan(ctx context.Context, groupID int64, flag string, d time.Duration) error {
	return b.Call(ctx, "set_group_anonymous_ban", params{
		"group_id": groupID, "flag": flag, "anonymous_flag": flag, "anonymous": params{"flag": flag}, "duration": int64(d / time.Second),
	}, nil)
}

// SetGroupName renames a group (set_group_name).
func (b *Bot) SetGroupName(ctx context.Context, groupID int64, name string) error {
	return b.Call(ctx, "set_group_name", params{"group_id": groupID, "group_name": name}, nil)
}

// SetGroupSpecialTitle sets a member's special title (set_group_special_title with special_title); "" removes it. The
// title does not expire. The bot must own the group.
func (b *Bot) SetGroupSpecialTitle(ctx context.Context, groupID, userID int64, title string) error {
	return b.Call(ctx, "set_group_special_title", params{"group_id": groupID, "user_id": userID, "special_title": title, "duration": -1}, nil)
}

// GetGroupHonorInfo returns the holders of a group's honor titles (get_group_honor_info). kind is "talkative",
// "performer", "legend", "strong_newbie", "emotion" or "all".
func (b *Bot) GetGroupHonorInfo(ctx context.Context, groupID int64, kind string) (HonorInfo, error) {
	return get[HonorInfo](ctx, b, "get_group_honor_info", params{"group_id": groupID, "type": kind})
}

// SetGroupPortrait changes a group's avatar (set_group_portrait); file as in [Image]. An extension.
func (b *Bot) SetGroupPortrait(ctx context.Context, groupID int64, file string) error {
	return b.Call(ctx, "set_group_portrait", params{"group_id": groupID, "file": file, "cache": 0}, nil)
}

// SetGroupRemark sets the bot's private remark for a group (set_group_remark). An extension of NapCat and LLBot.
func (b *Bot) SetGroupRemark(ctx context.Context, groupID int64, remark string) error {
	return b.Call(ctx, "set_group_remark", params{"group_id": groupID, "remark": remark}, nil)
}

// SendGroupSign checks in to a group for today (群打卡, send_group_sign). An extension.
func (b *Bot) SendGroupSign(ctx context.Context, groupID int64) error {
	return b.Call(ctx, "send_group_sign", params{"group_id": groupID}, nil)
}

// GetGroupSignedList lists the members who checked in to a group today (get_group_signed_list). An extension of
// NapCat and LLBot.
func (b *Bot) GetGroupSignedList(ctx context.Context, groupID int64) ([]SignedMember, error) {
	return get[[]SignedMember](ctx, b, "get_group_signed_list", params{"group_id": groupID})
}

// GetGroupShutList lists the muted members of a group (get_group_shut_list). An extension of NapCat and LLBot.
func (b *Bot) GetGroupShutList(ctx context.Context, groupID int64) ([]MutedMember, error) {
	return get[[]MutedMember](ctx, b, "get_group_shut_list", params{"group_id": groupID})
}

// GetGroupAtAllRemain returns how many mentions of all members are left today (get_group_at_all_remain). An
// extension.
func (b *Bot) GetGroupAtAllRemain(ctx context.Context, groupID int64) (AtAllRemain, error) {
	return get[AtAllRemain](ctx, b, "get_group_at_all_remain", params{"group_id": groupID})
}

// GetGroupSystemMsg lists invitations and join requests, including handled ones (get_group_system_msg). An extension.
func (b *Bot) GetGroupSystemMsg(ctx context.Context) (GroupSystemMsg, error) {
	return get[GroupSystemMsg](ctx, b, "get_group_system_msg", nil)
}

// Announcement is a new announcement (公告) for a group.
type Announcement struct {
	Content string // required
	Image   string // a picture, as in [Image]; "": none
	// Pinned keeps it on top. Confirm requires a confirmation from each member. EditCard asks members to change their
	// cards. Window shows it in a pop-up window. NewMembers shows it to members who join later. Implementations may
	// ignore any of these.
	Pinned, Confirm, EditCard, Window, NewMembers bool
}

// SendGroupNotice publishes an announcement in a group (_send_group_notice). An extension.
func (b *Bot) SendGroupNotice(ctx context.Context, groupID int64, n Announcement) error {
	kind, window := 1, 1
	if n.NewMembers {
		kind = 20
	}
	if n.Window {
		window = 0
	}
	return b.Call(ctx, "_send_group_notice", withParam(params{
		"group_id": groupID, "content": n.Content,
		"pinned": n.Pinned, "confirm_required": n.Confirm, "is_show_edit_card": n.EditCard,
		"tip_window": n.Window, "tip_window_type": window, // names of LLBot and NapCat
		"send_new_member": n.NewMembers, "type": kind,
	}, "image", n.Image), nil)
}

// GetGroupNotice lists the announcements of a group (_get_group_notice). An extension.
func (b *Bot) GetGroupNotice(ctx context.Context, groupID int64) ([]GroupAnnouncement, error) {
	return get[[]GroupAnnouncement](ctx, b, "_get_group_notice", params{"group_id": groupID})
}

// DelGroupNotice deletes an announcement (_del_group_notice). An extension.
func (b *Bot) DelGroupNotice(ctx context.Context, groupID int64, noticeID string) error {
	return b.Call(ctx, "_del_group_notice", params{"group_id": groupID, "notice_id": noticeID}, nil)
}

// GetGroupAlbumList lists the albums of a group (get_group_album_list). An extension of LLBot and SnowLuma; NapCat has
// get_qun_album_list.
func (b *Bot) GetGroupAlbumList(ctx context.Context, groupID int64) ([]GroupAlbum, error) {
	return get[[]GroupAlbum](ctx, b, "get_group_album_list", params{"group_id": groupID})
}

// GetGroupAlbumMediaList lists the media of a group album (get_group_album_media_list). attach is the attach_info of
// the page before, "" for the first page. The result is QQ's own JSON and differs between versions. An extension of
// NapCat and LLBot.
func (b *Bot) GetGroupAlbumMediaList(ctx context.Context, groupID int64, albumID, attach string) (json.RawMessage, error) {
	p := params{"group_id": itoa(groupID), "album_id": albumID, "attach_info": attach}
	return get[json.RawMessage](ctx, b, "get_group_album_media_list", p)
}

// GetAICharacters lists QQ's AI voices for a group (get_ai_characters). chatType is 1 for speech, 2 for singing; 0
// means 1. An extension.
func (b *Bot) GetAICharacters(ctx context.Context, groupID int64, chatType int) ([]AICharacters, error) {
	return get[[]AICharacters](ctx, b, "get_ai_characters", params{"group_id": groupID, "chat_type": max(chatType, 1)})
}

// SendGroupAIRecord sends text as a voice message of an AI voice to a group (send_group_ai_record). It waits for the
// bot's Limiter first. An extension.
func (b *Bot) SendGroupAIRecord(ctx context.Context, groupID int64, character, text string) error {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return err
	}
	return b.Call(ctx, "send_group_ai_record", params{"group_id": groupID, "character": character, "text": text, "chat_type": 1}, nil)
}
