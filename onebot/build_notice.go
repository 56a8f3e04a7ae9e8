package onebot

import (
	"cmp"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// fill decodes the members named by e's json tags, for events too rare for the first pass.
func (f *frame) fill(e any) {
	_ = lenient.Unmarshal(f.raw, e) // a member of a wrong type is zero; Raw has it
}

// filled is fill for an event with no other members.
func filled[E Event](f *frame, e E) Event {
	f.fill(e)
	return e
}

// notice returns nil for kinds without a type.
func (f *frame) notice(c Common) Event {
	switch f.kinds[ofNotice] {
	case "group_recall":
		return &GroupRecall{Common: c, GroupID: f.groupID, UserID: f.userID, OperatorID: f.operatorID, MessageID: f.messageID}
	case "friend_recall":
		return &FriendRecall{Common: c, UserID: f.userID, MessageID: f.messageID}
	case "group_ban":
		return &GroupBan{Common: c, GroupID: f.groupID, UserID: f.userID, OperatorID: f.operatorID, SubType: f.sub,
			Duration: lenient.Seconds(f.duration)}
	case "group_increase":
		return &GroupIncrease{Common: c, GroupID: f.groupID, UserID: f.userID, OperatorID: f.operatorID, SubType: f.sub}
	case "group_decrease":
		return &GroupDecrease{Common: c, GroupID: f.groupID, UserID: f.userID, OperatorID: f.operatorID, SubType: f.sub}
	case "group_dismiss": // LLBot reports the operator; the bot itself leaves
		return &GroupDecrease{Common: c, GroupID: f.groupID, UserID: c.SelfID, OperatorID: cmp.Or(f.operatorID, f.userID),
			SubType: "disband"}
	case "group_admin":
		return &GroupAdmin{Common: c, GroupID: f.groupID, UserID: f.userID, SubType: f.sub}
	case "group_card":
		return &GroupCard{Common: c, GroupID: f.groupID, UserID: f.userID, New: f.card.new, Old: f.card.old}
	case "friend_add":
		return &FriendAdd{Common: c, UserID: f.userID}
	case "bot_offline":
		return &BotOffline{Common: c, Tag: f.tag, Message: f.text}
	case "notify":
		return f.notify(c)
	}
	if e := f.groupNotice(c); e != nil {
		return e
	}
	return f.guildNotice(c)
}

// notify returns nil for sub-types without a type.
func (f *frame) notify(c Common) Event {
	switch f.sub {
	case "poke":
		return f.poke(c)
	case "poke_recall":
		return filled(f, &PokeRecall{Common: c})
	case "lucky_king":
		return filled(f, &LuckyKing{Common: c})
	case "honor":
		return filled(f, &Honor{Common: c})
	case "title":
		return filled(f, &GroupTitle{Common: c})
	case "group_name":
		return filled(f, &GroupName{Common: c})
	case "input_status":
		return filled(f, &InputStatus{Common: c})
	case "profile_like":
		return filled(f, &ProfileLike{Common: c})
	case "gray_tip":
		return filled(f, &GrayTip{Common: c})
	}
	return nil
}

// groupNotice returns nil for kinds without a type.
func (f *frame) groupNotice(c Common) Event {
	switch f.kinds[ofNotice] {
	case "group_upload":
		return filled(f, &GroupUpload{Common: c})
	case "essence":
		return filled(f, &Essence{Common: c})
	case "group_name_change":
		return filled(f, &GroupName{Common: c})
	case "group_msg_emoji_like", "reaction":
		return f.reaction(c)
	case "offline_file":
		return filled(f, &OfflineFile{Common: c})
	case "client_status":
		return filled(f, &ClientStatus{Common: c})
	case "bot_online":
		return filled(f, &BotOnline{Common: c})
	case "online_file_send":
		return filled(f, &OnlineFileSend{Common: c})
	case "online_file_receive":
		return filled(f, &OnlineFileReceive{Common: c})
	case "flash_file":
		return filled(f, &FlashFile{Common: c})
	}
	return nil
}

// poke decodes a poke. In a private poke NapCat sends the other user as user_id and the user who poked as sender_id.
func (f *frame) poke(c Common) Event {
	e := &Poke{Common: c, GroupID: f.groupID, UserID: f.userID, TargetID: f.targetID}
	f.fill(e)
	if f.senderID != 0 {
		e.UserID, e.peer = f.senderID, f.userID
	}
	return e
}
