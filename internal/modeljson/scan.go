package modeljson

import (
	"strings"
	"unicode/utf8"
)

// asciiOf are the full-width marks that stand for JSON's own outside of strings.
var asciiOf = map[rune]byte{'｛': '{', '｝': '}', '［': '[', '］': ']', '【': '[', '】': ']', '：': ':', '，': ',', '、': ','}

// wideQuotes open and close strings as " does.
const wideQuotes = "“”＂„‟"

// strict rewrites the object that text begins with as JSON has it, and returns how long it is in text. Where it has
// no end, all of text is it. It need not be valid: the JSON decoder finds that out.
func strict(text string) (object []byte, n int) {
	depth := 0
	comma := -1 // where in object the last mark was a comma
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r == '"' || strings.ContainsRune(wideQuotes, r) {
			object, size = appendString(object, text[n:])
			comma = -1
			n += size
			continue
		}
		n += size
		if c, wide := asciiOf[r]; wide {
			r = rune(c)
		}
		switch r {
		case ' ', '\t', '\n', '\r', '\u3000', '\u00a0':
			r = ' '
		case ',':
			comma = len(object)
		case '{', '[':
			depth++
			comma = -1
		case '}', ']':
			depth--
			if comma >= 0 { // one too many
				object = object[:comma]
			}
			comma = -1
		default:
			comma = -1
		}
		if object = utf8.AppendRune(object, r); depth == 0 {
			break
		}
	}
	return object, n
}

// appendString appends the string that text begins with, and returns how long it is in text. One that begins with a wide
// quote ends with one.
func appendString(object []byte, text string) ([]byte, int) {
	first, n := utf8.DecodeRuneInString(text)
	wide := first != '"'
	object = append(object, '"')
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		n += size
		switch {
		case r == '"' && !wide, wide && strings.ContainsRune(wideQuotes, r):
			return append(object, '"'), n
		case r == '"':
			object = append(object, '\\', '"')
		case r == '\\' && n < len(text):
			if strings.IndexByte(`"\/bfnrtu`, text[n]) >= 0 {
				object = append(object, '\\', text[n])
				n++
			} // else it escapes what needs no escape, as in Markdown
		case r == '\n':
			object = append(object, `\n`...)
		case r < ' ':
			object = append(object, ' ')
		default:
			object = utf8.AppendRune(object, r)
		}
	}
	return object, n
}
