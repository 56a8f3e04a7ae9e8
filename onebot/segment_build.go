package onebot

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// FileFromBytes returns the content of a file as base64://… for [Image], [Record], [Video], [File] and other file
// parameters. It works with any implementation on any machine. The size grows by a third.
func FileFromBytes(b []byte) string { return "base64://" + base64.StdEncoding.EncodeToString(b) }

// FileFromPath returns a file:///… URL of a file on the implementation's machine. A relative path is resolved in this
// program's working directory.
func FileFromPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// With returns the segment with one parameter added or replaced.
//
//	onebot.Image(url).With("summary", "[猫]").With("type", "flash")
//
// value must be supported by encoding/json; otherwise the segment cannot be sent. Implementations expect strings for
// most parameters.
func (s Segment) With(key string, value any) Segment {
	v, err := marshal(value)
	if err != nil {
		v = nil // not JSON
	}
	return Segment{Type: s.Type, Data: withMember(s.Data, key, v)}
}

// marshal is json.Marshal without HTML escapes for strings.
func marshal(value any) ([]byte, error) {
	if s, ok := value.(string); ok {
		return appendString(nil, s), nil
	}
	return json.Marshal(value)
}

// Raw is a segment of any type. data must marshal to a JSON object.
func Raw(typ string, data any) Segment {
	d, err := json.Marshal(data)
	if err != nil {
		d = []byte("!") // not JSON: it cannot be sent
	}
	return Segment{Type: typ, Data: slices.Clip(d)}
}

// RPS plays rock, paper, scissors; QQ chooses the result.
func RPS() Segment { return build("rps") }

// Dice rolls a die; QQ chooses the result.
func Dice() Segment { return build("dice") }

// Shake shakes a friend's window (shake). NapCat does not support it.
func Shake() Segment { return build("shake") }

// PokeSegment is a poke as a part of a message; type "1" with id "-1" is 戳一戳. To poke a user see [Bot.SendPoke].
func PokeSegment(typ, id string) Segment { return build("poke", "type", typ, "id", id) }

// Anonymously sends the message anonymously in a group that allows it (anonymous). With ignore, the message is sent under
// the bot's name if that fails. NapCat and LLBot do not support it.
func Anonymously(ignore bool) Segment {
	v := "0"
	if ignore {
		v = "1"
	}
	return build("anonymous", "ignore", v)
}

// Share is a link as a card; content and image may be "".
func Share(url, title, content, image string) Segment {
	return build("share", pairs("url", url, "title", title, "content", content, "image", image)...)
}

// ContactUser recommends a user (contact with type qq).
func ContactUser(userID int64) Segment { return build("contact", "type", "qq", "id", itoa(userID)) }

// ContactGroup recommends a group (contact with type group).
func ContactGroup(groupID int64) Segment {
	return build("contact", "type", "group", "id", itoa(groupID))
}

// LocationAt is a location in degrees (location with lat and lon); title and content may be "".
func LocationAt(lat, lon float64, title, content string) Segment {
	return build("location", pairs("lat", ftoa(lat), "lon", ftoa(lon), "title", title, "content", content)...)
}

// Music is a song of a music service: "qq", "163" (NetEase) or "xm"; NapCat also supports "kugou", "migu" and "kuwo".
func Music(service, id string) Segment { return build("music", "type", service, "id", id) }

// MusicCard is a song from anywhere (music with type custom). A click opens url; audio is played. content and image
// may be "".
func MusicCard(url, audio, title, content, image string) Segment {
	return build("music", pairs("type", "custom", "url", url, "audio", audio, "title", title, "content", content, "image", image)...)
}

// Forward is an existing merged forward by its id. To send a new one see [Bot.SendForwardMsg].
func Forward(id string) Segment { return build("forward", "id", id) }

// XML is a card in QQ's XML format. Many QQ clients no longer show it.
func XML(data string) Segment { return build("xml", "data", data) }

// MarketFace is a sticker of QQ's store (商城表情, mface). Take the parameters from a received one: see [Segment.MarketSticker].
// An extension.
func MarketFace(packageID int64, emojiID, key, summary string) Segment {
	return build("mface", "emoji_package_id", "", "emoji_id", emojiID, "key", key, "summary", summary).With("emoji_package_id", packageID)
}

// Markdown is text in Markdown (markdown). An extension. Outside merged forwards, QQ allows it for few accounts.
func Markdown(content string) Segment { return build("markdown", "content", content) }

// Keyboard is rows of buttons (keyboard) below a message, as in QQ's official bots. An extension of LLBot and
// Lagrange.
func Keyboard(rows any) Segment { return Raw("keyboard", map[string]any{"rows": rows}) }

// TTS is text that QQ reads aloud (tts). An extension of go-cqhttp.
func TTS(text string) Segment { return build("tts", "text", text) }

// CardImage is a large picture (cardimage); file as in [Image]. An extension of go-cqhttp.
func CardImage(file string) Segment { return build("cardimage", "file", file) }

// Gift sends one of QQ's gifts (gift) to a member of the group. An extension of go-cqhttp.
func Gift(userID int64, id string) Segment { return build("gift", "qq", itoa(userID), "id", id) }

// LongMsg is a long message by its id (longmsg). An extension of Lagrange.
func LongMsg(id string) Segment { return build("longmsg", "id", id) }

// FlashTransfer is an existing flash transfer (闪传) by its fileSetId (flashtransfer). An extension of NapCat; LLBot
// has flash_file.
func FlashTransfer(fileSetID string) Segment { return build("flashtransfer", "fileSetId", fileSetID) }

// pairs removes pairs with an empty value.
func pairs(kv ...string) []string {
	out := kv[:0]
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] != "" {
			out = append(out, kv[i], kv[i+1])
		}
	}
	return out
}
