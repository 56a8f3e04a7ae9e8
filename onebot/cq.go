package onebot

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ParseCQ parses the string form of a message. In it, segments other than text are written as [CQ:type,key=value,…].
// It never fails: a code in any other form is text. Examples are a code without a closing bracket, a parameter
// without "=", and a name with characters other than letters, digits, "-", "_" and ".".
//
// Parse only strings that an implementation sent as CQ code. Text typed by users is not CQ code.
func ParseCQ(s string) Message {
	var m Message
	var text []byte // text since the last segment
	flush := func() {
		if len(text) > 0 {
			m = append(m, Text(string(text)))
			text = text[:0]
		}
	}
	for s != "" {
		at := strings.Index(s, "[CQ:")
		if at < 0 {
			at = len(s)
		}
		text = appendUnescaped(text, s[:at])
		if s = s[at:]; s == "" {
			break
		}
		seg, n, ok := parseCode(s)
		switch {
		case !ok:
			text = append(text, '[')
			n = 1
		case seg.Type == "text":
			text = append(text, seg.Param("text")...)
		default:
			flush()
			m = append(m, seg)
		}
		s = s[n:]
	}
	flush()
	return m
}

// parseCode parses the code at the start of s; n is its length.
func parseCode(s string) (seg Segment, n int, ok bool) {
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return seg, 0, false
	}
	typ, rest, more := strings.Cut(s[len("[CQ:"):end], ",")
	if !isName(typ) {
		return seg, 0, false
	}
	var pairs []string
	for more {
		var param string
		param, rest, more = strings.Cut(rest, ",")
		key, value, found := strings.Cut(param, "=")
		if !found || !isName(key) {
			return seg, 0, false
		}
		pairs = setPair(pairs, key, string(appendUnescaped(nil, value)))
	}
	return build(typ, pairs...), end + 1, true
}

// setPair appends a key and its value. Of a repeated key the last value counts.
func setPair(pairs []string, key, value string) []string {
	if len(pairs) <= 64 { // no real code has more parameters; searching them would be quadratic
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				pairs[i+1] = value
				return pairs
			}
		}
	}
	return append(pairs, key, value)
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != ""
}

// appendUnescaped decodes the four escapes in one pass, so that &amp;#91; becomes &#91;. Commas in text need no
// escape, but some implementations escape them.
func appendUnescaped(b []byte, s string) []byte {
	for {
		at := strings.IndexByte(s, '&')
		if at < 0 {
			return append(b, s...)
		}
		b, s = append(b, s[:at]...), s[at:]
		switch {
		case strings.HasPrefix(s, "&amp;"):
			b, s = append(b, '&'), s[5:]
		case strings.HasPrefix(s, "&#91;"):
			b, s = append(b, '['), s[5:]
		case strings.HasPrefix(s, "&#93;"):
			b, s = append(b, ']'), s[5:]
		case strings.HasPrefix(s, "&#44;"):
			b, s = append(b, ','), s[5:]
		default:
			b, s = append(b, '&'), s[1:]
		}
	}
}

// Escapes for text and for parameters.
var (
	textEscaped  = strings.NewReplacer("&", "&amp;", "[", "&#91;", "]", "&#93;")
	paramEscaped = strings.NewReplacer("&", "&amp;", "[", "&#91;", "]", "&#93;", ",", "&#44;")
)

// CQ returns the message in its string form. Keys keep their order. Parameters that are null are omitted. Objects and
// arrays are written as JSON.
func (m Message) CQ() string {
	var b []byte
	for _, s := range m {
		if s.Type == "text" {
			b = append(b, textEscaped.Replace(s.Param("text"))...)
			continue
		}
		b = append(append(b, "[CQ:"...), paramEscaped.Replace(s.Type)...)
		f := openObject(s.Data, skipSpace(s.Data, 0), 0)
		for f.next() {
			key := f.key()
			raw := f.raw()
			if string(raw) == "null" {
				continue
			}
			b = append(append(b, ','), paramEscaped.Replace(asString(key))...)
			b = append(append(b, '='), paramEscaped.Replace(compact(raw))...)
		}
		b = append(b, ']')
	}
	return string(b)
}

// compact returns the text of a parameter; objects and arrays as JSON without spaces.
func compact(raw []byte) string {
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			return b.String()
		}
	}
	return rawText(raw)
}
