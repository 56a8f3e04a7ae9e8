package modeljson

import (
	"strings"
	"unicode/utf8"
)

// asciiOf maps full-width punctuation to JSON's own, outside of strings.
var asciiOf = map[rune]byte{'｛': '{', '｝': '}', '［': '[', '］': ']', '【': '[', '】': ']', '：': ':', '，': ',', '、': ','}

// wideQuotes open and close strings like ".
const wideQuotes = "“”＂„‟"

// normalize rewrites the object at the start of text as JSON and returns its length in text. Without a closing brace the
// object is all of text. The result may be invalid; the JSON decoder reports that.
func normalize(text string) (object []byte, n int) {
	depth := 0
	comma := -1 // position of the last comma in object; -1 if the last token is not a comma
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
			if comma >= 0 { // trailing comma
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

// appendString appends the string at the start of text and returns its length in text. A string that begins with a
// wide quote ends with a wide quote.
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
			} // otherwise drop the backslash, as in Markdown
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
