package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// SendMsg sends m to a group, or to a user if groupID is 0 (send_msg with its message_type). Otherwise it is like
// [Bot.SendGroupMsg].
//
// The parameter auto_escape is never sent. It applies to messages in string form, and this package sends arrays.
func (b *Bot) SendMsg(ctx context.Context, groupID, userID int64, m Message) (int64, error) {
	kind, err := b.waitTurn(ctx, groupID, userID)
	if err != nil {
		return 0, err
	}
	p := target(groupID, userID)
	p["message_type"], p["message"] = kind, m
	sent, err := get[sentMessage](ctx, b, "send_msg", p)
	return sent.ID, err
}

// waitTurn waits for the limiter and returns the message_type.
func (b *Bot) waitTurn(ctx context.Context, groupID, userID int64) (kind string, err error) {
	if groupID != 0 {
		return "group", b.wait(ctx, "group_", groupID)
	}
	return "private", b.wait(ctx, "user_", userID)
}

// ForwardPreview is the preview of a merged forward (合并转发) in the chat. Empty fields are not sent.
type ForwardPreview struct {
	Title   string   // source, the headline: "群聊的聊天记录"
	Lines   []string // news, the preview lines: "甲: 在吗"
	Summary string   // summary, the line below: "查看3条转发消息"
	Prompt  string   // prompt, the text in the list of chats: "[聊天记录]"
}

// SendForwardMsg sends nodes as one merged forward to a group, or to a user if groupID is 0 (send_forward_msg). See
// [Node] and [CustomNode]. It waits for the bot's Limiter first; [ErrUnclear] as in [Bot.SendGroupMsg]. An extension.
// Lagrange only uploads the forward and sends nothing, so prefer the next two methods.
func (b *Bot) SendForwardMsg(ctx context.Context, groupID, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_forward_msg", groupID, userID, nodes, look)
}

// SendGroupForwardMsg sends nodes as one merged forward to a group (send_group_forward_msg); otherwise like
// [Bot.SendForwardMsg].
func (b *Bot) SendGroupForwardMsg(ctx context.Context, groupID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_group_forward_msg", groupID, 0, nodes, look)
}

// SendPrivateForwardMsg sends nodes as one merged forward to a user (send_private_forward_msg); otherwise like
// [Bot.SendForwardMsg].
func (b *Bot) SendPrivateForwardMsg(ctx context.Context, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	return b.forward(ctx, "send_private_forward_msg", 0, userID, nodes, look)
}

var errNoNodes = errors.New("a merged forward may contain only nodes")

func onlyNodes(m Message) bool {
	return !slices.ContainsFunc(m, func(s Segment) bool { return s.Type != "node" })
}

func (b *Bot) forward(ctx context.Context, action string, groupID, userID int64, nodes Message, look ForwardPreview) (SentForward, error) {
	if !onlyNodes(nodes) {
		return SentForward{}, badParamsError(action, errNoNodes)
	}
	kind, err := b.waitTurn(ctx, groupID, userID)
	if err != nil {
		return SentForward{}, err
	}
	p := target(groupID, userID)
	p["messages"] = nodes
	if action == "send_forward_msg" {
		p["message_type"] = kind
	}
	withParam(p, "source", look.Title)
	withParam(p, "summary", look.Summary)
	withParam(p, "prompt", look.Prompt)
	var news []params
	for _, line := range look.Lines {
		news = append(news, params{"text": line})
	}
	if news != nil {
		p["news"] = news
	}
	return get[SentForward](ctx, b, action, p)
}

// GetForwardMsg fetches the messages of a merged forward (get_forward_msg). id comes from a forward segment or from
// ForwardID. It is a string because ids may exceed 2⁵³, the limit of numbers in many JSON decoders.
func (b *Bot) GetForwardMsg(ctx context.Context, id string) ([]ForwardNode, error) {
	data, err := get[struct {
		Messages json.RawMessage `json:"messages"`
		Message  json.RawMessage `json:"message"` // name in the standard
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
		return nil, errors.New("onebot: call get_forward_msg: result: messages is not a JSON array")
	}
	return nodes, nil
}

// MarkMsgAsRead marks a message and all earlier ones as read (mark_msg_as_read). An extension.
func (b *Bot) MarkMsgAsRead(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "mark_msg_as_read", params{"message_id": messageID}, nil)
}

