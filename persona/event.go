package persona

import "time"

// An Event is input from a platform. The types are [Message], [Retracted], [BotMuted], [BotLeft], [BotJoined],
// [MessagesLost], [Connected], [Disconnected], [Request], [Poked], [Reacted], [Edited], [MemberJoined], [MemberLeft] and
// [MemberChanged]. Events are passed by value. Other packages cannot add types. Give a type switch over events a default case
// that ignores unknown types, because a later version may add some.
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
	Others bool // other accounts of the bot are still connected, and only those of this platform are down
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

// Poked reports that somebody poked a member of a chat (戳一戳).
type Poked struct {
	Chat   Chat
	From   string // id of the person who poked
	Name   string // their display name; "" if unknown
	To     string // id of the person who was poked
	ToName string // their display name; "" if unknown
	ToMe   bool   // the bot was poked
	At     time.Time
}

// Reacted reports that somebody added a face to a message, or removed it.
type Reacted struct {
	Chat      Chat
	MessageID string
	From      string // id of the person; "" if unknown
	Name      string // their display name; "" if unknown
	Face      Face
	Removed   bool
	At        time.Time
}

// Edited reports that the author changed the text of a message, on a platform that has this.
type Edited struct {
	Chat      Chat
	MessageID string
	Text      string // the new text; with Parts it is [TextOf] them
	Parts     []Part // nil if the link does not tell them
	At        time.Time
}

// MemberJoined reports that somebody else joined a group.
type MemberJoined struct {
	Chat Chat
	ID   string
	Name string // display name; "" if unknown
	By   string // id of the person who invited or admitted them; "" if unknown
	At   time.Time
}

// MemberLeft reports that somebody else left a group or was removed from it.
type MemberLeft struct {
	Chat Chat
	ID   string
	Name string // display name; "" if unknown
	By   string // id of the person who removed them; "" if they left or if this is unknown
	At   time.Time
}

// The kinds of [MemberChanged].
const (
	TitleChanged = "title" // the special title; Value has it, or "" if it was removed
	CardChanged  = "card"  // the name in the group; Value has it, or "" if it was removed
	AdminChanged = "admin" // Value is "set" or "unset"
)

// MemberChanged reports that the title, the name or the rights of a member changed.
type MemberChanged struct {
	Chat  Chat
	ID    string
	Name  string // display name; "" if unknown
	Kind  string // [TitleChanged], [CardChanged], [AdminChanged]
	Value string
	At    time.Time
}

func (Message) event()       {}
func (Retracted) event()     {}
func (BotMuted) event()      {}
func (BotLeft) event()       {}
func (BotJoined) event()     {}
func (MessagesLost) event()  {}
func (Connected) event()     {}
func (Disconnected) event()  {}
func (Request) event()       {}
func (Poked) event()         {}
func (Reacted) event()       {}
func (Edited) event()        {}
func (MemberJoined) event()  {}
func (MemberLeft) event()    {}
func (MemberChanged) event() {}
