package qqbot

// FriendAdded means that a user has added the bot. Its EventID permits a reply.
type FriendAdded struct {
	Common
	User       string // user_openid
	Scene      int    // how the user found the bot: 1000 default, 1001 and 1002 search, 1003 a group, 2001 to 2004 links
	SceneParam string // the callback data of a link
}

// FriendRemoved means that a user has removed the bot.
type FriendRemoved struct {
	Common
	User string
}

// BotAdded means that the bot was added to a group. Its EventID permits a reply.
type BotAdded struct {
	Common
	Group    string
	Operator string // member_openid
}

// BotRemoved means that the bot was removed from a group.
type BotRemoved struct {
	Common
	Group    string
	Operator string
}

// ProactiveSwitched means that a user or a group's admin has switched messages of the bot that are no replies on or off. If they
// are allowed, its EventID permits a reply.
type ProactiveSwitched struct {
	Common
	Chat     Chat
	Allowed  bool
	Operator string // member_openid; "" in private chats
}

// MemberAdded means that somebody has joined a group. The platform does not tell the name.
type MemberAdded struct {
	Common
	Group  string
	Member string // member_openid
	User   string // user_openid; usually ""
}

// MemberRemoved means that somebody has left a group.
type MemberRemoved struct {
	Common
	Group  string
	Member string
	User   string
}

// JoinRequest means that somebody wants to join a group in which the bot is an admin. Answer it by [Client.AnswerJoin].
type JoinRequest struct {
	Common
	Group     string
	RequestID string
	Member    string // member_openid
	UnionID   string
	Username  string
	Invited   bool
	InvitedBy string // member_openid
	Bot       bool
	Risk      string // the platform's warning; may be ""
	Message   string // of the person
	Answers   []JoinAnswer
	// Approved means that a strategy of the group has approved it already.
	Approved bool
}

// A JoinAnswer is an answer to a question of the group.
type JoinAnswer struct{ Question, Answer string }

// Interaction is a press of a button or menu, or another act of a user. Answer types 11 and 12 by [Client.Answer] within three
// seconds. Its EventID permits a reply.
type Interaction struct {
	Common
	ID         string
	Type       int  // 11 button, 12 menu, 13 feedback, 14 clear the session
	Chat       Chat // empty in guilds
	User       string
	ButtonID   string
	ButtonData string
	FeatureID  string // of a menu
	MessageID  string // of the message with the button
}

func (e *FriendAdded) conversation() string       { return UserChat(e.User).String() }
func (e *FriendRemoved) conversation() string     { return UserChat(e.User).String() }
func (e *BotAdded) conversation() string          { return GroupChat(e.Group).String() }
func (e *BotRemoved) conversation() string        { return GroupChat(e.Group).String() }
func (e *ProactiveSwitched) conversation() string { return e.Chat.String() }
func (e *MemberAdded) conversation() string       { return GroupChat(e.Group).String() }
func (e *MemberRemoved) conversation() string     { return GroupChat(e.Group).String() }
func (e *JoinRequest) conversation() string       { return GroupChat(e.Group).String() }
func (e *Interaction) conversation() string       { return e.Chat.String() }
