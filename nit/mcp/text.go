package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// neutral makes a foreign text fit to stand in a prompt as a part of a description, in most characters: on one line, without
// control and invisible characters, and without the brackets that open markup, a template's marker or a tool call.
func neutral(text string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for i, r := range text { // what is no UTF-8 arrives as U+FFFD
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unseen.Rune(r):
			continue
		}
		if n++; n > most {
			return b.String() + "…"
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(harmless(r, text[i:]))
	}
	return b.String()
}

// harmless gives the look-alike of a bracket that opens or ends a marker. rest begins with r.
func harmless(r rune, rest string) rune {
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
		// [[[CALL]]], [INST], [/INST], [system]: not ["a", 1], which shows how to write an argument
		next, _ := utf8.DecodeRuneInString(rest[1:])
		if next == '[' || next == '/' || unicode.IsLetter(next) {
			return '［'
		}
	}
	return r
}
