package nit

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/escape"
)

// Reasons to reject a JSON text. The texts quote nothing, because the model sees them.
var (
	errSyntax          = errors.New("not valid JSON")
	errTrailing        = errors.New("text after the JSON object")
	errNotObject       = errors.New("not a JSON object")
	errDepth           = errors.New("nested too deep")
	errNUL             = errors.New("a NUL character")
	errDuplicateKey    = errors.New("a key given twice")
	errKeyCase         = errors.New("keys that differ only in case")
	errCostlyArguments = errors.New("more values than the schema can be checked for")
)

// parseObject parses exactly one JSON object with at most depth levels and counts its values. It is stricter than
// encoding/json where two parsers could see different data. It rejects duplicate keys, keys that encoding/json assigns
// to the same field ("mode" and "MODE", "ſ" and "s"), NUL, invalid UTF-8, and numbers outside float64. It parses all
// other texts like encoding/json.
func parseObject(text string, depth int) (object map[string]any, values int, err error) {
	p := parser{s: text}
	p.space()
	if p.i == len(p.s) || p.s[p.i] != '{' {
		return nil, 0, errNotObject
	}
	if object, err = p.object(depth); err != nil {
		return nil, 0, err
	}
	if p.space(); p.i < len(p.s) {
		return nil, 0, errTrailing
	}
	return object, p.values, nil
}

type parser struct {
	s      string
	i      int
	values int // parsed so far
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// take skips white space and then c, if c is next.
func (p *parser) take(c byte) bool {
	p.space()
	return p.is(c)
}

// is skips c if it is the next byte.
func (p *parser) is(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) value(depth int) (any, error) {
	p.values++
	p.space()
	if p.i == len(p.s) {
		return nil, errSyntax
	}
	switch c := p.s[p.i]; c {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		return p.string()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	default:
		return p.number()
	}
}

func (p *parser) word(w string) error {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return errSyntax
	}
	p.i += len(w)
	return nil
}

func (p *parser) object(depth int) (map[string]any, error) {
	if depth == 0 {
		return nil, errDepth
	}
	p.i++ // {
	m := make(map[string]any)
	if p.take('}') {
		return m, nil
	}
	var folded map[string]bool // lazily: nearly all keys are lower-case ASCII
	for {
		if p.space(); p.i == len(p.s) || p.s[p.i] != '"' {
			return nil, errSyntax
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if _, twice := m[key]; twice {
			return nil, errDuplicateKey
		}
		if folded == nil && !plainKey(key) {
			folded = make(map[string]bool)
			for k := range m {
				folded[foldCase(k)] = true
			}
		}
		if folded != nil {
			f := foldCase(key)
			if folded[f] {
				return nil, errKeyCase
			}
			folded[f] = true
		}
		if !p.take(':') {
			return nil, errSyntax
		}
		if m[key], err = p.value(depth - 1); err != nil {
			return nil, err
		}
		if p.take('}') {
			return m, nil
		}
		if !p.take(',') {
			return nil, errSyntax
		}
	}
}

func (p *parser) array(depth int) ([]any, error) {
	if depth == 0 {
		return nil, errDepth
	}
	p.i++ // [
	a := []any{}
	if p.take(']') {
		return a, nil
	}
	for {
		v, err := p.value(depth - 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
		if p.take(']') {
			return a, nil
		}
		if !p.take(',') {
			return nil, errSyntax
		}
	}
}

// string parses a string. Its opening quote is next.
func (p *parser) string() (string, error) {
	p.i++
	start, ascii := p.i, true
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			s := p.s[start:p.i]
			if p.i++; !ascii && !utf8.ValidString(s) {
				return "", errSyntax
			}
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", errSyntax
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", errSyntax
}

// escaped continues a string at its first backslash.
func (p *parser) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(p.s[start:p.i])
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == '"':
			if !utf8.ValidString(b.String()) {
				return "", errSyntax
			}
			return b.String(), nil
		case c < ' ':
			return "", errSyntax
		case c != '\\':
			b.WriteByte(c)
		case p.i == len(p.s):
			return "", errSyntax
		default:
			if err := p.escape(&b); err != nil {
				return "", err
			}
		}
	}
	return "", errSyntax
}

// escape parses the characters after a backslash.
func (p *parser) escape(b *strings.Builder) error {
	c := p.s[p.i]
	p.i++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		return nil
	}
	r, n := escape.Unicode(p.s[p.i:])
	if c != 'u' || n == 0 {
		return errSyntax
	}
	if p.i += n; r == 0 {
		return errNUL
	}
	b.WriteRune(r)
	return nil
}

func (p *parser) number() (any, error) {
	start := p.i
	p.is('-')
	if !p.is('0') && p.digits() == 0 || p.is('.') && p.digits() == 0 {
		return nil, errSyntax
	}
	if p.is('e') || p.is('E') {
		if !p.is('+') {
			p.is('-')
		}
		if p.digits() == 0 {
			return nil, errSyntax
		}
	}
	f, err := strconv.ParseFloat(p.s[start:p.i], 64)
	if err != nil {
		return nil, errSyntax // out of range
	}
	return f, nil
}

func (p *parser) digits() int {
	start := p.i
	for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i - start
}

// plainKey reports whether k is ASCII without capital letters. Two such keys are never case variants of each other.
func plainKey(k string) bool {
	for i := range len(k) {
		if c := k[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// foldCase maps all case variants of k to the same string, by the smallest rune of each fold orbit.
func foldCase(k string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
			least = min(least, v)
		}
		return least
	}, k)
}
