package memory

import (
	"strings"
	"unicode"
)

// A class says how the tokenizer treats a rune.
type class uint8

const (
	gap   class = iota // a separator
	mark               // a combining mark, ignored
	word               // a letter or digit of a script with spaces between words
	glyph              // Han, kana or hangul; indexed as single characters and pairs
)

// fold normalizes case, full-width forms and accents of Latin letters.
func fold(r rune) (rune, class) {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return r, word
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A', word
	case r < 0x80:
		return r, gap
	case 0x4E00 <= r && r <= 0x9FFF:
		return r, glyph
	case 0xFF01 <= r && r <= 0xFF5E:
		return fold(r - 0xFEE0)
	case 0x3000 <= r && r <= 0x303F:
		if r == '々' {
			return r, glyph
		}
		return r, gap
	case r < 0x180:
		r = unicode.ToLower(r)
		if i := strings.IndexRune(accented, r); i >= 0 {
			return rune(unaccented[i/2]), word // each rune of accented has two bytes
		}
	}
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return r, glyph
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return unicode.ToLower(r), word
	case unicode.IsMark(r), r == '\u200d', r == '\ufe0f':
		return r, mark
	}
	return r, gap
}

const (
	accented   = "àáâãäåçèéêëìíîïñòóôõöøùúûüýÿāăąćĉċčďđēĕėęěĝğġģĥĩīĭįĵķĺļľłńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżž"
	unaccented = "aaaaaaceeeeiiiinoooooouuuuyyaaaccccddeeeeegggghiiiijkllllnnnooorrrssssttuuuuuuwyzzz"
)
