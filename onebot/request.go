package onebot

// A FriendRequest asks the bot to be somebody's friend; answer by [Bot.SetFriendAddRequest].
// (request friend)
type FriendRequest struct {
	Common
	UserID  int64
	Comment string // comment: what the person says about it
	Flag    string // names the request; opaque
	Via     string // via, of LLBot: where the person found the bot; else ""
}

func (e *FriendRequest) conversation() conversation { return e.user(e.UserID) }

// A GroupRequest asks to be let into a group, or asks the bot into one; answer by
// [Bot.SetGroupAddRequest]. (request group)
type GroupRequest struct {
	Common
	SubType   string // "add": UserID wants in; "invite": UserID invites the bot
	GroupID   int64
	UserID    int64
	InviterID int64 // who invited UserID, where the implementation tells (invitor_id)
	// SourceGroupID is the group where an invitation was made, where the implementation tells (source_group_id).
	SourceGroupID int64
	Comment       string
	Flag          string // names the request; opaque
}

func (e *GroupRequest) conversation() conversation { return e.group(e.GroupID) }
