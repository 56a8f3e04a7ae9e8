package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// SendMsg says m in a group, or to one person when groupID is 0 (send_msg with its message_type). Else it is
// [Bot.SendGroupMsg].
//
// auto_escape, the parameter of the send actions, is never sent: it is about messages as strings, and these are not.
func (b *Bot) SendMsg(ctx context.Context, groupID, userID int64, m Message) (int64, error) {
	kind, err := b.turn(ctx, groupID, userID)
	if err != nil {
		return 0, err
	}
	p := chat(groupID, userID)
	p["message_type"], p["message"] = kind, m
	sent, err := get[sentMessage](ctx, b, "send_msg", p)
	return sent.ID, err
}

// turn waits for the limiter and gives the message_type.
func (b *Bot) turn(ctx context.Context, groupID, userID int64) (kind string, err error) {
	if groupID != 0 {
		return "group", b.wait(ctx, "group_", groupID)
	}
	return "private", b.wait(ctx, "user_", userID)
}

// ForwardPreview is how a forward looks before it is opened. All of it may be left out.
type ForwardPreview struct {
	Title   string   // the headline: "群聊的聊天记录"
	Lines   []string // news, lines of preview: "甲: 在吗"
	Summary string   // the line below: "查看3条转发消息"
	Prompt  string   // prompt, what is seen in the list of chats: "[聊天记录]"
}

// SendForwardMsg sends nodes (see [Node] and [CustomNode]) as one forward to a group, or to one person when groupID is 0
// (send_forward_msg). look may be nil. It waits for the bot's Limiter first; [ErrUnclear] as in [Bot.SendGroupMsg].
// An extension; Lagrange's sends nothing but uploads, so prefer the two below.
func (b *Bot) SendForwardMsg(ctx context.Context, groupID, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_forward_msg", groupID, userID, nodes, look)
}

// SendGroupForwardMsg sends nodes as one forward to a group (send_group_forward_msg); else as [Bot.SendForwardMsg].
func (b *Bot) SendGroupForwardMsg(ctx context.Context, groupID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_group_forward_msg", groupID, 0, nodes, look)
}

// SendPrivateForwardMsg sends nodes as one forward to one person (send_private_forward_msg); else as
// [Bot.SendForwardMsg].
func (b *Bot) SendPrivateForwardMsg(ctx context.Context, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_private_forward_msg", 0, userID, nodes, look)
}

var errNoNodes = errors.New("a forward is made of nodes alone")

func (b *Bot) forward(ctx context.Context, action string, groupID, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	for _, s := range nodes {
		if s.Type != "node" {
			return SentForward{}, fmt.Errorf("onebot: call %s: %w: %w", action, ErrBadParams, errNoNodes)
		}
	}
	kind, err := b.turn(ctx, groupID, userID)
	if err != nil {
		return SentForward{}, err
	}
	p := chat(groupID, userID)
	p["messages"] = nodes
	if action == "send_forward_msg" {
		p["message_type"] = kind
	}
	and(p, "source", look.Title)
	and(p, "summary", look.Summary)
	and(p, "prompt", look.Prompt)
	var news []params
	for _, line := range look.Lines {
		news = append(news, params{"text": line})
	}
	if news != nil {
		p["news"] = news
	}
	return get[SentForward](ctx, b, action, p)
}

// GetForwardMsg opens a forward (get_forward_msg): id is that of a segment forward, or a ForwardID. It is a string,
// since it may have more digits than others can count.
func (b *Bot) GetForwardMsg(ctx context.Context, id string) ([]ForwardNode, error) {
	data, err := get[struct {
		Messages json.RawMessage `json:"messages"`
		Message  json.RawMessage `json:"message"` // as the standard calls it
	}](ctx, b, "get_forward_msg", params{"id": id, "message_id": id})
	if err != nil {
		return nil, err
	}
	raw := data.Messages
	if raw == nil {
		raw = data.Message
	}
	nodes := forwardNodes(raw)
	if nodes == nil && raw != nil {
		return nil, errors.New("onebot: call get_forward_msg: result: messages are no JSON array")
	}
	return nodes, nil
}

