// Package clip clips texts without cutting a character.
package clip

import "unicode/utf8"

// Bytes is the first n bytes of s, less the bytes of a character that would be cut.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Runes is the first n runes of s.
func Runes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// Ellipsis is the first n runes of s, and "…" where there are more.
func Ellipsis(s string, n int) string {
	if short := Runes(s, n); len(short) < len(s) {
		return short + "…"
	}
	return s
}
