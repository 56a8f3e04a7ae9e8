package onebot

import (
	"cmp"
	"encoding/json"
	"time"
)

// An Event is something that happened, as a pointer to one of this package's types: switch on it. Kinds that have
// no type arrive as [*Unknown].
type Event interface {
	EventTime() time.Time // zero when the event had none
	EventSelfID() int64   // the account that it happened to
	Raw() json.RawMessage // the whole event as it came; not to be changed in place; nil for *Dropped

	conversation() conversation
}

// Common is what all events carry.
type Common struct {
	Time   time.Time // time: to the second; zero when the event had none
	SelfID int64     // self_id: the account that the event happened to

	raw json.RawMessage
}

// EventTime gives Time.
func (c *Common) EventTime() time.Time { return c.Time }

// EventSelfID gives SelfID.
func (c *Common) EventSelfID() int64 { return c.SelfID }

// Raw gives the event as it came.
func (c *Common) Raw() json.RawMessage { return c.raw }

// conversation is the account's own, for events that belong to no chat.
func (c *Common) conversation() conversation { return conversation{self: c.SelfID} }

// conversation names the chat that an event belongs to: events of one are handled in order.
type conversation struct {
	self  int64
	group int64 // 0: not a group
	user  int64 // 0: not a person; both 0: the account itself
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

// groupOr is the group's conversation, or the person's when there is no group.
func (c *Common) groupOr(group, user int64) conversation {
	if group != 0 {
		return c.group(group)
	}
	return c.user(user)
}

// Sender is what an event tells about who spoke. Implementations leave fields out: only UserID and Nickname can be
// counted on.
type Sender struct {
	UserID   int64
	Nickname string
	Card     string // the name in the group; "" when none is set
	Role     string // in a group: "owner", "admin", "member"
	Title    string // the special title in the group
	Level    string
	Area     string
	Sex      string // "male", "female", "unknown"
	Age      int64
	GroupID  int64 // of a temporary session: the group it came from
}

// Name is how others see the sender: the card where there is one, else the nickname.
func (s Sender) Name() string { return cmp.Or(s.Card, s.Nickname) }

// A GroupMessage was said in a group, by somebody or by the bot itself (see [GroupMessage.Own]). (message_type group)
type GroupMessage struct {
	Common
	SubType     string // "normal", "anonymous", "notice"
	MessageID   int64  // compare by [MessageKey]
	GroupID     int64
	GroupName   string // "" where the implementation does not tell
	UserID      int64  // who said it
	Sender      Sender
	Message     Message
	RawMessage  string     // the implementation's own CQ form (raw_message), trimmed or changed at its pleasure: prefer Message
	Seq         int64      // the group's own count (real_seq, message_seq); 0 where the implementation does not tell
	RealID      int64      // real_id, as told by get_msg; else 0
	Font        int64      // font; of no use any more
	Anonymous   *Anonymous // nil unless an anonymous member spoke
	AnonymousID int64      // Anonymous.ID

	own bool
}

// Anonymous is the mask of an anonymous member of a group.
type Anonymous struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Flag string `json:"flag"` // for [Bot.SetGroupAnonymousBan]; opaque
}

// Own tells whether the bot's account itself said it, by this program or by a person at another device: the post_type
// is message_sent (of NapCat's message_sent_type self), or the user_id is the bot's.
func (e *GroupMessage) Own() bool { return e.own || e.UserID == e.SelfID && e.SelfID != 0 }

func (e *GroupMessage) conversation() conversation { return e.group(e.GroupID) }

// A PrivateMessage was said to the bot alone, or by the bot to one person (see [PrivateMessage.Own]). (message_type
// private)
type PrivateMessage struct {
	Common
	SubType    string // "friend", "group" (a temporary session out of a group), "other"
	MessageID  int64  // compare by [MessageKey]
	UserID     int64  // who said it
	TargetID   int64  // to whom; 0 where the implementation does not tell
	GroupID    int64  // the group that a temporary session came from: never the place to answer
	Sender     Sender
	Message    Message
	RawMessage string // as in [GroupMessage]
	Seq        int64  // as in [GroupMessage], of this talk
	RealID     int64  // real_id, as told by get_msg; else 0
	Font       int64

	own bool
}

// Own tells whether the bot's account itself said it, by this program or by a person at another device.
func (e *PrivateMessage) Own() bool { return e.own || e.UserID == e.SelfID && e.SelfID != 0 }

// PeerID is the other person of the conversation: who spoke to the bot, or to whom the bot spoke. It is 0 when the
// bot spoke and the implementation does not tell to whom.
func (e *PrivateMessage) PeerID() int64 {
	if !e.Own() || e.TargetID == 0 && e.UserID != e.SelfID {
		return e.UserID
	}
	return e.TargetID
}

func (e *PrivateMessage) conversation() conversation { return e.user(e.PeerID()) }
