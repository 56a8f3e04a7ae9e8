package onebot

// A FriendRequest is a friend request to the bot. Answer it by [Bot.SetFriendAddRequest]. (request friend)
type FriendRequest struct {
	Common
	UserID  int64
	Comment string // comment: the user's message
	Flag    string // identifies the request; opaque
	Via     string // via, LLBot only: how the user found the bot
}

func (e *FriendRequest) conversation() conversation { return e.user(e.UserID) }

// A GroupRequest asks to join a group, or invites the bot to a group. Answer it by [Bot.SetGroupAddRequest]. (request
// group)
type GroupRequest struct {
	Common
	SubType   string // "add": UserID asks to join; "invite": UserID invites the bot
	GroupID   int64
	UserID    int64
	InviterID int64 // invitor_id: the user who invited UserID, if the implementation sends it
	// SourceGroupID is the group in which the invitation was made, if the implementation sends it (source_group_id).
	SourceGroupID int64
	Comment       string
	Flag          string // identifies the request; opaque
}

func (e *GroupRequest) conversation() conversation { return e.group(e.GroupID) }
