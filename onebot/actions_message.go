package onebot

import (
	"cmp"
	"context"
	"encoding/json"
)

type (
	groupSend struct {
		GroupID int64   `json:"group_id"`
		Message Message `json:"message"`
	}
	privateSend struct {
		UserID  int64   `json:"user_id"`
		Message Message `json:"message"`
	}
	groupHistory struct {
		GroupID int64 `json:"group_id"`
		Seq     int64 `json:"message_seq,omitempty"`
		ID      int64 `json:"message_id,omitempty"` // name of Lagrange and SnowLuma
		Count   int   `json:"count,omitempty"`
	}
	friendHistory struct {
		UserID int64 `json:"user_id"`
		Seq    int64 `json:"message_seq,omitempty"`
		ID     int64 `json:"message_id,omitempty"`
		Count  int   `json:"count,omitempty"`
	}
)

// SendGroupMsg sends m to a group (send_group_msg) and returns the id of the new message. It waits for the bot's
// Limiter first. If the error matches [ErrUnclear], the message may have been sent: do not send it again.
func (b *Bot) SendGroupMsg(ctx context.Context, groupID int64, m Message) (int64, error) {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return 0, err
	}
	sent, err := get[sentMessage](ctx, b, "send_group_msg", groupSend{groupID, m})
	return sent.ID, err
}

// SendPrivateMsg sends m to a user (send_private_msg); otherwise like [Bot.SendGroupMsg].
func (b *Bot) SendPrivateMsg(ctx context.Context, userID int64, m Message) (int64, error) {
	if err := b.wait(ctx, "user_", userID); err != nil {
		return 0, err
	}
	sent, err := get[sentMessage](ctx, b, "send_private_msg", privateSend{userID, m})
	return sent.ID, err
}

// wait waits for the limiter if there is one.
func (b *Bot) wait(ctx context.Context, kind string, id int64) error {
	if b.Limiter == nil {
		return nil
	}
	return b.Limiter.Wait(ctx, kind+itoa(id))
}

// DeleteMsg recalls a message. (delete_msg)
func (b *Bot) DeleteMsg(ctx context.Context, messageID int64) error {
	return b.Call(ctx, "delete_msg", params{"message_id": messageID}, nil)
}

// GetMsg fetches a message (get_msg): a *GroupMessage or *PrivateMessage with the fields that the implementation has.
func (b *Bot) GetMsg(ctx context.Context, messageID int64) (Event, error) {
	raw, err := get[json.RawMessage](ctx, b, "get_msg", params{"message_id": messageID})
	if err != nil {
		return nil, err
	}
	return b.stored(raw, "")
}

// GetGroupMsgHistory fetches up to count messages of a group, oldest first (get_group_msg_history). The last one is
// the message with the sequence number or id seq: NapCat (message_seq), SnowLuma and Lagrange (message_id) take ids,
// LLBot and go-cqhttp sequence numbers. seq 0 means the newest message. count 0 lets the implementation choose;
// SnowLuma returns at most 200.
func (b *Bot) GetGroupMsgHistory(ctx context.Context, groupID, seq int64, count int) ([]*GroupMessage, error) {
	return history[*GroupMessage](ctx, b, "get_group_msg_history", groupHistory{groupID, seq, seq, count}, "group")
}

// GetFriendMsgHistory is [Bot.GetGroupMsgHistory] for a private chat. (get_friend_msg_history)
func (b *Bot) GetFriendMsgHistory(ctx context.Context, userID, seq int64, count int) ([]*PrivateMessage, error) {
	return history[*PrivateMessage](ctx, b, "get_friend_msg_history", friendHistory{userID, seq, seq, count}, "private")
}

func history[E Event](ctx context.Context, b *Bot, action string, params any, kind string) ([]E, error) {
	data, err := get[struct{ Messages []json.RawMessage }](ctx, b, action, params)
	if err != nil {
		return nil, err
	}
	var out []E
	for _, raw := range data.Messages {
		e, err := b.stored(raw, kind)
		if err != nil {
			return nil, err
		}
		if m, ok := e.(E); ok {
			out = append(out, m)
		}
	}
	return out, nil
}

// stored decodes a message from an implementation's history. kind is used if the message has no message_type.
func (b *Bot) stored(raw json.RawMessage, kind string) (Event, error) {
	d := decoder{b: raw}
	var f frame
	if err := d.frame(&f); err != nil {
		return nil, err
	}
	f.post = cmp.Or(f.post, "message")
	guess := "private"
	if f.groupID != 0 {
		guess = "group"
	}
	f.kinds[ofMessage] = cmp.Or(f.kinds[ofMessage], kind, guess)
	f.userID, f.selfID = cmp.Or(f.userID, f.sender.UserID), cmp.Or(f.selfID, b.SelfID())
	return f.event(), nil
}

// get calls an action and returns its result as a T.
func get[T any](ctx context.Context, c Caller, action string, params any) (T, error) {
	var result T
	err := c.Call(ctx, action, params, &result)
	return result, err
}
