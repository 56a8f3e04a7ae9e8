package onebot

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// A Segment is one part of a message, such as text, a mention or a picture. Types without a builder here (onlinefile,
// miniapp, redbag, flash_file are only received) and unknown types keep all of their Data.
type Segment struct {
	Type string          // "text", "at", "image", …
	Data json.RawMessage // the parameters as a JSON object, as received; nil: none; do not modify it
}

// Text is plain text. It is never parsed as CQ code, so it may contain text from users.
func Text(s string) Segment { return build("text", "text", s) }

// At mentions a user.
func At(userID int64) Segment { return build("at", "qq", itoa(userID)) }

// AtAll mentions all members of the group.
func AtAll() Segment { return build("at", "qq", "all") }

// Reply quotes an earlier message of the same chat. Put it first.
func Reply(messageID int64) Segment { return build("reply", "id", itoa(messageID)) }

// Face is one of QQ's built-in faces.
func Face(id int64) Segment { return build("face", "id", itoa(id)) }

// Image is a picture. file is a received file name, a file:///… path on the implementation's machine, an http(s)://
// URL, or base64://… (see [FileFromPath] and [FileFromBytes]). [Segment.With] adds optional parameters: type "flash",
// summary, and for a URL cache, proxy and timeout.
func Image(file string) Segment { return build("image", "file", file) }

// Record is a voice message; file as in [Image].
func Record(file string) Segment { return build("record", "file", file) }

// Video is a short video; file as in [Image].
func Video(file string) Segment { return build("video", "file", file) }

// File is a file with a display name; file as in [Image]. An extension of NapCat, LLOneBot and Lagrange.
func File(file, name string) Segment { return build("file", "file", file, "name", name) }

// JSON is a card in QQ's JSON format.
func JSON(data string) Segment { return build("json", "data", data) }

// build returns a segment with string parameters, given as keys and values.
func build(typ string, pairs ...string) Segment {
	d := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			d = append(d, ',')
		}
		d = appendString(d, pairs[i])
		d = append(d, ':')
		d = appendString(d, pairs[i+1])
	}
	return Segment{Type: typ, Data: append(d, '}')}
}

// Param returns a parameter as text: the text of a string, the literal of a number or boolean, "" for null and for a
// missing parameter, and JSON for anything else.
func (s Segment) Param(key string) string { return rawText(member(s.Data, key)) }

// Int returns a parameter as a number, sent as a number or as a string; otherwise 0.
func (s Segment) Int(key string) int64 { return rawInt(member(s.Data, key)) }

// MarshalJSON returns {"type":…,"data":{…}}.
func (s Segment) MarshalJSON() ([]byte, error) { return s.appendJSON(nil), nil }

func (s Segment) appendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	b = appendString(b, s.Type)
	b = append(b, `,"data":`...)
	if len(s.Data) == 0 {
		return append(b, "{}}"...)
	}
	b = append(b, s.Data...)
	return append(b, '}')
}

// UnmarshalJSON decodes {"type":…,"data":…}; data may be missing or null.
func (s *Segment) UnmarshalJSON(b []byte) error {
	b = bytes.Clone(validText(b))
	d := decoder{b: b}
	seg, end := d.segment(skipSpace(b, 0), 0)
	if end < 0 || skipSpace(b, end) != len(b) {
		return errors.New("onebot: segment is not a JSON object")
	}
	*s = seg
	return nil
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. It replaces invalid UTF-8 by U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			if c >= utf8.RuneSelf {
				b = append(b, "\uFFFD"...)
			} else {
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
