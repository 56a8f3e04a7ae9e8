package onebot

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// event makes the typed event of a frame that has a post_type.
func (f *frame) event() Event {
	c := Common{SelfID: f.selfID, raw: f.raw}
	if f.hasTime {
		c.Time = eventTime(f.time)
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

// kind is the event's kind within its post_type.
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

// segments is the message in whichever form it came.
func (f *frame) segments() Message {
	if f.message == nil && f.text != "" {
		return ParseCQ(f.text)
	}
	return f.message
}

func (f *frame) heartbeat(c Common) Event {
	e := &Heartbeat{Common: c, Interval: time.Duration(min(max(f.interval, 0), maxInterval)) * time.Millisecond, Status: f.health}
	o := openObject(f.health, 0, 1)
	for o.next() {
		switch string(o.key()) {
		case "online":
			e.Online = o.bool()
		case "good":
			e.Good = o.bool()
		default:
			o.skip()
		}
	}
	return e
}

// maxInterval bounds a heartbeat's interval, in milliseconds: nobody beats once a day.
const maxInterval = 24 * 60 * 60 * 1000

// seconds is a duration that cannot overflow.
func seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}

// year9999 is the last second that RFC 3339 can write. What is larger is no time in seconds: some send
// milliseconds.
const year9999 = 253402300799

func eventTime(n int64) time.Time {
	for n > year9999 {
		n /= 1000
	}
	return time.Unix(max(n, -year9999), 0)
}

// unpin clones the frame's strings for the case that one of them is kept.
func (f *frame) unpin(limit int) {
	for _, s := range []*string{
		&f.post, &f.kinds[0], &f.kinds[1], &f.kinds[2], &f.kinds[3], &f.sub, &f.groupName, &f.rawMessage, &f.comment, &f.flag, &f.tag, &f.via, &f.cardNew, &f.cardOld,
		&f.text, &f.echo, &f.status, &f.wording, &f.msg, &f.sender.Nickname, &f.sender.Card, &f.sender.Role,
		&f.sender.Title, &f.sender.Level, &f.sender.Area, &f.sender.Sex,
	} {
		unpin(s, limit)
	}
	if f.anonymous != nil {
		unpin(&f.anonymous.Name, limit)
		unpin(&f.anonymous.Flag, limit)
	}
	if len(f.health) < limit {
		f.health = json.RawMessage(append([]byte(nil), f.health...))
	}
}

func unpin(s *string, limit int) {
	if len(*s) < limit {
		*s = strings.Clone(*s)
	}
}