// MarkMsgAsRead marks a message, and what was said before it, as read (mark_msg_as_read). An extension.
func (b *Bot) MarkMsgAsRead(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "mark_msg_as_read", params{"message_id": messageID}, nil)
}

// ForwardFriendSingleMsg says a message once more to a friend (forward_friend_single_msg). It waits for the bot's
// Limiter first. An extension of NapCat and LLBot.
func (b *Bot) ForwardFriendSingleMsg(ctx context.Context, userID, messageID int64) error {
	if err := b.wait(ctx, "user_", userID); err != nil {
		return err
	}
	return b.Call(ctx, "forward_friend_single_msg", params{"user_id": userID, "message_id": messageID}, nil)
}

// ForwardGroupSingleMsg says a message once more in a group (forward_group_single_msg); else as
// [Bot.ForwardFriendSingleMsg].
func (b *Bot) ForwardGroupSingleMsg(ctx context.Context, groupID, messageID int64) error {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return err
	}
	return b.Call(ctx, "forward_group_single_msg", params{"group_id": groupID, "message_id": messageID}, nil)
}

// SetEssenceMsg makes a message an essence message (精华) of its group (set_essence_msg). An extension.
func (b *Bot) SetEssenceMsg(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "set_essence_msg", params{"message_id": messageID}, nil)
}

// DeleteEssenceMsg makes an essence message an ordinary one (delete_essence_msg). An extension.
func (b *Bot) DeleteEssenceMsg(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "delete_essence_msg", params{"message_id": messageID}, nil)
}

// GetEssenceMsgList lists the essence messages of a group (get_essence_msg_list). An extension.
func (b *Bot) GetEssenceMsgList(ctx context.Context, groupID int64) ([]EssenceMsg, error) {
	return get[[]EssenceMsg](ctx, b, "get_essence_msg_list", params{"group_id": groupID})
}

// SetMsgEmojiLike puts an emoji to a message, or takes it away (set_msg_emoji_like); emojiID as in [EmojiCount]. An
// extension of NapCat and LLBot, which also takes it away by unset_msg_emoji_like; Lagrange calls it
// set_group_reaction.
func (b *Bot) SetMsgEmojiLike(ctx context.Context, messageID int64, emojiID string, set bool) error {
	return b.Call(ctx, "set_msg_emoji_like", params{"message_id": messageID, "emoji_id": emojiID, "set": set}, nil)
}

// SetGroupReaction is [Bot.SetMsgEmojiLike] for Lagrange (set_group_reaction).
func (b *Bot) SetGroupReaction(ctx context.Context, groupID, messageID int64, code string, add bool) error {
	return b.Call(ctx, "set_group_reaction", params{"group_id": groupID, "message_id": messageID, "code": code, "is_add": add}, nil)
}

// FetchEmojiLike lists who put an emoji to a message (fetch_emoji_like): count people at most, 0 is 20; cookie is
// told by the page before, "" for the first. An extension of NapCat and LLBot.
func (b *Bot) FetchEmojiLike(ctx context.Context, messageID int64, emojiID string, count int, cookie string) (EmojiLikes, error) {
	kind := 1
	if len(emojiID) > 3 { // a Unicode code point
		kind = 2
	}
	return get[EmojiLikes](ctx, b, "fetch_emoji_like", params{
		"message_id": messageID, "emojiId": emojiID, "emoji_id": emojiID, "emojiType": kind, "count": cmp.Or(count, 20), "cookie": cookie,
	})
}

// EmojiLikes is a page of those who put an emoji to a message.
type EmojiLikes struct {
	Users  []EmojiUser `json:"emojiLikesList"`
	Cookie string      `json:"cookie"` // for the next page
	Last   bool        `json:"isLastPage"`
}

// EmojiUser is one who put an emoji to a message.
type EmojiUser struct {
	UserID   int64  `json:"tinyId"`
	Nickname string `json:"nickName"` // may be ""
	Avatar   string `json:"headUrl"`
}

// UnmarshalJSON reads what fetch_emoji_like gives.
func (x *EmojiLikes) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
