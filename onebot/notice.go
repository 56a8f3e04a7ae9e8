package onebot

import (
	"encoding/json"
	"time"
)

// A GroupRecall tells that a group message was taken back. (notice group_recall)
type GroupRecall struct {
	Common
	GroupID, UserID int64 // where, and who had said it
	OperatorID      int64 // who took it back: the speaker or an admin
	MessageID       int64 // compare by [MessageKey]
}

func (e *GroupRecall) conversation() conversation { return e.group(e.GroupID) }

// A FriendRecall tells that a private message was taken back. (notice friend_recall)
type FriendRecall struct {
	Common
	UserID    int64 // the friend
	MessageID int64 // compare by [MessageKey]
}

func (e *FriendRecall) conversation() conversation { return e.user(e.UserID) }

// A GroupBan tells that a member, or the whole group, was muted or may speak again. (notice group_ban)
type GroupBan struct {
	Common
	GroupID    int64
	UserID     int64 // 0: the whole group
	OperatorID int64
	SubType    string        // "ban", "lift_ban"
	Duration   time.Duration // duration, in whole seconds: 0 when lifted; negative: until it is lifted
}

func (e *GroupBan) conversation() conversation { return e.group(e.GroupID) }

// Lifted tells whether this ends a ban.
func (e *GroupBan) Lifted() bool { return e.SubType == "lift_ban" }

// Whole tells whether the ban is on the whole group.
func (e *GroupBan) Whole() bool { return e.UserID == 0 }

// A GroupIncrease tells that somebody, or the bot, came into a group. (notice group_increase)
type GroupIncrease struct {
	Common
	GroupID, UserID, OperatorID int64
	SubType                     string // "approve", "invite"
}

func (e *GroupIncrease) conversation() conversation { return e.group(e.GroupID) }

// A GroupDecrease tells that somebody, or the bot, is no longer in a group. (notice group_decrease; LLBot tells of a
// group that was dissolved by a notice group_dismiss, which is this with sub_type disband and the bot as UserID)
type GroupDecrease struct {
	Common
	GroupID, UserID, OperatorID int64
	SubType                     string // "leave", "kick", "kick_me"; an extension: "disband", the group is no more
}

func (e *GroupDecrease) conversation() conversation { return e.group(e.GroupID) }

// A GroupAdmin tells that a member became an admin of the group or is one no more. (notice group_admin)
type GroupAdmin struct {
	Common
	GroupID, UserID int64
	SubType         string // "set", "unset"
}

func (e *GroupAdmin) conversation() conversation { return e.group(e.GroupID) }

// A GroupCard tells that a member's name in the group changed. An extension. (notice group_card)
type GroupCard struct {
	Common
	GroupID, UserID int64
	New, Old        string // card_new, card_old; "": none
}

func (e *GroupCard) conversation() conversation { return e.group(e.GroupID) }

// A Poke tells that somebody poked somebody, in a group or in private. (notice notify, sub_type poke)
type Poke struct {
	Common
	GroupID  int64 // 0: in private
	UserID   int64 // who poked
	TargetID int64 // who was poked

	Action string          `json:"action"`         // Lagrange: what was done, "戳了戳"
	Suffix string          `json:"suffix"`         // Lagrange: what follows the poked one's name
	Image  string          `json:"action_img_url"` // Lagrange
	Info   json.RawMessage `json:"raw_info"`       // NapCat and LLBot: QQ's own description, a list; else nil

	peer int64
}

// PeerID is the other person of a private poke's conversation; 0 in a group.
func (e *Poke) PeerID() int64 {
	switch {
	case e.GroupID != 0:
		return 0
	case e.peer != 0:
		return e.peer
	case e.UserID != e.SelfID:
		return e.UserID
	}
	return e.TargetID
}

func (e *Poke) conversation() conversation { return e.groupOr(e.GroupID, e.PeerID()) }

// A FriendAdd tells that somebody became a friend. (notice friend_add)
type FriendAdd struct {
	Common
	UserID int64
}

func (e *FriendAdd) conversation() conversation { return e.user(e.UserID) }

// A BotOffline tells that the account was logged out of QQ, while the link may well live on. An extension.
// (notice bot_offline)
type BotOffline struct {
	Common
	Tag, Message string // tag, message: why
}
