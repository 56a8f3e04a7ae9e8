package onebot

import (
	"encoding/json"
	"time"
)

// A Lifecycle tells that the implementation was enabled, disabled, or that this link was made ("connect").
// (meta_event lifecycle)
type Lifecycle struct {
	Common
	SubType string // "enable", "disable", "connect"
}

// A Heartbeat says that the implementation lives. Some never send one. (meta_event heartbeat)
type Heartbeat struct {
	Common
	Interval time.Duration   // interval, in milliseconds: until the next; 0 when not told
	Online   bool            // whether the account is logged in to QQ; false also when unknown
	Good     bool            // whether the implementation thinks that all is well
	Status   json.RawMessage // the whole status
}

// Dropped stands where events of a conversation were dropped because more came in than the handler could take:
// what is missing can be fetched by [Bot.GetGroupMsgHistory] or [Bot.GetFriendMsgHistory]. It is made by this
// package, and no frame came for it.
type Dropped struct {
	Common
	Conversation string    // "group_123", "user_456", "" for what belongs to no chat
	GroupID      int64     // 0 when no group
	UserID       int64     // 0 when no person
	Count        int       // how many events
	Since, Until time.Time // times of the first and the last dropped event
}

func (e *Dropped) conversation() conversation {
	return conversation{self: e.SelfID, group: e.GroupID, user: e.UserID}
}

// Unknown is an event of a kind that has no type here. Raw has all of it.
type Unknown struct {
	Common
	PostType string // "notice", …
	Kind     string // notice_type, request_type, meta_event_type or message_type
	SubType  string
	GroupID  int64 // 0 when not told
	UserID   int64 // 0 when not told
}

func (e *Unknown) conversation() conversation { return e.groupOr(e.GroupID, e.UserID) }
