package modeljson

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// asciiOf maps full-width punctuation to JSON's own, outside of strings.
var asciiOf = map[rune]rune{'｛': '{', '｝': '}', '［': '[', '］': ']', '【': '[', '】': ']', '：': ':', '，': ',', '、': ','}

// quotes has for each quote that opens a string those that close it.
var quotes = map[rune]string{'"': `"`, '\'': "'", '‘': "‘’", '’': "‘’"}

const wideQuotes = "“”＂„‟"

func closingQuotes(open rune) string {
	if strings.ContainsRune(wideQuotes, open) {
		return wideQuotes
	}
	return quotes[open]
}

const (
	maxKey   = 64  // bytes of a key
	maxAhead = 512 // bytes of white space and comments before the first key
	maxDepth = 32  // lists within each other
)

var (
	errSyntax = errors.New("the JSON object cannot be read")
	errTwice  = errors.New("the JSON object has a key twice")
	errEnd    = errors.New("unexpected end")
)

// A parser rewrites an object as JSON.
type parser struct {
	text  string
	pos   int
	out   []byte
	stack []byte // the open brackets
	whole int    // length of out up to the last value that is complete even if the rest is missing
	cut   bool
}

// object parses the object at pos and returns its keys, folded. If the text ends within it, it ends after the last
// complete member, or the last complete element of a list in it.
func (p *parser) object() (map[string]bool, error) {
	keys := map[string]bool{}
	err := p.value(keys)
	if err != errEnd {
		return keys, err
	}
	if p.whole == 0 {
		return nil, errCut
	}
	p.out, p.cut = p.out[:p.whole], true
	var top map[string]json.RawMessage
	if p.out = append(p.out, '}'); !json.Valid(p.out) {
		p.out = append(p.out[:p.whole], "]}"...)
	}
	if json.Unmarshal(p.out, &top) != nil {
		return nil, errCut
	}
	clear(keys)
	for k := range top {
		keys[foldKey(k)] = true
	}
	return keys, nil
}

// value parses a value. It stores the keys of an object in keys, which may be nil.
func (p *parser) value(keys map[string]bool) error {
	r := p.skip()
	switch {
	case r == 0:
		return errEnd
	case r == '{' || r == '[':
		if len(p.stack) == maxDepth {
			return errSyntax
		}
		if keys == nil && r == '{' {
			keys = map[string]bool{}
		}
		if err := p.list(byte(r), keys); err != nil {
			return err
		}
	case closingQuotes(r) != "":
		if err := p.string(false); err != nil {
			return err
		}
	default:
		if err := p.word(); err != nil {
			return err
		}
	}
	if n := len(p.stack); n == 1 || n == 2 && p.stack[1] == '[' {
		p.whole = len(p.out)
	}
	return nil
}

