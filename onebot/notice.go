package onebot

import (
	"encoding/json"
	"time"
)

// A GroupRecall reports a recalled group message. (notice group_recall)
type GroupRecall struct {
	Common
	GroupID, UserID int64 // group and author
	OperatorID      int64 // the author or an admin
	MessageID       int64 // compare by [MessageKey]
}

func (e *GroupRecall) conversation() conversation { return e.group(e.GroupID) }

// A FriendRecall reports a recalled private message. (notice friend_recall)
type FriendRecall struct {
	Common
	UserID    int64 // the friend
	MessageID int64 // compare by [MessageKey]
}

func (e *FriendRecall) conversation() conversation { return e.user(e.UserID) }

// A GroupBan reports that a member or the whole group was muted or unmuted. (notice group_ban)
type GroupBan struct {
	Common
	GroupID    int64
	UserID     int64 // 0: the whole group
	OperatorID int64
	SubType    string        // "ban", "lift_ban"
	Duration   time.Duration // duration, in whole seconds; 0 if lifted, negative without an end
}

func (e *GroupBan) conversation() conversation { return e.group(e.GroupID) }

// Lifted reports whether the ban was lifted.
func (e *GroupBan) Lifted() bool { return e.SubType == "lift_ban" }

// Whole reports whether the ban applies to the whole group.
func (e *GroupBan) Whole() bool { return e.UserID == 0 }

// A GroupIncrease reports a new member of a group, possibly the bot. (notice group_increase)
type GroupIncrease struct {
	Common
	GroupID, UserID, OperatorID int64
	SubType                     string // "approve", "invite"
}

func (e *GroupIncrease) conversation() conversation { return e.group(e.GroupID) }

// A GroupDecrease reports that a member left or was removed, possibly the bot. (notice group_decrease) LLBot reports
// a dissolved group by a notice group_dismiss: here its sub_type is disband and its UserID is the bot.
type GroupDecrease struct {
	Common
	GroupID, UserID, OperatorID int64
	SubType                     string // "leave", "kick", "kick_me"; an extension: "disband" for a dissolved group
}

func (e *GroupDecrease) conversation() conversation { return e.group(e.GroupID) }

// A GroupAdmin reports that a member became an admin or is no longer one. (notice group_admin)
type GroupAdmin struct {
	Common
	GroupID, UserID int64
	SubType         string // "set", "unset"
}

func (e *GroupAdmin) conversation() conversation { return e.group(e.GroupID) }

// A GroupCard reports a changed group card (群名片). An extension. (notice group_card)
type GroupCard struct {
	Common
	GroupID, UserID int64
	New, Old        string // card_new, card_old; "": none
}

func (e *GroupCard) conversation() conversation { return e.group(e.GroupID) }

// A Poke reports a poke (戳一戳) in a group or a private chat. (notice notify, sub_type poke)
type Poke struct {
	Common
	GroupID  int64 // 0: private chat
	UserID   int64 // the user who poked
	TargetID int64 // the user who was poked

	Action string          `json:"action"`         // Lagrange: the verb, "戳了戳"
	Suffix string          `json:"suffix"`         // Lagrange: text after the target's name
	Image  string          `json:"action_img_url"` // Lagrange
	Info   json.RawMessage `json:"raw_info"`       // NapCat and LLBot: QQ's own description, a list; otherwise nil

	peer int64
}

// PeerID returns the id of the other user of a private chat; 0 in a group.
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

// A FriendAdd reports a new friend. (notice friend_add)
type FriendAdd struct {
	Common
	UserID int64
}

func (e *FriendAdd) conversation() conversation { return e.user(e.UserID) }

// A BotOffline reports that the account was logged out of QQ. The link may still be up. An extension. (notice
// bot_offline)
type BotOffline struct {
	Common
	Tag, Message string // tag and message: the reason
}
