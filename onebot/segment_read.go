package onebot

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The accessors below read parameters in the forms of all implementations. [Segment.Param] reads any parameter by its
// name.

// Mention returns the user of an at segment; all is true and id is 0 for a mention of all members. ok is false for
// other segments.
func (s Segment) Mention() (id int64, all, ok bool) {
	if s.Type != "at" {
		return 0, false, false
	}
	all = s.Param("qq") == "all"
	if !all {
		id = s.Int("qq")
	}
	return id, all, true
}

// QuotedID returns the id of the message quoted by a reply segment: compare it by [MessageKey]. ok is false for other
// segments and for a reply without an id.
func (s Segment) QuotedID() (messageID int64, ok bool) {
	if s.Type != "reply" || s.Param("id") == "" {
		return 0, false
	}
	return s.Int("id"), true
}

// Media is a received picture, voice message, video or file.
type Media struct {
	File    string `json:"file"`                          // file name, for [Bot.GetImage] and similar actions
	FileID  string `json:"file_id"`                       // for [Bot.GetFile] and [Bot.GetPrivateFileURL]; "": none
	Name    string `json:"name" alt:"fileName,file_name"` // display name of a file
	URL     string `json:"url"`                           // download URL, valid for a limited time; "" if unknown
	Path    string `json:"path"`                          // on the implementation's machine; "" if unknown
	Size    int64  `json:"file_size" alt:"fileSize,size"` // in bytes; 0 if unknown
	Summary string `json:"summary"`                       // of a picture: "[动画表情]", …
	SubType int64  `json:"sub_type" alt:"subType"`        // of a picture: 0 a photo, 1 a sticker, …
	Type    string `json:"type"`                          // of a picture: "flash", "show" or ""
	Thumb   string `json:"thumb" alt:"cover"`             // of a video
	Magic   bool   `json:"magic"`                         // of a voice message: voice changer used
	Key     string `json:"key"`                           // of a market face sent as a picture: see [Segment.MarketSticker]
	EmojiID string `json:"emoji_id"`
}

// Media reads an image, record, video, file, onlinefile or cardimage segment. ok is false for other segments. The
// parameters msgId, elementId and isDir of an onlinefile serve to accept or refuse it.
func (s Segment) Media() (m Media, ok bool) {
	switch s.Type {
	case "image", "record", "video", "file", "onlinefile", "cardimage":
		_ = s.read(&m)
		return m, true
	}
	return m, false
}

// IsSticker reports whether the segment is a market face or an image that is a sticker rather than a photo.
func (s Segment) IsSticker() bool {
	if s.Type == "mface" {
		return true
	}
	m, ok := s.Media()
	return ok && s.Type == "image" && (m.SubType == 1 || m.EmojiID != "" || m.Summary == "[动画表情]")
}

// MarketSticker is a sticker of QQ's store (商城表情).
type MarketSticker struct {
	PackageID int64  `json:"emoji_package_id"`
	EmojiID   string `json:"emoji_id"`
	Key       string `json:"key"`
	Summary   string `json:"summary"`
	URL       string `json:"url"`
}

// MarketSticker reads an mface segment, or the image that NapCat sends for one. ok is false for other segments.
func (s Segment) MarketSticker() (m MarketSticker, ok bool) {
	if s.Type != "mface" && s.Type != "image" {
		return m, false
	}
	_ = s.read(&m)
	return m, s.Type == "mface" || m.EmojiID != "" && m.Key != ""
}

// FaceID returns the id of a face segment. ok is false for other segments. An animated face may have the parameters
// resultId, chainCount, large and raw: see [Segment.Param].
func (s Segment) FaceID() (id int64, ok bool) { return s.Int("id"), s.Type == "face" }

// GameResult returns the result of a dice or rps segment (result or value): 1 to 6 for dice; for rps the number differs
// between implementations. It is 0 if unknown and for other segments.
func (s Segment) GameResult() int64 {
	if s.Type != "dice" && s.Type != "rps" {
		return 0
	}
	return cmp.Or(s.Int("result"), s.Int("value"))
}

// Location is a location sent by a user.
type Location struct {
	Lat     float64 `json:"lat"` // in degrees
	Lon     float64 `json:"lon"`
	Title   string  `json:"title"`
	Content string  `json:"content"`
}

// Location reads a location segment. ok is false for other segments.
func (s Segment) Location() (p Location, ok bool) {
	if s.Type != "location" {
		return p, false
	}
	_ = s.read(&p)
	return p, true
}

// CardData returns the data of a json, xml or miniapp segment: QQ's own JSON or XML. ok is false for other segments.
func (s Segment) CardData() (data string, ok bool) {
	switch s.Type {
	case "json", "xml", "miniapp":
		return s.Param("data"), true
	}
	return "", false
}

// ForwardID returns the id of a forward or longmsg segment, for [Bot.GetForwardMsg]. ok is false for other segments.
func (s Segment) ForwardID() (id string, ok bool) {
	if s.Type != "forward" && s.Type != "longmsg" {
		return "", false
	}
	return s.Param("id"), true
}

// read decodes the parameters named by v's json tags.
func (s Segment) read(v any) error {
	if len(s.Data) == 0 {
		return nil
	}
	return lenient.Unmarshal(s.Data, v)
}

func ftoa(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', -1, 64), ".")
}
