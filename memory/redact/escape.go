package redact

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeEscape decodes an escape of JSON, URLs, HTML or Markdown at the start of s, such as "\n" or "&nbsp;". It
// returns its length, or 0 if there is none. Several backslashes count as one, as in JSON within JSON.
func decodeEscape(s string) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[0] {
	case '\\':
		return backslash(s)
	case '%':
		return percent(s)
	case '&':
		return entity(s)
	}
	return 0, 0
}

// startsEscape reports whether an escape may begin with b.
func startsEscape(b byte) bool { return b == '\\' || b == '%' || b == '&' }

func hasEscape(s string) bool {
	for _, b := range [...]byte{'\\', '%', '&'} {
		for rest := s; ; rest = rest[1:] {
			i := strings.IndexByte(rest, b)
			if i < 0 {
				break
			}
			rest = rest[i:]
			if _, n := decodeEscape(rest); n > 0 {
				return true
			}
		}
	}
	return false
}

const maxBackslashes = 16

func backslash(s string) (r rune, n int) {
	for n < min(len(s), maxBackslashes) && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return 0, 0
	}
	switch b := s[n]; {
	case b == 'n', b == 'r':
		return '\n', n + 1
	case b == 't':
		return ' ', n + 1
	case b == 'x':
		if r, ok := hex(s[n+1:], 2); ok && ' ' <= r && r <= '~' {
			return r, n + 3
		}
	case b == 'u':
		r, ok := hex(s[n+1:], 4)
		if !ok {
			return 0, 0
		}
		slashes := n
		if n += 5; utf16.IsSurrogate(r) {
			low, ok := rune(0), false
			if rest := s[n:]; strings.HasPrefix(rest, s[:slashes]+"u") {
				low, ok = hex(rest[slashes+1:], 4)
			}
			if r = utf16.DecodeRune(r, low); ok && r != '\uFFFD' {
				n += slashes + 5
			}
		}
		return printable(r), n
	case b > ' ' && b < 0x7F && b != '\\' && !is(b, alnumChar):
		return rune(b), n + 1
	}
	return 0, 0
}

// percent decodes a percent-encoded character: "%40", "%E6%89%8B".
func percent(s string) (r rune, n int) {
	var b [utf8.UTFMax]byte
	k := 0
	for k < len(b) && len(s) > n && s[n] == '%' {
		v, ok := hex(s[n+1:], 2)
		if !ok {
			break
		}
		b[k] = byte(v)
		k, n = k+1, n+3
		if b[0] < utf8.RuneSelf {
			break
		}
	}
	r, size := utf8.DecodeRune(b[:k])
	if r == utf8.RuneError || r < ' ' || r == 0x7F {
		return 0, 0
	}
	return r, 3 * size
}

// entity decodes an HTML entity.
func entity(s string) (r rune, n int) {
	head := s[:min(len(s), 12)]
	end := strings.IndexByte(head, ';')
	if end < 3 {
		return 0, 0
	}
	name := head[1:end]
	if r, known := entities[name]; known {
		return r, end + 1
	}
	if name[0] != '#' {
		return 0, 0
	}
	if name = name[1:]; name[0]|0x20 == 'x' {
		r, ok := hex(name[1:], len(name)-1)
		if !ok {
			return 0, 0
		}
		return printable(r), end + 1
	}
	for _, b := range []byte(name) {
		if !is(b, digit) {
			return 0, 0
		}
		r = r*10 + rune(b-'0')
	}
	return printable(r), end + 1
}

// entities are the named entities that may occur in findings.
var entities = map[string]rune{
	"nbsp": ' ', "ensp": ' ', "emsp": ' ', "commat": '@', "period": '.', "colon": ':', "amp": '&', "quot": '"', "lt": '<', "gt": '>',
	"shy": 0xAD, "zwj": 0xAD, "zwnj": 0xAD,
}

// printable replaces control characters with a blank and keeps line ends.
func printable(r rune) rune {
	switch {
	case r == '\n', r == '\r':
		return '\n'
	case r < ' ', r > 0x10FFFF:
		return ' '
	}
	return r
}

// hex parses n hexadecimal digits, at most six.
func hex(s string, n int) (r rune, ok bool) {
	if n < 1 || n > 6 || len(s) < n {
		return 0, false
	}
	for i := range n {
		b := s[i]
		switch {
		case is(b, digit):
			b -= '0'
		case is(b, hexDigit):
			b = b | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}
