package onebot

import (
	"encoding/json"
	"time"
)

// A Lifecycle reports that the implementation was enabled or disabled, or that this link was established ("connect").
// (meta_event lifecycle)
type Lifecycle struct {
	Common
	SubType string // "enable", "disable", "connect"
}

// A Heartbeat reports that the implementation is alive. Some implementations send none. (meta_event heartbeat)
type Heartbeat struct {
	Common
	Interval time.Duration   // interval until the next one, in milliseconds on the wire; 0 if unknown
	Online   bool            // the account is logged in to QQ; false also if unknown
	Good     bool            // the implementation's own verdict on its health
	Status   json.RawMessage // the whole status
}

// Dropped takes the place of events that were dropped because the handler was too slow. [Bot.GetGroupMsgHistory] or
// [Bot.GetFriendMsgHistory] can fetch the missing messages. This package creates it; it has no frame.
type Dropped struct {
	Common
	Conversation string    // "group_123", "user_456", "" for events without a chat
	GroupID      int64     // 0: no group
	UserID       int64     // 0: no user
	Count        int       // number of dropped events
	Since, Until time.Time // times of the first and the last dropped event
}

func (e *Dropped) conversation() conversation {
	return conversation{self: e.SelfID, group: e.GroupID, user: e.UserID}
}

// Unknown is an event of a kind without a type here. Raw has all of it.
type Unknown struct {
	Common
	PostType string // "notice", …
	Kind     string // notice_type, request_type, meta_event_type or message_type
	SubType  string
	GroupID  int64 // 0 if unknown
	UserID   int64 // 0 if unknown
}

func (e *Unknown) conversation() conversation { return e.groupOr(e.GroupID, e.UserID) }
