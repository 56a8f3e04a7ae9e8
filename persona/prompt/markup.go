package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// markup writes XML by appending. Names of elements and attributes are constants of this package; everything else
// passes [markup.data], so that no text can add, close or change an element or an attribute.
type markup struct {
	buf       strings.Builder
	wide      int // runes beyond ASCII
	wideBytes int // and their bytes
}

// raw writes markup of our own: a constant in ASCII.
func (m *markup) raw(s string) { m.buf.WriteString(s) }

// attr writes ` name="value"`, the value cut after max runes. prefix is that ` name="`.
func (m *markup) attr(prefix, value string, max int) {
	m.buf.WriteString(prefix)
	m.data(value, max, true)
	m.buf.WriteByte('"')
}

// text writes the content of an element, cut after max runes, and reports whether it was cut.
func (m *markup) text(s string, max int) (cut bool) { return m.data(s, max, false) }

// cost is what has been written so far in quarters of a token, as [Tokens] counts them.
func (m *markup) cost() int { return 4*m.wide + m.buf.Len() - m.wideBytes }

// data writes what people wrote: neutralised (see neutral.go) and escaped. It ends after max runes of s and reports
// whether anything was left; nothing beyond them is looked at.
func (m *markup) data(s string, max int, attr bool) (cut bool) {
	if len(s) > utf8.UTFMax*max { // so that looking ahead is bounded too; at least max runes stay
		s, cut = s[:utf8.UTFMax*max], true
	}
	start, i := 0, 0 // s[start:i] is written as it is
	for n := 0; i < len(s); n++ {
		if n == max {
			cut = true
			break
		}
		c := s[i]
		if unescaped(c) {
			i++
			continue
		}
		if c >= 0xE4 && c <= 0xEC && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80 {
			m.wide++ // Han, Hangul, Yi: nothing in there needs a look
			m.wideBytes += 3
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		out, keep := harmless(r, size, s[i+size:], attr)
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

// unescaped reports whether a byte is ASCII that needs no closer look.
func unescaped(c byte) bool {
	return c >= 0x20 && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '[' && c != ']'
}

// harmless gives what stands for one rune, which takes size bytes before rest, or says that it may be kept as it is.
// What it gives is ASCII or a single rune.
func harmless(r rune, size int, rest string, attr bool) (out string, keep bool) {
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
		out, wide := widened(r, rest)
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
