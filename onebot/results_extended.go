package onebot

import (
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// SentForward is the result of sending a merged forward.
type SentForward struct {
	MessageID int64  `json:"message_id"`              // compare by [MessageKey]
	ForwardID string `json:"forward_id" alt:"res_id"` // for [Bot.GetForwardMsg]; "" if the implementation does not send it
}

// UnmarshalJSON decodes the results of send_forward_msg and its variants. Lagrange's send_forward_msg returns only
// the id.
func (x *SentForward) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		x.ForwardID = lenient.Text(b)
		return nil
	}
	return lenient.Unmarshal(b, x)
}

// EssenceMsg is an essence message (精华) of a group. Implementations send either its content or its sequence number,
// rarely both.
type EssenceMsg struct {
	MessageID    int64     `json:"message_id" alt:"msg_id"` // compare by [MessageKey]
	Seq          int64     `json:"msg_seq"`
	Random       int64     `json:"msg_random"`
	SenderID     int64     `json:"sender_id"`
	SenderNick   string    `json:"sender_nick"`
	SentAt       time.Time `json:"sender_time"` // zero if unknown
	OperatorID   int64     `json:"operator_id"` // the user who added it
	OperatorNick string    `json:"operator_nick"`
	AddedAt      time.Time `json:"operator_time"`
	Content      Message   `json:"content"`
}

// UnmarshalJSON decodes one element of the result of get_essence_msg_list.
func (x *EssenceMsg) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupAnnouncement is an announcement (公告) of a group.
type GroupAnnouncement struct {
	ID       string           `json:"notice_id"` // "" if the implementation does not send it
	SenderID int64            `json:"sender_id"`
	At       time.Time        `json:"publish_time"`
	Body     AnnouncementBody `json:"message"`
	Readers  int64            `json:"read_num"` // NapCat: number of readers
}

// AnnouncementBody is the content of an announcement.
type AnnouncementBody struct {
	Text   string              `json:"text"`
	Images []AnnouncementImage `json:"images" alt:"image"`
}

// AnnouncementImage is a picture of an announcement.
type AnnouncementImage struct {
	ID     string `json:"id"`
	Width  int64  `json:"width"`
	Height int64  `json:"height"`
}

// UnmarshalJSON decodes one element of the result of _get_group_notice.
func (x *GroupAnnouncement) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupFiles is a folder of a group's files.
type GroupFiles struct {
	Files   []GroupFile   `json:"files"`
	Folders []GroupFolder `json:"folders"`
}

// GroupFile is one of a group's files.
type GroupFile struct {
	GroupID      int64     `json:"group_id"`
	ID           string    `json:"file_id"`
	Name         string    `json:"file_name"`
	BusID        int64     `json:"busid"`
	Size         int64     `json:"file_size" alt:"size"` // in bytes
	Uploaded     time.Time `json:"upload_time"`
	Expires      time.Time `json:"dead_time"` // zero: never
	Modified     time.Time `json:"modify_time"`
	Downloads    int64     `json:"download_times"`
	Uploader     int64     `json:"uploader"`
	UploaderName string    `json:"uploader_name"`
}

// GroupFolder is a folder in a group's files.
type GroupFolder struct {
	GroupID     int64     `json:"group_id"`
	ID          string    `json:"folder_id"`
	Name        string    `json:"folder_name"`
	Created     time.Time `json:"create_time"`
	Creator     int64     `json:"creator"`
	CreatorName string    `json:"creator_name"`
	Files       int64     `json:"total_file_count"`
}

// UnmarshalJSON decodes the results of get_group_root_files and get_group_files_by_folder.
func (x *GroupFiles) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// FileSystemInfo is the usage of a group's file storage.
type FileSystemInfo struct {
	Files     int64 `json:"file_count"`
	MaxFiles  int64 `json:"limit_count"`
	UsedSpace int64 `json:"used_space"` // in bytes
	Space     int64 `json:"total_space"`
}