// list parses an object or an array.
func (p *parser) list(open byte, keys map[string]bool) error {
	closing := open + 2 // in ASCII
	p.next()
	p.out, p.stack = append(p.out, open), append(p.stack, open)
	for first := true; ; first = false {
		r := p.skip()
		if r == ',' && !first {
			p.next()
			r = p.skip()
		} else if !first && r != rune(closing) && r != 0 && !(p.lineBefore() && p.beginsMember(open == '{', p.pos)) {
			return errSyntax
		}
		if r == rune(closing) {
			p.next()
			p.out, p.stack = append(p.out, closing), p.stack[:len(p.stack)-1]
			return nil
		}
		if r == 0 {
			return errEnd
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if open == '{' {
			if err := p.key(keys); err != nil {
				return err
			}
		}
		if err := p.value(nil); err != nil {
			return err
		}
	}
}

// key parses a key and the colon.
func (p *parser) key(keys map[string]bool) error {
	from := len(p.out)
	if r, _ := p.peek(); closingQuotes(r) != "" {
		if err := p.string(true); err != nil {
			return err
		}
	} else if name := p.name(p.pos); name != "" {
		p.pos += len(name)
		p.out = append(append(append(p.out, '"'), name...), '"')
	} else {
		return errSyntax
	}
	var key string
	if json.Unmarshal(p.out[from:], &key) != nil {
		return errSyntax
	}
	if key = foldKey(key); keys[key] {
		return errTwice
	}
	keys[key] = true
	switch p.skip() {
	case 0:
		return errEnd
	case ':':
		p.next()
		p.out = append(p.out, ':')
		return nil
	}
	return errSyntax
}

// string parses a string. A key ends at the first quote. A value ends at the first quote before something that may follow a
// value, so it may contain quotes. A quote before a colon is an error: the string contains another object, or its end is
// missing.
func (p *parser) string(isKey bool) error {
	closing, atLineEnd := closingQuotes(p.next()), false
	p.out = append(p.out, '"')
	for p.pos < len(p.text) {
		r := p.next()
		if strings.ContainsRune(closing, r) {
			ends := isKey
			if !isKey {
				var err error
				if ends, err = p.endsValue(); err != nil {
					return err
				}
			}
			if ends {
				p.out = append(p.out, '"')
				return nil
			}
			atLineEnd = atLineEnd || strings.HasPrefix(strings.TrimLeft(p.text[p.pos:min(len(p.text), p.pos+maxKey)], " \t\r"), "\n")
		}
		switch {
		case r == '"':
			p.out = append(p.out, '\\', '"')
		case r == '\\':
			p.escape()
		case r == '\n':
			p.out = append(p.out, `\n`...)
		case r < ' ':
			p.out = append(p.out, ' ')
		default:
			p.out = utf8.AppendRune(p.out, r)
		}
	}
	if atLineEnd { // the string had an end, but the object has none
		return errSyntax
	}
	return errEnd
}

// escape parses the rest of an escape sequence. It drops the backslash of an invalid one, as in Markdown.
func (p *parser) escape() {
	if p.pos == len(p.text) {
		return
	}
	switch c := p.text[p.pos]; {
	case c == 'u' && !isHex(p.text[p.pos+1:]):
	case strings.IndexByte(`"\/bfnrtu`, c) >= 0:
		p.out = append(p.out, '\\', c)
		p.pos++
	case closingQuotes(rune(c)) != "" || strings.HasPrefix(p.text[p.pos:], "“") || strings.HasPrefix(p.text[p.pos:], "”"):
		p.out = utf8.AppendRune(p.out, p.next())
	}
}

func isHex(s string) bool {
	if len(s) < 4 {
		return false
	}
	for _, c := range []byte(s[:4]) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// endsValue reports whether the quote before pos ends a value of the innermost list.
func (p *parser) endsValue() (bool, error) {
	at, line := p.pos, false
	for at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[at:])
		if !isSpace(r) {
			break
		}
		line = line || r == '\n'
		at += n
	}
	rest := p.text[at:]
	inObject := p.stack[len(p.stack)-1] == '{'
	r, n := runeAt(rest)
	switch {
	case endsList(rest):
		return true, nil
	case r == ':':
		return false, errSyntax
	case r != ',':
		return line && p.beginsMember(inObject, at), nil
	}
	rest = strings.TrimLeftFunc(rest[n:], isSpace)
	return endsList(rest) || p.beginsMember(inObject, len(p.text)-len(rest)), nil
}

// beginsMember reports whether a member of an object or an element of an array may begin at a position.
func (p *parser) beginsMember(inObject bool, at int) bool {
	if inObject {
		return p.keyAhead(at)
	}
	r, _ := runeAt(p.text[at:])
	return r == '{' || r == '[' || r == '-' || '0' <= r && r <= '9' || closingQuotes(r) != ""
}

