// Package escape decodes JSON's \u escapes.
package escape

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Unicode decodes the text after a "\u": four hexadecimal digits, or two escapes that form a surrogate pair. A lone
// surrogate gives U+FFFD, as in encoding/json. n is the number of bytes read; 0 if s does not begin with four digits.
func Unicode(s string) (r rune, n int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(s) >= 6 && s[4:6] == `\u` {
		if low, ok := hex4(s[6:]); ok {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, 10
			}
		}
	}
	return utf8.RuneError, 4
}

// hex4 decodes the four hexadecimal digits at the start of s.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range []byte(s[:4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
