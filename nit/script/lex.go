package script

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/escape"
)

type kind uint8

const (
	end kind = iota
	word
	variable
	text
	number
	async
	equals
	open
	close_
	openList
	closeList
	comma
	openObject // from here on: strict only
	closeObject
	colon
	semicolon
)

var kinds = [...]string{
	"the end", "a name", "a variable", "a string", "a number", `"async"`, `"="`, `"("`, `")"`, `"["`, `"]"`, `","`,
	`"{"`, `"}"`, `":"`, `";"`,
}

func (k kind) String() string { return kinds[k] }

// A token is a piece of a script.
type token struct {
	kind kind
	pos  int    // of its first byte
	text string // name, or what a string says
	num  any    // int64, *big.Int or float64
}

// A lexer cuts a script into tokens.
type lexer struct {
	src    string
	pos    int
	strict bool
	limits Limits
}

func (l *lexer) fail(pos int, format string, args ...any) *Error {
	return fault(StageLex, l.src, pos, fmt.Sprintf(format, args...))
}

// peek gives the next character and its length in bytes; 0 bytes at the end. A byte that is not UTF-8 is U+FFFD.
func (l *lexer) peek() (rune, int) {
	if l.pos == len(l.src) {
		return 0, 0
	}
	if c := l.src[l.pos]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(l.src[l.pos:])
}

// ascii are the tokens of one ASCII character.
var ascii = [utf8.RuneSelf]kind{
	'=': equals, '(': open, ')': close_, '[': openList, ']': closeList, ',': comma,
	'{': openObject, '}': closeObject, ':': colon, ';': semicolon,
}

// next gives the next token; after the last it gives the end, again and again.
func (l *lexer) next() (token, *Error) {
	for {
		for l.pos < len(l.src) && l.src[l.pos] == ' ' {
			l.pos++
		}
		r, size := l.peek()
		switch {
		case size == 0:
			return token{kind: end, pos: l.pos}, nil
		case space(r):
			l.pos += size
		case r == '#':
			l.comment()
		case r < utf8.RuneSelf && ascii[r] != end && (l.strict || ascii[r] < openObject):
			l.pos++
			return token{kind: ascii[r], pos: l.pos - 1}, nil
		case r == '$':
			start := l.pos
			l.pos++
			return token{kind: variable, pos: start, text: l.name(false)}, nil
		case nameStart(r):
			t := token{kind: word, pos: l.pos}
			if t.text = l.name(l.strict); t.text == "async" {
				t.kind = async
			}
			return t, nil
		case r == '"' || r == '\'':
			return l.string(byte(r))
		case digit(r) || r == '-' && l.strict && l.digitAfter(1):
			return l.number()
		default:
			return token{}, l.fail(l.pos, "unexpected character %q", r)
		}
	}
}

func (l *lexer) comment() {
	if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
		l.pos += n
	} else {
		l.pos = len(l.src)
	}
}

// name reads the rest of a name. In a linked one, a dot or a dash may stand between two of its characters.
func (l *lexer) name(linked bool) string {
	start := l.pos
	for {
		for l.pos < len(l.src) && plainName(l.src[l.pos]) {
			l.pos++
		}
		r, size := l.peek()
		switch {
		case size == 0:
			return l.src[start:]
		case nameRest(r):
			l.pos += size
		case linked && (r == '.' || r == '-') && l.nameAfter():
			l.pos++
		default:
			return l.src[start:l.pos]
		}
	}
}

func plainName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || '0' <= c && c <= '9'
}

func (l *lexer) nameAfter() bool {
	r, size := utf8.DecodeRuneInString(l.src[l.pos+1:])
	return size > 0 && nameRest(r)
}

func (l *lexer) digitAfter(n int) bool {
	if len(l.src) <= l.pos+n {
		return false
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos+n:])
	return digit(r)
}

// string reads a string whose quote is next.
func (l *lexer) string(quote byte) (token, *Error) {
	t := token{kind: text, pos: l.pos}
	l.pos++
	start := l.pos
	var b *strings.Builder // lazily: most strings have no escapes
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; c {
		case quote:
			t.text = l.src[start:l.pos]
			if b != nil {
				b.WriteString(t.text)
				t.text = b.String()
			}
			if l.pos++; over(len(t.text), l.limits.StringBytes) {
				return token{}, l.fail(t.pos, "a string of more than %d bytes", l.limits.StringBytes)
			}
			return t, nil
		case '\\':
			if b == nil {
				b = new(strings.Builder)
			}
			b.WriteString(l.src[start:l.pos])
			l.escape(b)
			start = l.pos
		default:
			l.pos++
		}
	}
	begin := l.fail(t.pos, "")
	return token{}, l.fail(l.pos, "the string that begins at line %d, col %d is not closed", begin.Line, begin.Col)
}

// escape reads a backslash and what follows it: n, t, in the strict dialect u and four hexadecimal digits. Anything else stands for itself.
func (l *lexer) escape(b *strings.Builder) {
	l.pos++
	r, size := l.peek()
	l.pos += size
	switch {
	case size == 0:
	case r == 'n':
		b.WriteByte('\n')
	case r == 't':
		b.WriteByte('\t')
	case r == 'u' && l.strict:
		c, n := escape.Unicode(l.src[l.pos:])
		if n == 0 {
			b.WriteByte('u')
			return
		}
		l.pos += n
		b.WriteRune(c)
	default:
		b.WriteString(l.src[l.pos-size : l.pos])
	}
}
