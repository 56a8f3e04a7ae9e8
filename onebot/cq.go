package onebot

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxSegments is the largest number of segments in a message. Real messages have a few dozen.
const maxSegments = 10_000

// ParseCQ parses the string form of a message. In it, segments other than text are written as [CQ:type,key=value,…].
// It never fails: a code in any other form is text. Examples are a code without a closing bracket, a parameter
// without "=", and a name with characters other than letters, digits, "-", "_" and ".". After 10 000 segments, the
// rest of the string is text. The time is proportional to the length of s.
//
// Parse only strings that an implementation sent as CQ code. Text typed by users is not CQ code.
func ParseCQ(s string) Message { return (&codeScanner{s: s}).message() }

// A codeScanner parses the codes in s from left to right. Malformed codes may start inside each other: then they share
// the closing bracket and the last parameters. The scanner remembers both, so that it reads them once.
type codeScanner struct {
	s    string
	end  int // the first "]" behind the latest code; len(s) if there is none
	bad  int // start of the latest malformed parameter
	read int // bytes searched so far: at most a small multiple of len(s)
}

func (c *codeScanner) message() Message {
	var m Message
	var text []byte // text since the last segment
	flush := func() {
		if len(text) > 0 {
			m = append(m, Text(string(text)))
			text = text[:0]
		}
	}
	s := c.s
	for i := 0; i < len(s); {
		at := strings.Index(s[i:], "[CQ:")
		if at < 0 || len(m) >= maxSegments {
			text = appendUnescaped(text, s[i:])
			break
		}
		text = appendUnescaped(text, s[i:i+at])
		i += at
		seg, end, ok := c.code(i)
		switch {
		case !ok:
			text = append(text, '[')
			end = i + 1
		case seg.Type == "text":
			text = append(text, seg.Param("text")...)
		default:
			flush()
			m = append(m, seg)
		}
		i = end
	}
	flush()
	return m
}

// code parses the code at i; end is the index behind it.
func (c *codeScanner) code(i int) (seg Segment, end int, ok bool) {
	if c.end <= i {
		if n := strings.IndexByte(c.s[i:], ']'); n >= 0 {
			c.end = i + n
		} else {
			c.end = len(c.s)
		}
		c.read += c.end - i
	}
	from := i + len("[CQ:")
	comma := from + nameLength(c.s[from:])
	c.read += comma - from
	if c.end == len(c.s) || comma == from || comma != c.end && c.s[comma] != ',' || !c.wellFormed(comma) {
		return seg, 0, false
	}
	var pairs []string
	if comma < c.end {
		for param := range strings.SplitSeq(c.s[comma+1:c.end], ",") {
			key, value, _ := strings.Cut(param, "=")
			pairs = setPair(pairs, key, string(appendUnescaped(nil, value)))
		}
	}
	return build(c.s[from:comma], pairs...), c.end + 1, true
}

// wellFormed reports whether all parameters from the comma to c.end are key=value.
func (c *codeScanner) wellFormed(comma int) bool {
	if c.bad > comma {
		return false
	}
	for at := comma; at < c.end; {
		start := at + 1
		if at = c.end; start < c.end {
			if n := strings.IndexByte(c.s[start:c.end], ','); n >= 0 {
				at = start + n
			}
		}
		c.read += at - start
		if n := nameLength(c.s[start:at]); n == 0 || start+n == at || c.s[start+n] != '=' {
			c.bad = start
			return false
		}
	}
	return true
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

// nameLength returns the length of the name at the start of s; 0 if there is none.
func nameLength(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return i
		}
	}
	return len(s)
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