// UnmarshalJSON decodes the result of get_group_file_system_info.
func (x *FileSystemInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupAlbum is an album of a group.
type GroupAlbum struct {
	ID       string    `json:"id" alt:"album_id"`
	Name     string    `json:"name"`
	Pictures int64     `json:"picNum"` // number of pictures and videos
	Created  time.Time `json:"createTime"`
	Uploaded time.Time `json:"last_upload_time"` // zero if unknown
}

// UnmarshalJSON decodes one element of the result of get_group_album_list.
func (x *GroupAlbum) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// AtAllRemain is the number of mentions of all members left today.
type AtAllRemain struct {
	Can      bool  `json:"can_at_all"`
	ForGroup int64 `json:"remain_at_all_count_for_group"` // for all admins together
	ForBot   int64 `json:"remain_at_all_count_for_uin"`
}

// UnmarshalJSON decodes the result of get_group_at_all_remain.
func (x *AtAllRemain) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupSystemMsg lists requests about groups.
type GroupSystemMsg struct {
	Invited []SystemRequest `json:"invited_requests" alt:"InvitedRequest"` // invitations of the bot
	Joins   []SystemRequest `json:"join_requests"`                         // requests to join
}

// SystemRequest is one invitation or join request.
type SystemRequest struct {
	ID            int64  `json:"request_id"` // NapCat: the flag for [Bot.SetGroupAddRequest]
	InviterID     int64  `json:"invitor_uin"`
	InviterNick   string `json:"invitor_nick"`
	RequesterID   int64  `json:"requester_uin" alt:"invitor_uin"` // NapCat uses one name for both
	RequesterNick string `json:"requester_nick"`
	GroupID       int64  `json:"group_id"`
	GroupName     string `json:"group_name"`
	Comment       string `json:"message"`
	Checked       bool   `json:"checked"` // already answered
	Actor         int64  `json:"actor"`   // the user who answered
}

// UnmarshalJSON decodes the result of get_group_system_msg.
func (x *GroupSystemMsg) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// OCR is the text found in a picture.
type OCR struct {
	Texts    []OCRText `json:"texts"`
	Language string    `json:"language"` // "" if the implementation does not send it
}

// OCRText is one piece of text in a picture.
type OCRText struct {
	Text       string     `json:"text"`
	Confidence int64      `json:"confidence" alt:"score"` // up to 100
	Corners    []OCRPoint `json:"coordinates"`
}

// OCRPoint is a point in a picture, in pixels from the upper left corner.
type OCRPoint struct {
	X int64 `json:"x"`
	Y int64 `json:"y"`
}

// UnmarshalJSON decodes the result of ocr_image: an object, or NapCat's list of texts with corners pt1 to pt4.
func (x *OCR) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return lenient.Unmarshal(b, x)
	}
	var list []struct {
		Text  string   `json:"text"`
		Score int64    `json:"score"`
		P1    OCRPoint `json:"pt1"`
		P2    OCRPoint `json:"pt2"`
		P3    OCRPoint `json:"pt3"`
		P4    OCRPoint `json:"pt4"`
	}
	if err := lenient.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, t := range list {
		x.Texts = append(x.Texts, OCRText{t.Text, t.Score, []OCRPoint{t.P1, t.P2, t.P3, t.P4}})
	}
	return nil
}

// RKey is a key for URLs of pictures and files, valid for a limited time. It is a secret: never log it.
type RKey struct {
	Type    string        `json:"type"` // "private" or "group": the chat of the pictures
	RKey    string        `json:"rkey"`
	Created time.Time     `json:"created_at"` // zero if unknown
	TTL     time.Duration `json:"ttl"`        // from Created on
	Expires time.Time     `json:"-"`          // zero if not sent; then it is Created plus TTL
}

// AICharacters is a category of AI voices.
type AICharacters struct {
	Type       string        `json:"type"` // "推荐", …
	Characters []AICharacter `json:"characters"`
}

// AICharacter is one AI voice.
type AICharacter struct {
	ID         string `json:"character_id"` // for [Bot.SendGroupAIRecord]
	Name       string `json:"character_name"`
	PreviewURL string `json:"preview_url"`
}

// UnmarshalJSON decodes one element of the result of get_ai_characters.
func (x *AICharacters) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GuildInfo is a guild (频道) of the bot.
type GuildInfo struct {
	ID        string `json:"guild_id"`
	Name      string `json:"guild_name"`
	DisplayID string `json:"guild_display_id"`
}

// UnmarshalJSON decodes one element of the result of get_guild_list.
func (x *GuildInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
