package onebot

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// event builds the typed event of a frame with a post_type.
func (f *frame) event() Event {
	c := Common{SelfID: f.selfID, raw: f.raw}
	if f.hasTime {
		c.Time = lenient.Second(f.time)
	}
	switch f.post {
	case "message", "message_sent":
		switch f.kinds[ofMessage] {
		case "group":
			return f.groupMessage(c)
		case "private":
			return f.privateMessage(c)
		case "guild":
			return f.guildMessage(c)
		}
	case "notice":
		if e := f.notice(c); e != nil {
			return e
		}
	case "request":
		switch f.kinds[ofRequest] {
		case "friend":
			return &FriendRequest{Common: c, UserID: f.userID, Comment: f.comment, Flag: f.flag, Via: f.via}
		case "group":
			return &GroupRequest{Common: c, SubType: f.sub, GroupID: f.groupID, UserID: f.userID,
				InviterID: f.inviterID, SourceGroupID: f.sourceGroupID, Comment: f.comment, Flag: f.flag}
		}
	case "meta_event":
		switch f.kinds[ofMeta] {
		case "lifecycle":
			return &Lifecycle{Common: c, SubType: f.sub}
		case "heartbeat":
			return f.heartbeat(c)
		}
	}
	return &Unknown{Common: c, PostType: f.post, Kind: f.kind(), SubType: f.sub, GroupID: f.groupID, UserID: f.userID}
}

// kind returns the event's kind within its post_type.
func (f *frame) kind() string {
	switch f.post {
	case "message", "message_sent":
		return f.kinds[ofMessage]
	case "notice":
		return f.kinds[ofNotice]
	case "request":
		return f.kinds[ofRequest]
	case "meta_event":
		return f.kinds[ofMeta]
	}
	return cmp.Or(f.kinds[:]...)
}

func (f *frame) groupMessage(c Common) Event {
	e := &GroupMessage{Common: c, SubType: f.sub, MessageID: f.messageID, GroupID: f.groupID, GroupName: f.groupName,
		UserID: f.userID, Sender: f.sender, Message: f.segments(), RawMessage: f.rawMessage,
		Seq: cmp.Or(f.realSeq, f.seq), RealID: f.realID, Font: f.font, Anonymous: f.anonymous, own: f.post == "message_sent"}
	if f.anonymous != nil {
		e.AnonymousID = f.anonymous.ID
	}
	return e
}

func (f *frame) privateMessage(c Common) Event {
	return &PrivateMessage{Common: c, SubType: f.sub, MessageID: f.messageID, UserID: f.userID, TargetID: f.targetID,
		GroupID: cmp.Or(f.groupID, f.sender.GroupID), Sender: f.sender, Message: f.segments(), RawMessage: f.rawMessage,
		Seq: cmp.Or(f.realSeq, f.seq), RealID: f.realID, Font: f.font, own: f.post == "message_sent"}
}

// segments returns the message, parsed from the string form if needed.
func (f *frame) segments() Message {
	if f.message == nil && f.text != "" {
		return ParseCQ(f.text)
	}
	return f.message
}

func (f *frame) heartbeat(c Common) Event {
	var s Status
	_ = lenient.Unmarshal(f.statusObject, &s) // may be missing
	interval := time.Duration(min(max(f.interval, 0), maxInterval)) * time.Millisecond
	return &Heartbeat{Common: c, Interval: interval, Online: s.Online, Good: s.Good, Status: f.statusObject}
}

// maxInterval limits a heartbeat's interval, in milliseconds: one day.
const maxInterval = 24 * 60 * 60 * 1000

// unpin clones the frame's strings, so that a retained string does not keep the frame in memory.
func (f *frame) unpin(limit int) {
	for _, s := range []*string{
		&f.post, &f.kinds[0], &f.kinds[1], &f.kinds[2], &f.kinds[3], &f.sub, &f.groupName, &f.rawMessage, &f.comment, &f.flag, &f.tag, &f.via, &f.card.new, &f.card.old,
		&f.text, &f.echo, &f.status, &f.wording, &f.msg, &f.sender.Nickname, &f.sender.Card, &f.sender.Role,
		&f.sender.Title, &f.sender.Level, &f.sender.Area, &f.sender.Sex,
	} {
		unpin(s, limit)
	}
	if len(f.statusObject) < limit {
		f.statusObject = json.RawMessage(append([]byte(nil), f.statusObject...))
	}
}

func unpin(s *string, limit int) {
	if len(*s) < limit {
		*s = strings.Clone(*s)
	}
}
