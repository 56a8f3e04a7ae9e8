package main

import (
	"strings"
	"unicode"

	"github.com/hearth-bot/hearth/internal/clip"
)

// visible removes characters that a person does not see but a model reads: control characters except tab and newline,
// direction marks and zero-width spaces. It keeps the joiners of emoji.
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

// line returns s on one line with at most n characters.
func line(s string, n int) string { return clip.Ellipsis(strings.Join(strings.Fields(s), " "), n) }

// normalizeText makes equal-looking texts equal: case, full width, white space.
func normalizeText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		}
		return unicode.ToLower(r)
	}, visible(s))
	return strings.Join(strings.Fields(s), " ")
}
