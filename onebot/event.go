package onebot

import (
	"cmp"
	"encoding/json"
	"time"
)

// An Event is a pointer to one of this package's event types: use a type switch. Kinds without a type arrive as
// [*Unknown].
type Event interface {
	EventTime() time.Time // zero if the event has none
	EventSelfID() int64   // the account that received it
	Raw() json.RawMessage // the whole event as received; do not modify it; nil for *Dropped

	conversation() conversation
}

// Conversation returns the chat whose events a [Handler] gets in order: "group_123", "user_456", or "" for events without a chat.
func Conversation(e Event) string { return e.conversation().String() }

// Common holds the fields of all events.
type Common struct {
	Time   time.Time // time, in seconds; zero if the event has none
	SelfID int64     // self_id: the account that received the event

	raw json.RawMessage
}

// EventTime returns Time.
func (c *Common) EventTime() time.Time { return c.Time }

// EventSelfID returns SelfID.
func (c *Common) EventSelfID() int64 { return c.SelfID }

// Raw returns the event as received.
func (c *Common) Raw() json.RawMessage { return c.raw }

// conversation returns the account's own conversation, for events without a chat.
func (c *Common) conversation() conversation { return conversation{self: c.SelfID} }

// conversation identifies the chat of an event. Events of one conversation are handled in order.
type conversation struct {
	self  int64
	group int64 // 0: no group
	user  int64 // 0: no user; both 0: the account itself
}

func (c conversation) String() string {
	switch {
	case c.group != 0:
		return "group_" + itoa(c.group)
	case c.user != 0:
		return "user_" + itoa(c.user)
	}
	return ""
}

func (c *Common) group(id int64) conversation { return conversation{self: c.SelfID, group: id} }

func (c *Common) user(id int64) conversation { return conversation{self: c.SelfID, user: id} }

// groupOr returns the group's conversation, or the user's if there is no group.
func (c *Common) groupOr(group, user int64) conversation {
	if group != 0 {
		return c.group(group)
	}
	return c.user(user)
}

// Sender describes the author of a message. Implementations omit fields: only UserID and Nickname are reliable.
type Sender struct {
	UserID   int64
	Nickname string
	Card     string // name in the group (群名片); "" if none is set
	Role     string // in a group: "owner", "admin", "member"
	Title    string // special title in the group
	Level    string
	Area     string
	Sex      string // "male", "female", "unknown"
	Age      int64
	GroupID  int64 // of a temporary session: the group it started from
}

// Name returns the name shown to others: the card, or the nickname if there is no card.
func (s Sender) Name() string { return cmp.Or(s.Card, s.Nickname) }

// A GroupMessage is a message in a group, also from the bot itself (see [GroupMessage.Own]). (message_type group)
type GroupMessage struct {
	Common
	SubType     string // "normal", "anonymous", "notice"
	MessageID   int64  // compare by [MessageKey]
	GroupID     int64
	GroupName   string // "" if the implementation does not send it
	UserID      int64  // author
	Sender      Sender
	Message     Message
	RawMessage  string     // raw_message: the implementation's CQ form, possibly trimmed or changed; prefer Message
	Seq         int64      // real_seq or message_seq: number within the group; 0 if the implementation does not send it
	RealID      int64      // real_id, from get_msg; otherwise 0
	Font        int64      // font; obsolete
	Anonymous   *Anonymous // nil unless the author is anonymous
	AnonymousID int64      // Anonymous.ID

	own bool
}

// Anonymous is the identity of an anonymous member of a group.
type Anonymous struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Flag string `json:"flag"` // for [Bot.SetGroupAnonymousBan]; opaque
}

// Own reports whether the bot's account is the author, in this program or on another device: the post_type is
// message_sent (with NapCat's message_sent_type self), or the user_id is the bot's.
func (e *GroupMessage) Own() bool { return e.own || e.UserID == e.SelfID && e.SelfID != 0 }

func (e *GroupMessage) conversation() conversation { return e.group(e.GroupID) }

// A PrivateMessage is a message from a user to the bot, or from the bot to a user (see [PrivateMessage.Own]).
// (message_type private)
type PrivateMessage struct {
	Common
	SubType    string // "friend", "group" (a temporary session from a group), "other"
	MessageID  int64  // compare by [MessageKey]
	UserID     int64  // author
	TargetID   int64  // recipient; 0 if the implementation does not send it
	GroupID    int64  // the group of a temporary session; never reply there
	Sender     Sender
	Message    Message
	RawMessage string // as in [GroupMessage]
	Seq        int64  // as in [GroupMessage], within this chat
	RealID     int64  // real_id, from get_msg; otherwise 0
	Font       int64

	own bool
}

// Own reports whether the bot's account is the author, in this program or on another device.
func (e *PrivateMessage) Own() bool { return e.own || e.UserID == e.SelfID && e.SelfID != 0 }

// PeerID returns the id of the other user in the chat. It is 0 if the bot is the author and the implementation does not
// send the recipient.
func (e *PrivateMessage) PeerID() int64 {
	if !e.Own() || e.TargetID == 0 && e.UserID != e.SelfID {
		return e.UserID
	}
	return e.TargetID
}

func (e *PrivateMessage) conversation() conversation { return e.user(e.PeerID()) }
