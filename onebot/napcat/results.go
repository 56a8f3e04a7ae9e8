package napcat

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The results below decode themselves: missing members and members of other types are zero.

// UploadPart is the progress of an upload.
type UploadPart struct {
	StreamID string `json:"stream_id"`
	Status   string `json:"status"` // "file_created", "chunk_received", "file_complete"
	Received int64  `json:"received_chunks"`
	Total    int64  `json:"total_chunks"`
	Path     string `json:"file_path"` // this and the next two fields are set when complete
	Size     int64  `json:"file_size"`
	SHA256   string `json:"sha256"`
}

// UnmarshalJSON decodes the result of upload_file_stream.
func (x *UploadPart) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// StreamPart is one part of a file stream: first its description, then its content, then its end.
type StreamPart struct {
	Type        string `json:"type"`      // "stream", finally "response"
	DataType    string `json:"data_type"` // "file_info", "file_chunk", "file_complete"
	Name        string `json:"file_name"` // this and the next five fields: file_info
	Size        int64  `json:"file_size"` // of the whole file
	ChunkSize   int64  `json:"chunk_size"`
	Width       int64  `json:"width"` // of a picture
	Height      int64  `json:"height"`
	Format      string `json:"out_format"` // of a voice message
	Index       int64  `json:"index"`      // this and the next two fields: file_chunk
	Data        []byte `json:"-"`
	Progress    int64  `json:"progress"`     // in percent
	TotalChunks int64  `json:"total_chunks"` // this and the next two fields: file_complete
	TotalBytes  int64  `json:"total_bytes"`
	Message     string `json:"message"`
}

// UnmarshalJSON decodes one part.
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

// EmojiLiker is a user who reacted to a message with an emoji.
type EmojiLiker struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nick_name"` // may be ""
}

// UnmarshalJSON decodes one element of the result of get_emoji_likes.
func (x *EmojiLiker) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// RecentContact is a recently active chat.
type RecentContact struct {
	Latest     json.RawMessage `json:"lastestMsg"` // the latest message as an event: see [onebot.ParseEvent]; nil if there is none
	PeerID     int64           `json:"peerUin"`    // the group or the user
	PeerName   string          `json:"peerName"`
	Remark     string          `json:"remark"`
	At         time.Time       `json:"msgTime"`
	ChatType   int64           `json:"chatType"` // 1 user, 2 group
	MsgID      string          `json:"msgId"`    // QQ's own id of the latest message
	SenderNick string          `json:"sendNickName"`
	SenderCard string          `json:"sendMemberName"`
}

// UnmarshalJSON decodes one element of the result of get_recent_contact.
func (x *RecentContact) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupDetail is a group with its mute state and remark.
type GroupDetail struct {
	GroupID    int64  `json:"group_id"`
	Name       string `json:"group_name"`
	Members    int64  `json:"member_count"`
	MaxMembers int64  `json:"max_member_count"`
	AllMuted   int64  `json:"group_all_shut"` // -1: only admins may speak; 0: all members may speak
	Remark     string `json:"group_remark"`
}

// UnmarshalJSON decodes the result of get_group_detail_info.
func (x *GroupDetail) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// AlbumPage is a page of a group's albums.
type AlbumPage struct {
	Albums []json.RawMessage `json:"album_list"`  // QQ's own JSON
	Attach string            `json:"attach_info"` // pass it to get the next page
	More   bool              `json:"has_more"`
}

// UnmarshalJSON decodes the result of get_qun_album_list.
func (x *AlbumPage) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// ShareLink is the download link of a flash transfer.
type ShareLink struct {
	URL     string    `json:"shareLink"`
	Expires time.Time `json:"expireTimestamp"`
}

// UnmarshalJSON decodes the result of get_share_link: an object, or only the link.
func (x *ShareLink) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		x.URL = lenient.Text(b)
		return nil
	}
	return lenient.Unmarshal(b, x)
}

// OnlineFile is a file offered to a friend.
type OnlineFile struct {
	MsgID     string `json:"msgId"` // for [Bot.CancelOnlineFile]
	ElementID string `json:"elementId"`
	Result    int64  `json:"result"` // 0: offered
	Wording   string `json:"errMsg"`
}

// UnmarshalJSON decodes the result of send_online_file and send_online_folder.
func (x *OnlineFile) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// CustomFace is one of the account's own stickers.
type CustomFace struct {
	EmojiID         int64  `json:"emoId"`
	ResID           string `json:"resId"` // for [Bot.DeleteCustomFace]
	URL             string `json:"url"`
	MD5             string `json:"md5"`
	Path            string `json:"emoPath"` // on NapCat's machine
	Desc            string `json:"desc"`
	OCR             string `json:"ocrWord"`    // text in the picture
	Market          bool   `json:"isMarkFace"` // from QQ's store
	MarketEmojiID   string `json:"eId"`
	MarketPackageID string `json:"epId"`
}

// UnmarshalJSON decodes one element of the result of fetch_custom_face_detail.
func (x *CustomFace) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// UnidirectionalFriend is a user who has the bot as a friend, but not the other way round.
type UnidirectionalFriend struct {
	UserID   int64  `json:"uin"`
	UID      string `json:"uid"`
	Nickname string `json:"nick_name"`
	Age      int64  `json:"age"`
	Source   string `json:"source"`
}

// UnmarshalJSON decodes one element of the result of get_unidirectional_friend_list.
func (x *UnidirectionalFriend) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// UserStatus is a user's online status; for the numbers see [onebot.Bot.SetOnlineStatus].
type UserStatus struct {
	Status int64 `json:"status"`
	Ext    int64 `json:"ext_status"`
}

// UnmarshalJSON decodes the result of nc_get_user_status.
func (x *UserStatus) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// RKeyServer holds the keys for pictures in the form of a key server. They are secrets: never log them.
type RKeyServer struct {
	Private string    `json:"private_rkey"`
	Group   string    `json:"group_rkey"`
	Expires time.Time `json:"expired_time"`
	Name    string    `json:"name"`
}

// UnmarshalJSON decodes the result of get_rkey_server.
func (x *RKeyServer) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// ModelShow is a phone model.
type ModelShow struct {
	Variants struct {
		Name    string `json:"model_show"`
		NeedPay bool   `json:"need_pay"`
	} `json:"variants"`
}

// UnmarshalJSON decodes one element of the result of _get_model_show.
func (x *ModelShow) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
