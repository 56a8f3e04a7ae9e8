package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// markup writes XML. Names of elements and attributes are constants of this package. All other text passes through
// [markup.untrusted]. No text can add, close or change an element or an attribute.
type markup struct {
	buf       strings.Builder
	wide      int // runes beyond ASCII
	wideBytes int // the bytes of these runes
}

// raw writes constant ASCII markup.
func (m *markup) raw(s string) { m.buf.WriteString(s) }

// attr writes ` name="value"`, with value cut after max runes. prefix is ` name="`.
func (m *markup) attr(prefix, value string, max int) {
	m.buf.WriteString(prefix)
	m.untrusted(value, max, true)
	m.buf.WriteByte('"')
}

// text writes the content of an element, cut after max runes. It reports whether it was cut.
func (m *markup) text(s string, max int) (cut bool) { return m.untrusted(s, max, false) }

// cost returns the size of the written text in quarters of a token, as counted by [Tokens].
func (m *markup) cost() int { return 4*m.wide + m.buf.Len() - m.wideBytes }

// untrusted writes untrusted text: neutralized (see neutral.go) and escaped. It stops after max runes and reports whether
// text remains. It does not inspect text beyond that.
func (m *markup) untrusted(s string, max int, attr bool) (cut bool) {
	if len(s) > utf8.UTFMax*max { // this bounds the lookahead, too; at least max runes remain
		s, cut = s[:utf8.UTFMax*max], true
	}
	start, i := 0, 0 // s[start:i] is written unchanged
	for n := 0; i < len(s); n++ {
		if n == max {
			cut = true
			break
		}
		c := s[i]
		if isPlainASCII(c) {
			i++
			continue
		}
		if c >= 0xE4 && c <= 0xEC && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80 {
			m.wide++ // Han, Hangul or Yi: always unchanged
			m.wideBytes += 3
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		out, keep := neutralize(r, size, s[i+size:], attr)
		if keep {
			if r >= utf8.RuneSelf {
				m.wide++
				m.wideBytes += size
			}
			i += size
			continue
		}
		m.buf.WriteString(s[start:i])
		m.buf.WriteString(out)
		if len(out) > 0 && out[0] >= utf8.RuneSelf {
			m.wide++
			m.wideBytes += len(out)
		}
		i += size
		start = i
	}
	m.buf.WriteString(s[start:i])
	return cut
}

// isPlainASCII reports whether a byte is ASCII that never needs an escape.
func isPlainASCII(c byte) bool {
	return c >= 0x20 && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '[' && c != ']'
}

// neutralize returns the replacement of one rune, or keep if the rune is unchanged. The rune has size bytes and is
// followed by rest. The replacement is ASCII or a single rune.
func neutralize(r rune, size int, rest string, attr bool) (out string, keep bool) {
	switch r {
	case '&':
		return "&amp;", false
	case '<':
		return "&lt;", false
	case '>':
		return "&gt;", false
	case '"':
		if attr {
			return "&quot;", false
		}
		return "", true
	case '\t', '\n':
		if attr {
			return " ", false
		}
		return "", true
	case '\r':
		switch {
		case len(rest) > 0 && rest[0] == '\n':
			return "", false
		case attr:
			return " ", false
		}
		return "\n", false
	case '[', ']', '【':
		out, wide := widen(r, rest)
		return out, !wide
	case utf8.RuneError:
		if size == 1 {
			return plain.Replacement, false
		}
		return "", true
	}
	switch {
	case lineBreak(r):
		if attr {
			return " ", false
		}
		return "\n", false
	case r < 0xA0 || r >= 0xFDD0:
		if plain.Control(r) {
			return plain.Replacement, false
		}
	}
	if plain.Invisible(r) {
		return "", false
	}
	return "", true
}
