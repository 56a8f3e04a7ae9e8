package onebot

import (
	"bytes"
	"errors"
	"strconv"
)

// A Message is one chat message: its segments in order.
//
//	onebot.Message{onebot.At(id), onebot.Text(" 你好")}
type Message []Segment

// Mentions reports whether the message mentions this user (@). A mention of all members does not count: see
// [Message.MentionsAll].
func (m Message) Mentions(userID int64) bool {
	for _, s := range m {
		if s.Type == "at" && userID != 0 && s.Int("qq") == userID {
			return true
		}
	}
	return false
}

// MentionsAll reports whether the message mentions all members.
func (m Message) MentionsAll() bool {
	for _, s := range m {
		if s.Type == "at" && s.Param("qq") == "all" {
			return true
		}
	}
	return false
}

// ReplyID returns the id of the quoted message as received. Implementations use different widths and signs, so
// compare it by [MessageKey].
func (m Message) ReplyID() (string, bool) {
	for _, s := range m {
		if s.Type == "reply" {
			id := s.Param("id")
			return id, id != ""
		}
	}
	return "", false
}

// MessageKey converts a message id to a form that is equal across implementations. The specification has 32 signed
// bits, NapCat sends them unsigned, and a reply may hold the other form of the same id. Ids are hashes and may
// repeat: identify a message by account, chat, key and second together.
func MessageKey(id int64) uint32 { return uint32(id) }

// Text returns the message as one line of text for people and models: text unchanged, "@name" or "@id" for mentions,
// and placeholders such as "[图片]" for other segments. [Message.TextWith] has options. The placeholders are not
// markup: text typed by a user may look the same.
func (m Message) Text() string { return m.TextWithNames(nil) }

// TextWithNames is [Message.Text] with names for mentioned users, because most implementations send only ids. name
// returns "" for an unknown user. nil knows no names.
func (m Message) TextWithNames(name func(userID int64) string) string {
	return m.TextWith(TextOptions{LookupName: name})
}

var segmentNames = map[string]string{
	"reply": "回复", "face": "表情", "record": "语音", "video": "视频", "poke": "戳一戳", "shake": "窗口抖动",
	"rps": "猜拳", "dice": "骰子", "share": "链接", "contact": "名片", "location": "位置", "music": "音乐",
	"forward": "聊天记录", "node": "聊天记录", "longmsg": "长消息", "xml": "卡片", "json": "卡片", "miniapp": "小程序",
	"keyboard": "按钮", "flashtransfer": "闪传", "flash_file": "闪传", "gift": "礼物", "redbag": "红包", "tts": "语音",
	"anonymous": "匿名", "cardimage": "图片",
}

func named(kind, name string) string {
	if name == "" {
		return "[" + kind + "]"
	}
	return "[" + kind + " " + name + "]"
}

// MarshalJSON returns the array form; a nil message is an empty array.
func (m Message) MarshalJSON() ([]byte, error) {
	n := 2
	for _, s := range m {
		n += len(s.Type) + len(s.Data) + 24
	}
	b := append(make([]byte, 0, n), '[')
	for i, s := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.appendJSON(b)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON decodes an array of up to 10 000 segments, a single segment, a CQ string, or null.
func (m *Message) UnmarshalJSON(b []byte) error {
	b = bytes.Clone(validText(b))
	d := decoder{b: b}
	msg, end := d.message(skipSpace(b, 0), 0)
	if d.err != nil {
		return d.err
	}
	if end < 0 || skipSpace(b, end) != len(b) {
		return errors.New("onebot: message is not an array of segments, a segment or a string")
	}
	*m = msg
	return nil
}

// itoa formats ids in messages and keys.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }
