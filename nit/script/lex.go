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
	openObject // the following are in the strict dialect only
	closeObject
	colon
	semicolon
)

var kinds = [...]string{
	"the end", "a name", "a variable", "a string", "a number", `"async"`, `"="`, `"("`, `")"`, `"["`, `"]"`, `","`,
	`"{"`, `"}"`, `":"`, `";"`,
}

func (k kind) String() string { return kinds[k] }

// A token is a lexical element.
type token struct {
	kind kind
	pos  int    // byte offset
	text string // name or string value
	num  any    // int64, *big.Int or float64
}

// A lexer splits a script into tokens.
type lexer struct {
	src    string
	pos    int
	strict bool
	limits Limits
}

func (l *lexer) errorf(pos int, format string, args ...any) *Error {
	return newError(StageLex, l.src, pos, fmt.Sprintf(format, args...))
}

// peek returns the next character and its size in bytes, 0 at the end. An invalid byte gives U+FFFD.
func (l *lexer) peek() (rune, int) {
	if l.pos == len(l.src) {
		return 0, 0
	}
	if c := l.src[l.pos]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(l.src[l.pos:])
}

// ascii maps single ASCII characters to tokens.
var ascii = [utf8.RuneSelf]kind{
	'=': equals, '(': open, ')': close_, '[': openList, ']': closeList, ',': comma,
	'{': openObject, '}': closeObject, ':': colon, ';': semicolon,
}

// next returns the next token. At the end it keeps returning the end token.
func (l *lexer) next() (token, *Error) {
	for {
		for l.pos < len(l.src) && l.src[l.pos] == ' ' {
			l.pos++
		}
		r, size := l.peek()
		switch {
		case size == 0:
			return token{kind: end, pos: l.pos}, nil
		case isSpace(r):
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
		case isNameStart(r):
			t := token{kind: word, pos: l.pos}
			if t.text = l.name(l.strict); t.text == "async" {
				t.kind = async
			}
			return t, nil
		case r == '"' || r == '\'':
			return l.string(byte(r))
		case isDigit(r) || r == '-' && l.strict && l.digitAfter(1):
			return l.number()
		default:
			return token{}, l.errorf(l.pos, "unexpected character %q", r)
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

// name reads the rest of a name. If linked is set, a dot or dash may stand between name characters.
func (l *lexer) name(linked bool) string {
	start := l.pos
	for {
		for l.pos < len(l.src) && isASCIIName(l.src[l.pos]) {
			l.pos++
		}
		r, size := l.peek()
		switch {
		case size == 0:
			return l.src[start:]
		case isNameRest(r):
			l.pos += size
		case linked && (r == '.' || r == '-') && l.nameAfter():
			l.pos++
		default:
			return l.src[start:l.pos]
		}
	}
}

func isASCIIName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || '0' <= c && c <= '9'
}

func (l *lexer) nameAfter() bool {
	r, size := utf8.DecodeRuneInString(l.src[l.pos+1:])
	return size > 0 && isNameRest(r)
}

func (l *lexer) digitAfter(n int) bool {
	if len(l.src) <= l.pos+n {
		return false
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos+n:])
	return isDigit(r)
}

// string reads a string. Its quote is next.
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
			if l.pos++; exceeds(len(t.text), l.limits.StringBytes) {
				return token{}, l.errorf(t.pos, "a string of more than %d bytes", l.limits.StringBytes)
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
	begin := l.errorf(t.pos, "")
	return token{}, l.errorf(l.pos, "the string that begins at line %d, col %d is not closed", begin.Line, begin.Col)
}

// escape reads an escape sequence: \n, \t, and in the strict dialect \uXXXX. Any other character stands for itself.
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