// endsList reports whether a list, the text or a code fence ends at the start of rest, or a comment begins.
func endsList(rest string) bool {
	r, _ := runeAt(rest)
	return r == '}' || r == ']' || rest == "" || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") || strings.HasPrefix(rest, "```")
}

// keyAhead reports whether a key and a colon begin at a position. The end of the text may be within a key with quotes.
func (p *parser) keyAhead(at int) bool {
	rest := p.text[at:]
	open, n := utf8.DecodeRuneInString(rest)
	if closing := closingQuotes(open); closing != "" {
		rest = rest[n:]
		i := strings.IndexAny(rest[:min(len(rest), maxKey)], closing+"\n")
		if i < 0 {
			return len(rest) < maxKey // the end of the text
		}
		if rest[i] == '\n' {
			return false
		}
		_, n = utf8.DecodeRuneInString(rest[i:])
		rest = rest[i+n:]
	} else if name := p.name(at); name != "" && len(name) < len(rest) {
		rest = rest[len(name):]
	} else {
		return false
	}
	r, _ := runeAt(strings.TrimLeft(rest[:min(len(rest), maxKey)], " \t\u3000\u00a0"))
	return r == ':' || rest == ""
}

// beginsObject reports whether an object begins before pos: its end or a key follows.
func (p *parser) beginsObject() bool {
	ahead := parser{text: p.text[p.pos:min(len(p.text), p.pos+maxAhead)]}
	r := ahead.skip()
	return r == '}' || r != 0 && ahead.keyAhead(ahead.pos)
}

// name returns the name at a position: letters, digits and underscores.
func (p *parser) name(at int) string {
	rest := p.text[at:min(len(p.text), at+maxKey)]
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(rest)
	}
	return rest[:end]
}

// word parses a value without quotes.
func (p *parser) word() error {
	rest := p.text[p.pos:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !strings.ContainsRune("_+-.%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end == 0 {
		return errSyntax
	}
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	p.pos += end
	value, literal := literals[word]
	if !literal && end == len(rest) {
		return errEnd // more of it may be missing
	}
	switch number := strings.TrimPrefix(word, "+"); {
	case literal:
		p.out = append(p.out, value...)
	case json.Valid([]byte(number)):
		p.out = append(p.out, number...)
	case strings.HasPrefix(number, ".") && json.Valid([]byte("0"+number)):
		p.out = append(append(p.out, '0'), number...)
	default:
		text, _ := json.Marshal(word)
		p.out = append(p.out, text...)
	}
	return nil
}

var literals = map[string]string{
	"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false",
	"null": "null", "None": "null", "NULL": "null", "nil": "null", "undefined": "null", "NaN": "null", "Infinity": "null", "-Infinity": "null",
}

// next returns the character at pos, with full-width quotes as they are, and moves behind it.
func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.text[p.pos:])
	p.pos += n
	return r
}

// peek returns the character at pos as ASCII if it is full-width punctuation.
func (p *parser) peek() (rune, int) { return runeAt(p.text[p.pos:]) }

func runeAt(text string) (rune, int) {
	if text == "" {
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(text)
	if c, wide := asciiOf[r]; wide {
		r = c
	}
	return r, n
}

// skip moves behind white space and comments and returns the next character. 0 is the end of the text or of a code fence.
func (p *parser) skip() rune {
	for {
		rest := p.text[p.pos:]
		r, n := p.peek()
		switch {
		case n == 0, strings.HasPrefix(rest, "```"):
			return 0
		case isSpace(r):
			p.pos += n
		case strings.HasPrefix(rest, "//"), r == '#':
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			p.pos += n
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest, "*/"); n < 0 {
				n = len(rest) - 2
			}
			p.pos += n + 2
		case r == 0:
			return utf8.RuneError
		default:
			return r
		}
	}
}

// lineBefore reports whether a line break and white space are before pos.
func (p *parser) lineBefore() bool {
	before := p.text[:p.pos]
	return strings.Contains(before[len(strings.TrimRightFunc(before, isSpace)):], "\n")
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' }