// ForwardFriendSingleMsg forwards a message to a friend (forward_friend_single_msg). It waits for the bot's Limiter
// first. An extension of NapCat and LLBot.
func (b *Bot) ForwardFriendSingleMsg(ctx context.Context, userID, messageID int64) error {
	if err := b.wait(ctx, "user_", userID); err != nil {
		return err
	}
	return b.Call(ctx, "forward_friend_single_msg", params{"user_id": userID, "message_id": messageID}, nil)
}

// ForwardGroupSingleMsg forwards a message to a group (forward_group_single_msg); otherwise like
// [Bot.ForwardFriendSingleMsg].
func (b *Bot) ForwardGroupSingleMsg(ctx context.Context, groupID, messageID int64) error {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return err
	}
	return b.Call(ctx, "forward_group_single_msg", params{"group_id": groupID, "message_id": messageID}, nil)
}

// SetEssenceMsg adds a message to the essence messages (精华) of its group (set_essence_msg). An extension.
func (b *Bot) SetEssenceMsg(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "set_essence_msg", params{"message_id": messageID}, nil)
}

// DeleteEssenceMsg removes a message from the essence messages of its group (delete_essence_msg). An extension.
func (b *Bot) DeleteEssenceMsg(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "delete_essence_msg", params{"message_id": messageID}, nil)
}

// GetEssenceMsgList lists the essence messages of a group (get_essence_msg_list). An extension.
func (b *Bot) GetEssenceMsgList(ctx context.Context, groupID int64) ([]EssenceMsg, error) {
	return get[[]EssenceMsg](ctx, b, "get_essence_msg_list", params{"group_id": groupID})
}

// SetMsgEmojiLike adds an emoji reaction to a message or removes it (set_msg_emoji_like); emojiID as in [EmojiCount].
// An extension of NapCat, LLBot and SnowLuma. LLBot also removes by unset_msg_emoji_like. Lagrange has
// set_group_reaction.
func (b *Bot) SetMsgEmojiLike(ctx context.Context, messageID int64, emojiID string, set bool) error {
	return b.Call(ctx, "set_msg_emoji_like", params{"message_id": messageID, "emoji_id": emojiID, "set": set}, nil)
}

// SetGroupReaction is [Bot.SetMsgEmojiLike] for Lagrange (set_group_reaction with is_add) and SnowLuma (with is_set).
func (b *Bot) SetGroupReaction(ctx context.Context, groupID, messageID int64, code string, add bool) error {
	return b.Call(ctx, "set_group_reaction", params{"group_id": groupID, "message_id": messageID, "code": code, "is_add": add, "is_set": add}, nil)
}

// FetchEmojiLike lists the users who reacted to a message with an emoji (fetch_emoji_like): at most count, 0 means
// 20. cookie comes from the page before, "" for the first page. An extension of NapCat and LLBot.
func (b *Bot) FetchEmojiLike(ctx context.Context, messageID int64, emojiID string, count int, cookie string) (EmojiLikes, error) {
	kind := 1
	if len(emojiID) > 3 { // a Unicode code point
		kind = 2
	}
	return get[EmojiLikes](ctx, b, "fetch_emoji_like", params{
		"message_id": messageID, "emojiId": emojiID, "emoji_id": emojiID, "emojiType": kind, "count": cmp.Or(count, 20), "cookie": cookie,
	})
}

// EmojiLikes is a page of users who reacted to a message with an emoji.
type EmojiLikes struct {
	Users  []EmojiUser `json:"emojiLikesList"`
	Cookie string      `json:"cookie"` // for the next page
	Last   bool        `json:"isLastPage"`
}

// EmojiUser is a user who reacted to a message.
type EmojiUser struct {
	UserID   int64  `json:"tinyId"`
	Nickname string `json:"nickName"` // may be ""
	Avatar   string `json:"headUrl"`
}

// UnmarshalJSON decodes the result of fetch_emoji_like.
func (x *EmojiLikes) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
