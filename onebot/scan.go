package onebot

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The scanner below reads JSON (RFC 8259) by position. Each function takes the text and a start index, and returns
// the index behind the parsed value, or -1 if it is not JSON. The scanner does not allocate.

// maxDepth limits the nesting of arrays and objects, as in encoding/json.
const maxDepth = 10000

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Words of eight equal bytes, to test eight bytes of a string in one step.
const (
	lows   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = lows * '"'
	slants = lows * '\\'
	space8 = lows * ' '
)

// skipString skips the string with its opening quote at i. escaped reports whether it has a backslash. It does not
// check UTF-8: validText has checked the whole frame.
func skipString(b []byte, i int) (end int, escaped bool) {
	i++
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			q, s := w^quotes, w^slants
			// one high bit for each quote, backslash or control character; bytes above a true hit may be false hits,
			// so only the lowest bit counts
			hit := ((q-lows)&^q | (s-lows)&^s | (w-space8)&^w) & highs
			if hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return -1, escaped
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped
		case c == '\\':
			escaped = true
			if i = skipEscape(b, i); i < 0 {
				return -1, true
			}
		case c < ' ':
			return -1, escaped
		default:
			i++
		}
	}
}

// skipEscape skips the escape with its backslash at i.
func skipEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(b) || hex4(b[i+2:i+6]) < 0 {
			return -1
		}
		return i + 6
	}
	return -1
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipDigits skips one or more digits.
func skipDigits(b []byte, i int) int {
	first := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == first {
		return -1
	}
	return i
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// skipValue skips any value at i. depth is the number of enclosing arrays and objects.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch b[i] {
	case '"':
		end, _ := skipString(b, i)
		return end
	case '{':
		f := openObject(b, i, depth)
		for f.next() {
			f.skip()
		}
		return f.i
	case '[':
		if depth >= maxDepth {
			return -1
		}
		return elems(b, i, func(i int) int { return skipValue(b, i, depth+1) })
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

// unquote decodes the text between the quotes of a string that skipString accepted and reported as escaped. An
// unpaired surrogate becomes U+FFFD, as in encoding/json.
func unquote(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			return append(out, b...)
		}
		out = append(out, b[:i]...)
		c := b[i+1]
		if c != 'u' {
			out, b = append(out, unescape(c)), b[i+2:]
			continue
		}
		r := hex4(b[i+2:])
		i += 6
		if 0xd800 <= r && r < 0xe000 {
			r, i = joinSurrogates(b, i, r)
		}
		out, b = utf8.AppendRune(out, r), b[i:]
	}
}

// unescape returns the character for a backslash followed by c.
func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// joinSurrogates joins r with the second half of its surrogate pair at i.
func joinSurrogates(b []byte, i int, r rune) (rune, int) {
	if r < 0xdc00 && i+6 <= len(b) && b[i] == '\\' && b[i+1] == 'u' {
		if low := hex4(b[i+2:]); 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000, i + 6
		}
	}
	return utf8.RuneError, i
}

// validText replaces each byte that is not UTF-8 by U+FFFD. It returns b itself if there is none.
func validText(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.Map(func(r rune) rune { return r }, b)
}
