package persona

import "time"

// An Event is input from a platform. The types are [Message], [Retracted], [BotMuted], [BotLeft], [BotJoined],
// [MessagesLost], [Connected], [Disconnected] and [Request]. Events are passed by value. Other packages cannot add
// types. Give a type switch over events a default case that ignores unknown types, because a later version may add
// some.
type Event interface{ event() }

// An Account is a user on a platform: {"qq", "987654"}. Identity and rights are always derived from the Account, never
// from a name.
type Account struct{ Platform, ID string }

// Retracted reports that a message was retracted. The bot no longer answers it and never shows it to a model again.
type Retracted struct {
	Chat      Chat
	MessageID string
	By        string // id of the person who retracted it: the author or a group admin
	At        time.Time
}

// BotMuted reports that the bot was muted in a chat, or that it may talk again.
type BotMuted struct {
	Chat  Chat
	Until time.Time // end of the mute; zero means that the mute was lifted
	At    time.Time // time of the change
}

// BotLeft reports that the bot's account is no longer in a chat: it was removed, it left, or the chat was dissolved.
type BotLeft struct {
	Chat Chat
	By   string // id of the person who removed it; "" if it left or if this is unknown
	At   time.Time
}

// BotJoined reports that the bot's account joined a chat.
type BotJoined struct {
	Chat Chat
	At   time.Time
}

// MessagesLost reports that messages of a chat could not be stored and are missing between Since and Until. It is
// delivered in the chat's order, in place of these messages.
type MessagesLost struct {
	Chat         Chat
	Count        int // number of lost messages, at least 1
	Since, Until time.Time
}

// Connected reports that the link is connected, and with which account. It is sent after every reconnect. Fetch the
// messages that you missed in between.
type Connected struct {
	Self Account
	Name string // the account's nickname; "" if unknown
	At   time.Time
}

// Disconnected reports that the link is down, or that the account was logged out. Nothing can be sent until the next
// [Connected]. The link itself keeps reconnecting.
type Disconnected struct {
	Self   Account
	Reason string // for logs
	At     time.Time
}

// The kinds of [Request].
const (
	FriendRequest = "friend"       // a friend request to the bot
	GroupInvite   = "group_invite" // an invitation of the bot to a group
	GroupJoin     = "group_join"   // a request to join a group that the bot administers
)

// A Request asks for an approval that the bot's account can give.
type Request struct {
	Kind      string // [FriendRequest], [GroupInvite], [GroupJoin]
	ID        string // the platform's handle for the answer (OneBot: "flag")
	From      Account
	Name      string // the requester's name; "" if unknown
	Group     string // id of the group, for GroupInvite and GroupJoin
	GroupName string
	Comment   string // the requester's comment; untrusted like all user text
	Remark    string `json:",omitzero"` // name for a new friend, set by an answer that approves; "" for none; links may ignore it
	At        time.Time
}

func (Message) event()      {}
func (Retracted) event()    {}
func (BotMuted) event()     {}
func (BotLeft) event()      {}
func (BotJoined) event()    {}
func (MessagesLost) event() {}
func (Connected) event()    {}
func (Disconnected) event() {}
func (Request) event()      {}
