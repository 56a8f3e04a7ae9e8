package onebot

import (
	"context"
	"time"
)

// SetGroupBan mutes a member for d, in whole seconds; 0 unmutes. (set_group_ban)
func (b *Bot) SetGroupBan(ctx context.Context, groupID, userID int64, d time.Duration) error {
	return b.Call(ctx, "set_group_ban", struct {
		GroupID  int64 `json:"group_id"`
		UserID   int64 `json:"user_id"`
		Duration int64 `json:"duration"`
	}{groupID, userID, int64(d / time.Second)}, nil)
}

// SetGroupKick removes a member (set_group_kick). refuse also rejects later requests to join (reject_add_request).
func (b *Bot) SetGroupKick(ctx context.Context, groupID, userID int64, refuse bool) error {
	return b.Call(ctx, "set_group_kick", struct {
		GroupID int64 `json:"group_id"`
		UserID  int64 `json:"user_id"`
		Refuse  bool  `json:"reject_add_request"`
	}{groupID, userID, refuse}, nil)
}

// SetGroupCard sets a member's name in the group (群名片); "" removes it. (set_group_card)
func (b *Bot) SetGroupCard(ctx context.Context, groupID, userID int64, card string) error {
	return b.Call(ctx, "set_group_card", struct {
		GroupID int64  `json:"group_id"`
		UserID  int64  `json:"user_id"`
		Card    string `json:"card"`
	}{groupID, userID, card}, nil)
}

// SetGroupLeave leaves a group (set_group_leave). dismiss dissolves the group if the bot owns it (is_dismiss).
func (b *Bot) SetGroupLeave(ctx context.Context, groupID int64, dismiss bool) error {
	return b.Call(ctx, "set_group_leave", struct {
		GroupID int64 `json:"group_id"`
		Dismiss bool  `json:"is_dismiss"`
	}{groupID, dismiss}, nil)
}
