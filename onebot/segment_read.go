package onebot

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The accessors below read a segment's parameters in the forms of all implementations. [Segment.Param] reads any
// parameter by its name.

// Mention gives whom an at mentions: all is true and id 0 for everybody. ok is false for other segments.
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

// QuotedID gives the id of the message that a reply quotes: compare it by [MessageKey]. ok is false for other segments
// and for a reply that tells none.
func (s Segment) QuotedID() (messageID int64, ok bool) {
	if s.Type != "reply" || s.Param("id") == "" {
		return 0, false
	}
	return s.Int("id"), true
}

// Media is a picture, voice message, video or file, as it was received.
type Media struct {
	File    string `json:"file"`                          // the name, for [Bot.GetImage] and its like
	FileID  string `json:"file_id"`                       // for [Bot.GetFile] and [Bot.GetPrivateFileURL]; "" where there is none
	Name    string `json:"name" alt:"fileName,file_name"` // of a file: what it is called
	URL     string `json:"url"`                           // where to fetch it, for a time; "" where not told
	Path    string `json:"path"`                          // on the implementation's machine; "" where not told
	Size    int64  `json:"file_size" alt:"fileSize,size"` // in bytes; 0 where not told
	Summary string `json:"summary"`                       // of a picture: "[动画表情]", …
	SubType int64  `json:"sub_type" alt:"subType"`        // of a picture: 0 a photo, 1 a sticker, …
	Type    string `json:"type"`                          // of a picture: "flash", "show", else ""
	Thumb   string `json:"thumb" alt:"cover"`             // of a video
	Magic   bool   `json:"magic"`                         // of a voice message: the voice was changed
	Key     string `json:"key"`                           // of a market face that comes as a picture: see [Segment.MarketSticker]
	EmojiID string `json:"emoji_id"`
}

// Media reads an image, record, video, file, onlinefile or cardimage. ok is false for other segments. What an
// onlinefile is taken or refused by is in its parameters msgId, elementId and isDir.
func (s Segment) Media() (m Media, ok bool) {
	switch s.Type {
	case "image", "record", "video", "file", "onlinefile", "cardimage":
		_ = s.read(&m)
		return m, true
	}
	return m, false
}

// IsSticker tells whether an image is a sticker rather than a photo, or the segment a market face.
func (s Segment) IsSticker() bool {
	if s.Type == "mface" {
		return true
	}
	m, ok := s.Media()
	return ok && s.Type == "image" && (m.SubType == 1 || m.EmojiID != "" || m.Summary == "[动画表情]")
}

// MarketSticker is a sticker of QQ's shop.
type MarketSticker struct {
	PackageID int64  `json:"emoji_package_id"`
	EmojiID   string `json:"emoji_id"`
	Key       string `json:"key"`
	Summary   string `json:"summary"`
	URL       string `json:"url"`
}

// MarketSticker reads an mface, or the image that NapCat makes of one. ok is false for other segments.
func (s Segment) MarketSticker() (m MarketSticker, ok bool) {
	if s.Type != "mface" && s.Type != "image" {
		return m, false
	}
	_ = s.read(&m)
	return m, s.Type == "mface" || m.EmojiID != "" && m.Key != ""
}

// FaceID gives the number of a face. ok is false for other segments. A face that plays may have parameters resultId,
// chainCount, large and raw: see [Segment.Param].
func (s Segment) FaceID() (id int64, ok bool) { return s.Int("id"), s.Type == "face" }

// GameResult gives what was thrown or shown (result or value): 1 to 6 of a dice, of an rps a number that implementations
// choose. It is 0 where they do not tell, and for other segments.
func (s Segment) GameResult() int64 {
	if s.Type != "dice" && s.Type != "rps" {
		return 0
	}
	return cmp.Or(s.Int("result"), s.Int("value"))
}

// Location is where somebody is.
type Location struct {
	Lat     float64 `json:"lat"` // in degrees
	Lon     float64 `json:"lon"`
	Title   string  `json:"title"`
	Content string  `json:"content"`
}

// Location reads a location. ok is false for other segments.
func (s Segment) Location() (p Location, ok bool) {
	if s.Type != "location" {
		return p, false
	}
	_ = s.read(&p)
	return p, true
}

// CardData gives the text of a json, xml or miniapp: JSON or XML of QQ's. ok is false for other segments.
func (s Segment) CardData() (data string, ok bool) {
	switch s.Type {
	case "json", "xml", "miniapp":
		return s.Param("data"), true
	}
	return "", false
}

// ForwardID gives the id that [Bot.GetForwardMsg] opens a forward or longmsg by. ok is false for other segments.
func (s Segment) ForwardID() (id string, ok bool) {
	if s.Type != "forward" && s.Type != "longmsg" {
		return "", false
	}
	return s.Param("id"), true
}

// read reads the parameters that v's json tags name.
func (s Segment) read(v any) error {
	if len(s.Data) == 0 {
		return nil
	}
	return lenient.Unmarshal(s.Data, v)
}

func ftoa(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', -1, 64), ".")
}
