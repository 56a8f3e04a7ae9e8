// Package clip shortens strings without splitting a character.
package clip

import "unicode/utf8"

// Bytes returns at most the first n bytes of s. It drops a character that would be split.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Runes returns the first n runes of s.
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

// Ellipsis returns the first n runes of s, followed by "…" if s has more.
func Ellipsis(s string, n int) string {
	if short := Runes(s, n); len(short) < len(s) {
		return short + "…"
	}
	return s
}
