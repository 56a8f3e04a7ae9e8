package onebot

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The results below decode themselves, because implementations send ids as numbers or strings and omit unknown
// values. Unknown values are zero. The tags are the names in the protocol.

// LoginInfo is the bot's account.
type LoginInfo struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
}

// UnmarshalJSON decodes the result of get_login_info.
func (x *LoginInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Status is the state of the implementation.
type Status struct {
	Online bool            `json:"online"` // the account is logged in to QQ; false also if unknown
	Good   bool            `json:"good"`   // the implementation's own verdict on its health
	Raw    json.RawMessage `json:"-"`      // the whole result
}

// UnmarshalJSON decodes the result of get_status.
func (x *Status) UnmarshalJSON(b []byte) error {
	x.Raw = bytes.Clone(b)
	return lenient.Unmarshal(b, x)
}

// VersionInfo is the name and version of the implementation.
type VersionInfo struct {
	AppName         string          `json:"app_name"` // "NapCat.Onebot", "LLOneBot", "Lagrange.OneBot", "go-cqhttp", …
	AppVersion      string          `json:"app_version"`
	ProtocolVersion string          `json:"protocol_version"` // "v11"
	Raw             json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes the result of get_version_info.
func (x *VersionInfo) UnmarshalJSON(b []byte) error {
	x.Raw = bytes.Clone(b)
	return lenient.Unmarshal(b, x)
}

// StrangerInfo is the profile of any user.
type StrangerInfo struct {
	UserID     int64     `json:"user_id"`
	Nickname   string    `json:"nickname"`
	Sex        string    `json:"sex"` // "male", "female", "unknown"
	Age        int64     `json:"age"`
	QID        string    `json:"qid"`                                 // from here on extensions
	Level      int64     `json:"qqLevel" alt:"level,qq_level"`        // of the account
	LongNick   string    `json:"long_nick" alt:"longNick,sign"`       // 个性签名
	Registered time.Time `json:"reg_time" alt:"RegisterTime,regTime"` // zero if unknown
	LoginDays  int64     `json:"login_days"`
	Remark     string    `json:"remark"`
}

// UnmarshalJSON decodes the result of get_stranger_info.
func (x *StrangerInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Friend is a friend of the bot.
type Friend struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
	Remark   string `json:"remark"` // the bot's private remark for the friend
}

// UnmarshalJSON decodes one element of the result of get_friend_list.
func (x *Friend) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupInfo is a group.
type GroupInfo struct {
	GroupID    int64  `json:"group_id"`
	Name       string `json:"group_name"`
	Members    int64  `json:"member_count"`                   // current number of members
	MaxMembers int64  `json:"max_member_count"`               // largest number of members
	Remark     string `json:"group_remark" alt:"remark_name"` // the bot's private remark for the group; an extension
}

// UnmarshalJSON decodes the result of get_group_info, or one element of the result of get_group_list.
func (x *GroupInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupMember is a member of a group.
type GroupMember struct {
	GroupID        int64     `json:"group_id"`
	UserID         int64     `json:"user_id"`
	Nickname       string    `json:"nickname"`
	Card           string    `json:"card"`
	Sex            string    `json:"sex"`
	Area           string    `json:"area"`
	Level          string    `json:"level"`
	Role           string    `json:"role"` // "owner", "admin", "member"
	Title          string    `json:"title"`
	Age            int64     `json:"age"`
	Joined         time.Time `json:"join_time"`         // zero if unknown
	LastSent       time.Time `json:"last_sent_time"`    // zero if unknown
	TitleExpires   time.Time `json:"title_expire_time"` // zero if it does not expire or if unknown
	MutedUntil     time.Time `json:"shut_up_timestamp"` // an extension; zero if unknown
	Unfriendly     bool      `json:"unfriendly"`        // has a bad record
	CardChangeable bool      `json:"card_changeable"`   // the bot may change the card
	Robot          bool      `json:"is_robot"`          // one of QQ's official bots; an extension
}

// Name returns the name shown to others: the card, or the nickname if there is no card.
func (x GroupMember) Name() string { return cmp.Or(x.Card, x.Nickname) }

// UnmarshalJSON decodes the result of get_group_member_info, or one element of the result of get_group_member_list.
func (x *GroupMember) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// FileInfo is a file fetched by the implementation.
type FileInfo struct {
	File   string `json:"file"` // path on the implementation's machine
	URL    string `json:"url"`  // from here on extensions
	Name   string `json:"file_name" alt:"filename"`
	Size   int64  `json:"file_size" alt:"size"` // in bytes
	Base64 string `json:"base64"`               // the content, if the implementation is configured to send it
}

// UnmarshalJSON decodes the results of get_image, get_record, get_file and download_file.
func (x *FileInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Credentials give access to QQ's web pages as the account. They are secrets: never log them.
type Credentials struct {
	Cookies   string `json:"cookies"`
	CSRFToken int64  `json:"csrf_token" alt:"token,bkn"`
}

// UnmarshalJSON decodes the results of get_credentials, get_cookies and get_csrf_token.
func (x *Credentials) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// HonorInfo lists the holders of a group's honor titles. Lists that were not requested are nil.
type HonorInfo struct {
	GroupID       int64         `json:"group_id"`
	Talkative     *HonorMember  `json:"current_talkative"` // today's 龙王; nil if there is none
	Talkatives    []HonorMember `json:"talkative_list"`
	Performers    []HonorMember `json:"performer_list"`     // 群聊之火
	Legends       []HonorMember `json:"legend_list"`        // 群聊炽焰
	StrongNewbies []HonorMember `json:"strong_newbie_list"` // 冒尖小春笋
	Emotions      []HonorMember `json:"emotion_list"`       // 快乐之源
}

// HonorMember is a current or former holder of a title.
type HonorMember struct {
	UserID      int64  `json:"user_id"`
	Nickname    string `json:"nickname"`
	Avatar      string `json:"avatar"`      // URL
	Description string `json:"description"` // "" for Talkative
	Days        int64  `json:"day_count"`   // for Talkative: number of days
}

// UnmarshalJSON decodes the result of get_group_honor_info.
func (x *HonorInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// sentMessage is the id in the result of a send.
type sentMessage struct{ ID int64 }

func (x *sentMessage) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return errors.New("onebot: result of a send is not a JSON object")
	}
	x.ID = rawInt(member(b, "message_id"))
	return nil
}
