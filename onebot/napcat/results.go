package napcat

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The results below decode themselves: what NapCat leaves out, or gives another type, is zero.

// UploadPart is how far an upload is.
type UploadPart struct {
	StreamID string `json:"stream_id"`
	Status   string `json:"status"` // "file_created", "chunk_received", "file_complete"
	Received int64  `json:"received_chunks"`
	Total    int64  `json:"total_chunks"`
	Path     string `json:"file_path"` // once it is complete, as are the next two
	Size     int64  `json:"file_size"`
	SHA256   string `json:"sha256"`
}

// UnmarshalJSON reads what upload_file_stream gives.
func (x *UploadPart) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// StreamPart is one part of a file that comes in parts: first what it is, then its contents, then that it was all.
type StreamPart struct {
	Type        string `json:"type"`      // "stream", at last "response"
	DataType    string `json:"data_type"` // "file_info", "file_chunk", "file_complete"
	Name        string `json:"file_name"` // of file_info, as are the next five
	Size        int64  `json:"file_size"` // of the whole
	ChunkSize   int64  `json:"chunk_size"`
	Width       int64  `json:"width"` // of a picture
	Height      int64  `json:"height"`
	Format      string `json:"out_format"` // of a voice message
	Index       int64  `json:"index"`      // of file_chunk, as are the next two
	Data        []byte `json:"-"`
	Progress    int64  `json:"progress"`     // in percent
	TotalChunks int64  `json:"total_chunks"` // of file_complete, as are the next two
	TotalBytes  int64  `json:"total_bytes"`
	Message     string `json:"message"`
}

// UnmarshalJSON reads one part.
func (x *StreamPart) UnmarshalJSON(b []byte) error {
	if err := lenient.Unmarshal(b, x); err != nil {
		return err
	}
	var chunk struct {
		Data []byte `json:"data"`
	}
	err := json.Unmarshal(b, &chunk)
	x.Data = chunk.Data
	return err
}

// EmojiLiker is one who put an emoji to a message.
type EmojiLiker struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nick_name"` // may be ""
}

// UnmarshalJSON reads one element of what get_emoji_likes gives.
func (x *EmojiLiker) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// RecentContact is a chat of late.
type RecentContact struct {
	Latest     json.RawMessage `json:"lastestMsg"` // the latest message as an event: see [onebot.ParseEvent]; nil where there is none
	PeerID     int64           `json:"peerUin"`    // the group, or the person
	PeerName   string          `json:"peerName"`
	Remark     string          `json:"remark"`
	At         time.Time       `json:"msgTime"`
	ChatType   int64           `json:"chatType"` // 1 a person, 2 a group
	MsgID      string          `json:"msgId"`    // QQ's own id of the latest message
	SenderNick string          `json:"sendNickName"`
	SenderCard string          `json:"sendMemberName"`
}

// UnmarshalJSON reads one element of what get_recent_contact gives.
func (x *RecentContact) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupDetail is a group with its ban and remark.
type GroupDetail struct {
	GroupID    int64  `json:"group_id"`
	Name       string `json:"group_name"`
	Members    int64  `json:"member_count"`
	MaxMembers int64  `json:"max_member_count"`
	AllMuted   int64  `json:"group_all_shut"` // -1: nobody but admins may speak; 0: everybody may
	Remark     string `json:"group_remark"`
}

// UnmarshalJSON reads what get_group_detail_info gives.
func (x *GroupDetail) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// AlbumPage is some of a group's albums.
type AlbumPage struct {
	Albums []json.RawMessage `json:"album_list"`  // as QQ gives them
	Attach string            `json:"attach_info"` // asks for the next page
	More   bool              `json:"has_more"`
}

// UnmarshalJSON reads what get_qun_album_list gives.
func (x *AlbumPage) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// ShareLink is where a flash transfer is fetched.
type ShareLink struct {
	URL     string    `json:"shareLink"`
	Expires time.Time `json:"expireTimestamp"`
}

// UnmarshalJSON reads what get_share_link gives: an object, or the link alone.
func (x *ShareLink) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		x.URL = lenient.Text(b)
		return nil
	}
	return lenient.Unmarshal(b, x)
}

// OnlineFile is a file that is offered to a friend.
type OnlineFile struct {
	MsgID     string `json:"msgId"` // for [Bot.CancelOnlineFile]
	ElementID string `json:"elementId"`
	Result    int64  `json:"result"` // 0: it was offered
	Wording   string `json:"errMsg"`
}

// UnmarshalJSON reads what send_online_file and send_online_folder give.
func (x *OnlineFile) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// CustomFace is one of the account's own stickers.
type CustomFace struct {
	EmojiID         int64  `json:"emoId"`
	ResID           string `json:"resId"` // for [Bot.DeleteCustomFace]
	URL             string `json:"url"`
	MD5             string `json:"md5"`
	Path            string `json:"emoPath"` // on NapCat's machine
	Desc            string `json:"desc"`
	OCR             string `json:"ocrWord"`    // the text in it
	Market          bool   `json:"isMarkFace"` // of QQ's shop
	MarketEmojiID   string `json:"eId"`
	MarketPackageID string `json:"epId"`
}

// UnmarshalJSON reads one element of what fetch_custom_face_detail gives.
func (x *CustomFace) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// UnidirectionalFriend is one who has the bot as a friend, but not the other way round.
type UnidirectionalFriend struct {
	UserID   int64  `json:"uin"`
	UID      string `json:"uid"`
	Nickname string `json:"nick_name"`
	Age      int64  `json:"age"`
	Source   string `json:"source"`
}

// UnmarshalJSON reads one element of what get_unidirectional_friend_list gives.
func (x *UnidirectionalFriend) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// UserStatus is how somebody is seen; the numbers are those of [onebot.Bot.SetOnlineStatus].
type UserStatus struct {
	Status int64 `json:"status"`
	Ext    int64 `json:"ext_status"`
}

// UnmarshalJSON reads what nc_get_user_status gives.
func (x *UserStatus) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// RKeyServer is the keys for pictures in the form of a key server. Secrets: never log them.
type RKeyServer struct {
	Private string    `json:"private_rkey"`
	Group   string    `json:"group_rkey"`
	Expires time.Time `json:"expired_time"`
	Name    string    `json:"name"`
}

// UnmarshalJSON reads what get_rkey_server gives.
func (x *RKeyServer) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// ModelShow is a phone.
type ModelShow struct {
	Variants struct {
		Name    string `json:"model_show"`
		NeedPay bool   `json:"need_pay"`
	} `json:"variants"`
}

// UnmarshalJSON reads one element of what _get_model_show gives.
func (x *ModelShow) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
