package persona

import "time"

// An Event is something that a being perceives: a [Message], [Retracted], [BotMuted], [BotLeft], [BotJoined], [MessagesLost], [Connected],
// [Disconnected] or [Request], each by value. The set is closed: a link to another platform makes these, and a switch over them is
// complete with a default that ignores what a later version adds.
type Event interface{ event() }

// An Account is somebody on a platform: {"qq", "987654"}. Who someone is, and what one may do, follows from it alone.
type Account struct{ Platform, ID string }

// Retracted says that a message was taken back. What was taken back is neither answered nor shown to a model again.
type Retracted struct {
	Chat      Chat
	MessageID string
	By        string    // who took it back: its author, or an admin of the group
	At        time.Time // when
}

// BotMuted says that the bot may not speak in a chat until then.
type BotMuted struct {
	Chat  Chat
	Until time.Time // zero: it may speak again
	At    time.Time // when this was decided
}

// BotLeft says that the account is no longer in a chat: it was sent away, it left, or the chat is no more.
type BotLeft struct {
	Chat Chat
	By   string    // who sent it away; "" when it left by itself, or nobody is told of
	At   time.Time // when
}

// BotJoined says that the account has come into a chat.
type BotJoined struct {
	Chat Chat
	At   time.Time // when
}

// MessagesLost says that messages of a chat could not be kept for the being and are missing between Since and Until. It comes
// in the chat's order, in their place.
type MessagesLost struct {
	Chat         Chat
	Count        int // how many, at least one
	Since, Until time.Time
}

// Connected says that the link is up, and as whom. It comes at every connection, so that what was missed in between
// can be fetched.
type Connected struct {
	Self Account
	Name string // the account's nickname; "" when unknown
	At   time.Time
}

// Disconnected says that the link is down, or that the account is no longer logged in: nothing can be said until the
// next [Connected]. The link itself goes on trying.
type Disconnected struct {
	Self   Account
	Reason string // for people who read logs
	At     time.Time
}

// The kinds of [Request].
const (
	FriendRequest = "friend"       // somebody wants to be a friend
	GroupInvite   = "group_invite" // somebody invites the bot into a group
	GroupJoin     = "group_join"   // somebody wants to join a group that the bot administers
)

// A Request is somebody asking for what only the account can grant.
type Request struct {
	Kind      string // [FriendRequest], [GroupInvite], [GroupJoin]
	ID        string // the platform's handle for the answer ("flag")
	From      Account
	Name      string // of who asks; "" when unknown
	Group     string // id of the group, for the two group kinds
	GroupName string
	Comment   string // what they wrote along; data like any other text
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
