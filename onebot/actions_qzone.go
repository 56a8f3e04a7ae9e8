package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The actions of Qzone (QQ空间) below are extensions of SnowLuma. A target of 0 is the bot itself. Package napcat has
// send_qzone_msg and delete_qzone_msg.

// GetQzoneMsgList lists the posts (说说) of a user, newest first: at most num (up to 100), from index pos
// (get_qzone_msg_list with target_uin). num 0 means 20.
func (b *Bot) GetQzoneMsgList(ctx context.Context, target int64, pos, num int) (QzonePosts, error) {
	p := params{"pos": pos, "num": cmp.Or(num, 20)}
	return get[QzonePosts](ctx, b, "get_qzone_msg_list", withParam(p, "target_uin", target))
}

// GetQzoneFeeds lists the news of the bot's friends, at most count (up to 50) (get_qzone_feeds). page (page_num) is from
// 1; only page 1 is reliable. page 0 means 1, count 0 means 10.
func (b *Bot) GetQzoneFeeds(ctx context.Context, page, count int) (QzoneFeeds, error) {
	return get[QzoneFeeds](ctx, b, "get_qzone_feeds", params{"page_num": cmp.Or(page, 1), "count": cmp.Or(count, 10)})
}

// CommentQzone comments on a post of a user and returns the comment_id, which may be "" (comment_qzone). Images are as
// in [Image]. [ErrUnclear] as in [Bot.SendGroupMsg].
func (b *Bot) CommentQzone(ctx context.Context, target int64, tid, content string, images ...string) (id string, err error) {
	p := withParam(params{"tid": tid, "content": content}, "target_uin", target)
	if len(images) > 0 {
		p["images"] = images
	}
	done, err := get[json.RawMessage](ctx, b, "comment_qzone", p)
	return rawText(member(done, "comment_id")), err
}

// LikeQzone likes a post of a user (like_qzone). posted is the time of the post (abstime); the zero time is allowed but
// less reliable.
func (b *Bot) LikeQzone(ctx context.Context, target int64, tid string, posted time.Time) error {
	return b.Call(ctx, "like_qzone", qzoneLike(target, tid, posted), nil)
}

// UnlikeQzone takes a like back (unlike_qzone). SnowLuma's authors have not verified it.
func (b *Bot) UnlikeQzone(ctx context.Context, target int64, tid string, posted time.Time) error {
	return b.Call(ctx, "unlike_qzone", qzoneLike(target, tid, posted), nil)
}

func qzoneLike(target int64, tid string, posted time.Time) params {
	p := withParam(params{"tid": tid}, "target_uin", target)
	if !posted.IsZero() {
		p["abstime"] = posted.Unix()
	}
	return p
}

// SetQzoneBan hides the bot's Qzone from a user, or shows it again (set_qzone_ban).
func (b *Bot) SetQzoneBan(ctx context.Context, userID int64, enable bool) error {
	return b.Call(ctx, "set_qzone_ban", params{"user_id": userID, "enable": enable}, nil)
}

// SetQzoneMsgRight changes who may see a post of the bot (set_qzone_msg_right). right (ugc_right) is 1 for all, 4 for
// friends, 16 for the targets (target_uins), 64 for the bot itself, 128 for all friends but the targets.
func (b *Bot) SetQzoneMsgRight(ctx context.Context, tid string, right int, targets ...int64) error {
	p := params{"tid": tid, "ugc_right": right}
	if len(targets) > 0 {
		p["target_uins"] = targets
	}
	return b.Call(ctx, "set_qzone_msg_right", p, nil)
}

// QzonePosts is a page of a user's posts.
type QzonePosts struct {
	Total int64       `json:"total"` // of the user, on all pages
	Posts []QzonePost `json:"msglist"`
}

// QzonePost is a post (说说).
type QzonePost struct {
	ID       string    `json:"tid"`
	Content  string    `json:"content"`
	Posted   time.Time `json:"time"`
	Comments int64     `json:"comment_num"`
	Private  bool      `json:"is_private"`
	Images   []string  `json:"images"` // URLs
}

// UnmarshalJSON decodes the result of get_qzone_msg_list.
func (x *QzonePosts) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// QzoneFeeds is a page of news.
type QzoneFeeds struct {
	Feeds []QzoneFeed `json:"feeds"`
	More  bool        `json:"has_more"`
}

// QzoneFeed is one piece of news.
type QzoneFeed struct {
	UserID   int64     `json:"uin"`
	Nickname string    `json:"nickname"`
	At       time.Time `json:"time"`
	AppID    string    `json:"appid"`
	Key      string    `json:"key"`
	HTML     string    `json:"html"` // of QQ's web page; users write parts of it
}

// UnmarshalJSON decodes the result of get_qzone_feeds.
func (x *QzoneFeeds) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
