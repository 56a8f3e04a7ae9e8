package onebot

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The results below decode themselves, because implementations send ids as numbers and as strings and leave out
// what they do not know: that is zero here. Their tags name the members on the wire.

// LoginInfo is who the bot is.
type LoginInfo struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
}

// UnmarshalJSON reads what get_login_info gives.
func (x *LoginInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Status is how the implementation does.
type Status struct {
	Online bool            `json:"online"` // the account is logged in to QQ; false also when unknown
	Good   bool            `json:"good"`   // the implementation thinks that all is well
	Raw    json.RawMessage `json:"-"`      // all that it said
}

// UnmarshalJSON reads what get_status gives.
func (x *Status) UnmarshalJSON(b []byte) error {
	x.Raw = bytes.Clone(b)
	return lenient.Unmarshal(b, x)
}

// VersionInfo is which implementation it is.
type VersionInfo struct {
	AppName         string          `json:"app_name"` // "NapCat.Onebot", "LLOneBot", "Lagrange.OneBot", "go-cqhttp", …
	AppVersion      string          `json:"app_version"`
	ProtocolVersion string          `json:"protocol_version"` // "v11"
	Raw             json.RawMessage `json:"-"`
}

// UnmarshalJSON reads what get_version_info gives.
func (x *VersionInfo) UnmarshalJSON(b []byte) error {
	x.Raw = bytes.Clone(b)
	return lenient.Unmarshal(b, x)
}

// StrangerInfo is what is known of anybody.
type StrangerInfo struct {
	UserID     int64     `json:"user_id"`
	Nickname   string    `json:"nickname"`
	Sex        string    `json:"sex"` // "male", "female", "unknown"
	Age        int64     `json:"age"`
	QID        string    `json:"qid"`                                 // the rest is an extension
	Level      int64     `json:"qqLevel" alt:"level,qq_level"`        // of the account
	LongNick   string    `json:"long_nick" alt:"longNick,sign"`       // 个性签名
	Registered time.Time `json:"reg_time" alt:"RegisterTime,regTime"` // zero when not told
	LoginDays  int64     `json:"login_days"`
	Remark     string    `json:"remark"`
}

// UnmarshalJSON reads what get_stranger_info gives.
func (x *StrangerInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Friend is one of the bot's friends.
type Friend struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
	Remark   string `json:"remark"` // the bot's own name for the friend
}

// UnmarshalJSON reads one element of what get_friend_list gives.
func (x *Friend) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// GroupInfo is a group.
type GroupInfo struct {
	GroupID    int64  `json:"group_id"`
	Name       string `json:"group_name"`
	Members    int64  `json:"member_count"`                   // how many there are
	MaxMembers int64  `json:"max_member_count"`               // how many there may be
	Remark     string `json:"group_remark" alt:"remark_name"` // the bot's own name for the group; an extension
}

// UnmarshalJSON reads what get_group_info gives, or one element of get_group_list.
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
	Joined         time.Time `json:"join_time"`         // zero when not told
	LastSent       time.Time `json:"last_sent_time"`    // zero when not told
	TitleExpires   time.Time `json:"title_expire_time"` // zero when it does not, or when not told
	MutedUntil     time.Time `json:"shut_up_timestamp"` // an extension; zero when not told
	Unfriendly     bool      `json:"unfriendly"`        // has a bad record
	CardChangeable bool      `json:"card_changeable"`   // the bot may change the card
	Robot          bool      `json:"is_robot"`          // one of QQ's own bots; an extension
}

// Name is how others see the member: the card where there is one, else the nickname.
func (x GroupMember) Name() string { return cmp.Or(x.Card, x.Nickname) }

// UnmarshalJSON reads what get_group_member_info gives, or one element of get_group_member_list.
func (x *GroupMember) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// FileInfo is a file that an implementation fetched for the bot.
type FileInfo struct {
	File   string `json:"file"` // a path on the implementation's machine
	URL    string `json:"url"`  // from here on extensions
	Name   string `json:"file_name" alt:"filename"`
	Size   int64  `json:"file_size" alt:"size"` // in bytes
	Base64 string `json:"base64"`               // the contents, where the implementation was told to send them
}

// UnmarshalJSON reads what get_image, get_record, get_file and download_file give.
func (x *FileInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// Credentials open QQ's web pages as the account. They are secrets: never log them.
type Credentials struct {
	Cookies   string `json:"cookies"`
	CSRFToken int64  `json:"csrf_token" alt:"token,bkn"`
}

// UnmarshalJSON reads what get_credentials gives, or get_cookies and get_csrf_token.
func (x *Credentials) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// HonorInfo is who holds the titles of a group. Lists that were not asked for are nil.
type HonorInfo struct {
	GroupID       int64         `json:"group_id"`
	Talkative     *HonorMember  `json:"current_talkative"` // 龙王 of today; nil when there is none
	Talkatives    []HonorMember `json:"talkative_list"`
	Performers    []HonorMember `json:"performer_list"`     // 群聊之火
	Legends       []HonorMember `json:"legend_list"`        // 群聊炽焰
	StrongNewbies []HonorMember `json:"strong_newbie_list"` // 冒尖小春笋
	Emotions      []HonorMember `json:"emotion_list"`       // 快乐之源
}

// HonorMember is one who holds or held a title.
type HonorMember struct {
	UserID      int64  `json:"user_id"`
	Nickname    string `json:"nickname"`
	Avatar      string `json:"avatar"`      // URL
	Description string `json:"description"` // "" for Talkative
	Days        int64  `json:"day_count"`   // for Talkative: for how many days
}

// UnmarshalJSON reads what get_group_honor_info gives.
func (x *HonorInfo) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// sentMessage is the id that sending gives.
type sentMessage struct{ ID int64 }

func (x *sentMessage) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return errors.New("onebot: sent message is no JSON object")
	}
	x.ID = rawInt(member(b, "message_id"))
	return nil
}
