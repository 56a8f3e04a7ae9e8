package onebot

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// FileFromBytes is a file's contents, for [Image], [Record], [Video], [File] and whatever else takes a file: base64://… .
// It goes to any implementation on any machine, at four thirds of its size.
func FileFromBytes(b []byte) string { return "base64://" + base64.StdEncoding.EncodeToString(b) }

// FileFromPath is a file on the implementation's machine: file:///… . A path that is not absolute is taken from this
// program's directory.
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

// With gives the segment with one more parameter, or another value for one that it has: what the builders leave out.
//
//	onebot.Image(url).With("summary", "[猫]").With("type", "flash")
//
// value is anything that encoding/json knows; a segment with one that it does not know cannot be sent. Implementations
// want strings for most.
func (s Segment) With(key string, value any) Segment {
	v, err := marshal(value)
	if err != nil {
		v = nil // no JSON
	}
	return Segment{Type: s.Type, Data: withMember(s.Data, key, v)}
}

// marshal is json.Marshal without escapes for HTML, as the rest of a message has none.
func marshal(value any) ([]byte, error) {
	if s, ok := value.(string); ok {
		return appendString(nil, s), nil
	}
	return json.Marshal(value)
}

// Raw is a segment of any type with any data that encoding/json makes an object of.
func Raw(typ string, data any) Segment {
	d, err := json.Marshal(data)
	if err != nil {
		d = []byte("!") // no JSON: it cannot be sent
	}
	return Segment{Type: typ, Data: slices.Clip(d)}
}

// RPS plays rock, paper, scissors; QQ chooses.
func RPS() Segment { return build("rps") }

// Dice throws a die; QQ throws.
func Dice() Segment { return build("dice") }

// Shake shakes a friend's window (shake). NapCat has none.
func Shake() Segment { return build("shake") }

// PokeSegment is a poke as a part of a message, of the many that QQ had: type "1", id "-1" is 戳一戳. To poke somebody
// see [Bot.SendPoke].
func PokeSegment(typ, id string) Segment { return build("poke", "type", typ, "id", id) }

// Anonymously lets the message be said with a mask in a group that allows it (anonymous); ignore says it without one where
// that fails. NapCat and LLBot have none.
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

// ContactUser recommends a person (contact with type qq).
func ContactUser(userID int64) Segment { return build("contact", "type", "qq", "id", itoa(userID)) }

// ContactGroup recommends a group (contact with type group).
func ContactGroup(groupID int64) Segment {
	return build("contact", "type", "group", "id", itoa(groupID))
}

// LocationAt is a place, in degrees (location with lat and lon); title and content may be "".
func LocationAt(lat, lon float64, title, content string) Segment {
	return build("location", pairs("lat", ftoa(lat), "lon", ftoa(lon), "title", title, "content", content)...)
}

// Music is a song of a service: "qq", "163" (NetEase) or "xm"; NapCat also has "kugou", "migu" and "kuwo".
func Music(service, id string) Segment { return build("music", "type", service, "id", id) }

// MusicCard is a song from anywhere (music with type custom): url is opened by a click, audio is played. content and
// image may be "".
func MusicCard(url, audio, title, content, image string) Segment {
	return build("music", pairs("type", "custom", "url", url, "audio", audio, "title", title, "content", content, "image", image)...)
}

// Forward is a forward that exists, by its id. To make one see [Bot.SendForwardMsg].
func Forward(id string) Segment { return build("forward", "id", id) }

// XML is a card in QQ's XML form, which QQ shows no more in many places.
func XML(data string) Segment { return build("xml", "data", data) }

// MarketFace is a sticker of QQ's shop (mface), by what came with one that was received: see [Segment.MarketSticker]. An
// extension.
func MarketFace(packageID int64, emojiID, key, summary string) Segment {
	return build("mface", "emoji_package_id", "", "emoji_id", emojiID, "key", key, "summary", summary).With("emoji_package_id", packageID)
}

// Markdown is text in Markdown (markdown). An extension; QQ lets few accounts send it outside of forwards.
func Markdown(content string) Segment { return build("markdown", "content", content) }

// Keyboard is rows of buttons (keyboard) below a message, as QQ's bots have them. An extension of LLBot and Lagrange.
func Keyboard(rows any) Segment { return Raw("keyboard", map[string]any{"rows": rows}) }

// TTS is text that QQ speaks (tts). An extension of go-cqhttp.
func TTS(text string) Segment { return build("tts", "text", text) }

// CardImage is a picture shown large (cardimage); file as in [Image]. An extension of go-cqhttp.
func CardImage(file string) Segment { return build("cardimage", "file", file) }

// Gift gives one of QQ's presents (gift) to a member of the group. An extension of go-cqhttp.
func Gift(userID int64, id string) Segment { return build("gift", "qq", itoa(userID), "id", id) }

// LongMsg is a message too long for one, by its id (longmsg). An extension of Lagrange.
func LongMsg(id string) Segment { return build("longmsg", "id", id) }

// FlashTransfer is a flash transfer (闪传) that exists (flashtransfer, by its fileSetId). An extension of NapCat; LLBot's is
// flash_file.
func FlashTransfer(fileSetID string) Segment { return build("flashtransfer", "fileSetId", fileSetID) }

// pairs leaves out what is "".
func pairs(kv ...string) []string {
	out := kv[:0]
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] != "" {
			out = append(out, kv[i], kv[i+1])
		}
	}
	return out
}
