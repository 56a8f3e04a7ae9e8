package main

import (
	"strings"
	"unicode"

	"github.com/hearth-bot/hearth/internal/clip"
)

// visible takes out what a person would not see and a model would read: control characters but tab and newline, direction
// marks, zero-width spaces. What emoji are joined by stays.
func visible(s string) string {
	unseen := func(r rune) bool {
		switch r {
		case '\n', '\t', '\u200d', '\ufe0f':
			return false
		}
		return unicode.IsControl(r) || r >= 0x200b && unicode.Is(unicode.Cf, r) || r == 0xad || r == 0x2028 || r == 0x2029
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// line is s on one line, in at most n characters.
func line(s string, n int) string { return clip.Ellipsis(strings.Join(strings.Fields(s), " "), n) }

// fold makes texts equal that look equal: case, full width, blanks.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		}
		return unicode.ToLower(r)
	}, visible(s))
	return strings.Join(strings.Fields(s), " ")
}
