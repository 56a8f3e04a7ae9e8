package onebot

import (
	"encoding/json"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// A GroupUpload reports a file uploaded to a group's shared files. (notice group_upload)
type GroupUpload struct {
	Common
	GroupID int64        `json:"group_id"`
	UserID  int64        `json:"user_id"` // the uploader
	File    UploadedFile `json:"file"`
}

func (e *GroupUpload) conversation() conversation { return e.group(e.GroupID) }

// An UploadedFile is a file sent as a file, not as a picture or other media.
type UploadedFile struct {
	ID    string `json:"id" alt:"file_id"` // for [Bot.GetGroupFileURL]; "" if the implementation does not send it
	Name  string `json:"name" alt:"file_name"`
	Size  int64  `json:"size" alt:"file_size"` // in bytes
	BusID int64  `json:"busid" alt:"bus_id"`   // for [Bot.GetGroupFileURL] of go-cqhttp
	URL   string `json:"url"`                  // download URL; "" if the implementation does not send it
	Hash  string `json:"hash"`                 // Lagrange: for [Bot.GetPrivateFileURL]
}

// UnmarshalJSON decodes files in events and the results of upload_group_file and upload_private_file.
func (x *UploadedFile) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// An Essence reports that a message was added to the essence messages (精华) of its group or removed from them. An
// extension. NapCat reports only additions. (notice essence)
type Essence struct {
	Common
	SubType    string `json:"sub_type"` // "add", "delete"
	GroupID    int64  `json:"group_id"`
	MessageID  int64  `json:"message_id"`              // compare by [MessageKey]
	SenderID   int64  `json:"sender_id" alt:"user_id"` // author of the message
	OperatorID int64  `json:"operator_id"`             // the admin
}

func (e *Essence) conversation() conversation { return e.group(e.GroupID) }

// A GroupTitle reports a changed special title of a member. An extension. (notice notify, sub_type title)
type GroupTitle struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id"`
	Title   string `json:"title"` // "": removed
}

func (e *GroupTitle) conversation() conversation { return e.group(e.GroupID) }

// A GroupName reports a new name of a group. An extension. (NapCat: notice notify, sub_type group_name; Lagrange:
// notice group_name_change)
type GroupName struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id" alt:"operator_id"` // the user who changed it; 0 if unknown
	Name    string `json:"name_new" alt:"name"`
}

func (e *GroupName) conversation() conversation { return e.group(e.GroupID) }

// A Reaction reports an emoji reaction added to a group message or removed from it. An extension. (NapCat, LLBot and
// SnowLuma: notice group_msg_emoji_like; Lagrange: notice reaction with code and count. Lagrange and SnowLuma have
// sub_type add or remove for is_add)
type Reaction struct {
	Common
	GroupID   int64        `json:"group_id"`
	UserID    int64        `json:"operator_id" alt:"user_id"` // the user who reacted; 0 if unknown
	MessageID int64        `json:"message_id"`                // compare by [MessageKey]
	Seq       int64        `json:"message_seq"`               // the message's sequence number; 0 if unknown
	Added     bool         `json:"is_add"`                    // false: removed
	Likes     []EmojiCount `json:"likes"`                     // usually one
}

func (e *Reaction) conversation() conversation { return e.group(e.GroupID) }

// An EmojiCount is the number of users who reacted with an emoji.
type EmojiCount struct {
	EmojiID string `json:"emoji_id"` // id of a QQ face, or a Unicode code point in decimal
	Count   int64  `json:"count" alt:"likes_cnt"`
}

// reaction decodes both forms.
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

// A LuckyKing reports the luckiest receiver of a red packet. (notice notify, sub_type lucky_king)
type LuckyKing struct {
	Common
	GroupID  int64 `json:"group_id"`
	UserID   int64 `json:"user_id"`   // sender of the packet
	TargetID int64 `json:"target_id"` // the luckiest receiver
}

func (e *LuckyKing) conversation() conversation { return e.group(e.GroupID) }

// An Honor reports that a member won an honor title of the group. (notice notify, sub_type honor)
type Honor struct {
	Common
	GroupID int64  `json:"group_id"`
	UserID  int64  `json:"user_id"`
	Honor   string `json:"honor_type"` // "talkative" (龙王), "performer" (群聊之火), "emotion" (快乐源泉)
}

func (e *Honor) conversation() conversation { return e.group(e.GroupID) }

// A GrayTip is a gray system line in a group that NapCat does not recognize. Users can forge such lines. An
// extension. (notice notify, sub_type gray_tip)
type GrayTip struct {
	Common
	GroupID   int64           `json:"group_id"`
	UserID    int64           `json:"user_id"`    // the real sender
	MessageID int64           `json:"message_id"` // compare by [MessageKey]
	BusiID    string          `json:"busi_id"`    // the kind of line
	Content   string          `json:"content"`    // QQ's own JSON
	Info      json.RawMessage `json:"raw_info"`   // as received from QQ
}

func (e *GrayTip) conversation() conversation { return e.group(e.GroupID) }
