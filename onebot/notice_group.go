package onebot

import (
	"encoding/json"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// A GroupUpload tells that somebody put a file into a group's files. (notice group_upload)
type GroupUpload struct {
	Common
	GroupID int64        `json:"group_id"`
	UserID  int64        `json:"user_id"` // who did it
	File    UploadedFile `json:"file"`
}

func (e *GroupUpload) conversation() conversation { return e.group(e.GroupID) }

// An UploadedFile is a file that somebody sent as a file, not as a picture or the like.
type UploadedFile struct {
	ID    string `json:"id" alt:"file_id"` // for [Bot.GetGroupFileURL]; "" where the implementation does not tell
	Name  string `json:"name" alt:"file_name"`
	Size  int64  `json:"size" alt:"file_size"` // in bytes
	BusID int64  `json:"busid" alt:"bus_id"`   // for [Bot.GetGroupFileURL] of go-cqhttp
	URL   string `json:"url"`                  // where to fetch it; "" where the implementation does not tell
	Hash  string `json:"hash"`                 // Lagrange's, for [Bot.GetPrivateFileURL]
}

// UnmarshalJSON reads what events tell, and what upload_group_file and upload_private_file give.
func (x *UploadedFile) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// An Essence tells that a message was made an essence message (精华) of its group, or is one no more. An extension;
// NapCat tells additions only. (notice essence)
type Essence struct {
	Common
	SubType    string `json:"sub_type"` // "add", "delete"
	GroupID    int64  `json:"group_id"`
	MessageID  int64  `json:"message_id"`              // compare by [MessageKey]
	SenderID   int64  `json:"sender_id" alt:"user_id"` // who had said it
	OperatorID int64  `json:"operator_id"`             // the admin
}

func (e *Essence) conversation() conversation { return e.group(e.GroupID) }

// A GroupTitle tells that a member got another special title. An extension. (notice notify, sub_type title)
type GroupTitle struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id"`
	Title   string `json:"title"` // "": none any more
}

func (e *GroupTitle) conversation() conversation { return e.group(e.GroupID) }

// A GroupName tells that a group has a new name. An extension. (NapCat: notice notify, sub_type group_name; Lagrange:
// notice group_name_change)
type GroupName struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id" alt:"operator_id"` // who changed it; 0 where the implementation does not tell
	Name    string `json:"name_new" alt:"name"`
}

func (e *GroupName) conversation() conversation { return e.group(e.GroupID) }

// A Reaction tells that somebody put an emoji to a group message, or took it away. An extension. (NapCat and LLBot:
// notice group_msg_emoji_like; Lagrange: notice reaction with code and count, and sub_type add or remove for is_add)
type Reaction struct {
	Common
	GroupID   int64        `json:"group_id"`
	UserID    int64        `json:"operator_id" alt:"user_id"` // who did it; 0 where the implementation does not tell
	MessageID int64        `json:"message_id"`                // compare by [MessageKey]
	Seq       int64        `json:"message_seq"`               // the message's sequence number; 0 where not told
	Added     bool         `json:"is_add"`                    // false: taken away
	Likes     []EmojiCount `json:"likes"`                     // usually one
}

func (e *Reaction) conversation() conversation { return e.group(e.GroupID) }

// An EmojiCount is how many put an emoji to a message.
type EmojiCount struct {
	EmojiID string `json:"emoji_id"` // the number of one of QQ's faces, or a Unicode code point in decimal
	Count   int64  `json:"count" alt:"likes_cnt"`
}

// reaction absorbs the two forms.
func (f *frame) reaction(c Common) Event {
	e := &Reaction{Common: c}
	var lagrange struct {
		Code   string `json:"code"`
		Count  int64  `json:"count"`
		Absent *bool  `json:"is_add"`
	}
	f.fill(e)
	f.fill(&lagrange)
	if lagrange.Absent == nil {
		e.Added = f.sub != "remove"
	}
	if e.Likes == nil && lagrange.Code != "" {
		e.Likes = []EmojiCount{{lagrange.Code, lagrange.Count}}
	}
	return e
}

// A LuckyKing tells who got most of a red packet. (notice notify, sub_type lucky_king)
type LuckyKing struct {
	Common
	GroupID  int64 `json:"group_id"`
	UserID   int64 `json:"user_id"`   // who gave the packet
	TargetID int64 `json:"target_id"` // who was lucky
}

func (e *LuckyKing) conversation() conversation { return e.group(e.GroupID) }

// An Honor tells that a member won a title of the group. (notice notify, sub_type honor)
type Honor struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id"`
	Honor   string `json:"honor_type"` // "talkative" (龙王), "performer" (群聊之火), "emotion" (快乐源泉)
}

func (e *Honor) conversation() conversation { return e.group(e.GroupID) }

// A GrayTip is a small gray line in a group that NapCat does not know; people forge such lines. An extension.
// (notice notify, sub_type gray_tip)
type GrayTip struct {
	Common
	GroupID   int64           `json:"group_id"`
	UserID    int64           `json:"user_id"`    // who really sent it
	MessageID int64           `json:"message_id"` // compare by [MessageKey]
	BusiID    string          `json:"busi_id"`    // the kind of line
	Content   string          `json:"content"`    // JSON of QQ's
	Info      json.RawMessage `json:"raw_info"`   // as QQ gave it
}

func (e *GrayTip) conversation() conversation { return e.group(e.GroupID) }
