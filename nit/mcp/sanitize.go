package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// sanitize makes remote text safe as part of a description in a prompt, in at most limit characters. It returns one line
// without control and invisible characters. Brackets that open markup, template markers or tool calls are replaced.
func sanitize(text string, limit int) string {
	var b strings.Builder
	n, space := 0, false
	for i, r := range text { // invalid UTF-8 becomes U+FFFD
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unseen.Rune(r):
			continue
		}
		if n++; n > limit {
			return b.String() + "…"
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(lookalike(r, text[i:]))
	}
	return b.String()
}

// lookalike replaces a bracket that opens or closes a marker. rest begins with r.
func lookalike(r rune, rest string) rune {
	switch r {
	case '<':
		return '‹'
	case '>':
		return '›'
	case '【':
		return '〔'
	case '】':
		return '〕'
	case '`':
		return '\''
	case '[':
		// [[[CALL]]], [INST], [/INST], [system], but not ["a", 1], an example of an argument
		next, _ := utf8.DecodeRuneInString(rest[1:])
		if next == '[' || next == '/' || unicode.IsLetter(next) {
			return '［'
		}
	}
	return r
}
