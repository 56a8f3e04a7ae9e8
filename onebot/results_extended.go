package onebot

import (
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// SentForward is a forward that was sent.
type SentForward struct {
	MessageID int64  `json:"message_id"`              // compare by [MessageKey]
	ForwardID string `json:"forward_id" alt:"res_id"` // for [Bot.GetForwardMsg]; "" where the implementation does not tell
}

// UnmarshalJSON reads what send_forward_msg and its like give; Lagrange's send_forward_msg gives the id alone.
func (x *SentForward) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		x.ForwardID = lenient.Text(b)
		return nil
	}
	return lenient.Unmarshal(b, x)
}

// EssenceMsg is an essence message (精华) of a group. Implementations tell either what it says or its sequence
// number, rarely both.
type EssenceMsg struct {
	MessageID    int64     `json:"message_id" alt:"msg_id"` // compare by [MessageKey]
	Seq          int64     `json:"msg_seq"`
	Random       int64     `json:"msg_random"`
	SenderID     int64     `json:"sender_id"`
	SenderNick   string    `json:"sender_nick"`
	SentAt       time.Time `json:"sender_time"` // zero when not told
	OperatorID   int64     `json:"operator_id"` // who made it one
	OperatorNick string    `json:"operator_nick"`
	AddedAt      time.Time `json:"operator_time"`
	Content      Message   `json:"content"`
}

// UnmarshalJSON reads one element of what get_essence_msg_list gives.
func (x *EssenceMsg) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupAnnouncement is an announcement (公告) of a group.
type GroupAnnouncement struct {
	ID       string           `json:"notice_id"` // "" where the implementation does not tell
	SenderID int64            `json:"sender_id"`
	At       time.Time        `json:"publish_time"`
	Body     AnnouncementBody `json:"message"`
	Readers  int64            `json:"read_num"` // NapCat: how many read it
}

// AnnouncementBody is what an announcement says.
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

// UnmarshalJSON reads one element of what _get_group_notice gives.
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

// GroupFolder is a folder among a group's files.
type GroupFolder struct {
	GroupID     int64     `json:"group_id"`
	ID          string    `json:"folder_id"`
	Name        string    `json:"folder_name"`
	Created     time.Time `json:"create_time"`
	Creator     int64     `json:"creator"`
	CreatorName string    `json:"creator_name"`
	Files       int64     `json:"total_file_count"`
}

// UnmarshalJSON reads what get_group_root_files and get_group_files_by_folder give.
func (x *GroupFiles) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// FileSystemInfo is how full a group's files are.
type FileSystemInfo struct {
	Files     int64 `json:"file_count"`
	MaxFiles  int64 `json:"limit_count"`
	UsedSpace int64 `json:"used_space"` // in bytes
	Space     int64 `json:"total_space"`
}

// UnmarshalJSON reads what get_group_file_system_info gives.
func (x *FileSystemInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// AtAllRemain is how often everybody may still be mentioned today.
type AtAllRemain struct {
	Can      bool  `json:"can_at_all"`
	ForGroup int64 `json:"remain_at_all_count_for_group"` // by all admins together
	ForBot   int64 `json:"remain_at_all_count_for_uin"`
}

// UnmarshalJSON reads what get_group_at_all_remain gives.
func (x *AtAllRemain) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupSystemMsg is what asks for an answer in groups.
type GroupSystemMsg struct {
	Invited []SystemRequest `json:"invited_requests" alt:"InvitedRequest"` // who asks the bot into a group
	Joins   []SystemRequest `json:"join_requests"`                         // who wants into a group
}

// SystemRequest is one invitation or request to join.
type SystemRequest struct {
	ID            int64  `json:"request_id"` // NapCat: the flag for [Bot.SetGroupAddRequest]
	InviterID     int64  `json:"invitor_uin"`
	InviterNick   string `json:"invitor_nick"`
	RequesterID   int64  `json:"requester_uin" alt:"invitor_uin"` // NapCat calls both by one name
	RequesterNick string `json:"requester_nick"`
	GroupID       int64  `json:"group_id"`
	GroupName     string `json:"group_name"`
	Comment       string `json:"message"`
	Checked       bool   `json:"checked"` // somebody has answered
	Actor         int64  `json:"actor"`   // who
}

// UnmarshalJSON reads what get_group_system_msg gives.
func (x *GroupSystemMsg) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// OCR is the text that was found in a picture.
type OCR struct {
	Texts    []OCRText `json:"texts"`
	Language string    `json:"language"` // "" where the implementation does not tell
}

// OCRText is one piece of text in a picture.
type OCRText struct {
	Text       string     `json:"text"`
	Confidence int64      `json:"confidence" alt:"score"` // up to 100
	Corners    []OCRPoint `json:"coordinates"`
}

// OCRPoint is a place in a picture, in pixels from the upper left corner.
type OCRPoint struct {
	X int64 `json:"x"`
	Y int64 `json:"y"`
}

// UnmarshalJSON reads what ocr_image gives: an object, or NapCat's list of texts with corners pt1 to pt4.
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

// RKey is a key that opens URLs of pictures and files for a time. A secret: never log it.
type RKey struct {
	Type    string        `json:"type"` // "private", "group": where the pictures were sent
	RKey    string        `json:"rkey"`
	Created time.Time     `json:"created_at"` // zero when not told
	TTL     time.Duration `json:"ttl"`        // from Created on
	Expires time.Time     `json:"-"`          // zero when not told so: then it is Created plus TTL
}

// AICharacters is a kind of voices that QQ can speak with.
type AICharacters struct {
	Type       string        `json:"type"` // "推荐", …
	Characters []AICharacter `json:"characters"`
}

// AICharacter is one voice.
type AICharacter struct {
	ID         string `json:"character_id"` // for [Bot.SendGroupAIRecord]
	Name       string `json:"character_name"`
	PreviewURL string `json:"preview_url"`
}

// UnmarshalJSON reads one element of what get_ai_characters gives.
func (x *AICharacters) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GuildInfo is a guild (频道) that the bot is in.
type GuildInfo struct {
	ID        string `json:"guild_id"`
	Name      string `json:"guild_name"`
	DisplayID string `json:"guild_display_id"`
}

// UnmarshalJSON reads one element of what get_guild_list gives.
func (x *GuildInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
