package script

import "unicode"

// The character classes follow Python's str methods, because the first interpreter was written in Python.

// isSpace is str.isspace, with the ASCII separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// isNameStart is str.isalpha or "_".
func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// isNameRest is str.isalnum or "_".
func isNameRest(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// isDigit is str.isdigit. A number consists of these characters, but only decimal digits are valid.
func isDigit(r rune) bool {
	if r < 0x80 {
		return '0' <= r && r <= '9'
	}
	return unicode.IsDigit(r) || unicode.Is(noDecimal, r)
}

// decimal returns the value of a decimal digit of any script, as int() and float() in Python.
func decimal(r rune) (value byte, ok bool) {
	if r < 0x80 {
		return byte(r - '0'), '0' <= r && r <= '9'
	}
	if !unicode.IsDigit(r) {
		return 0, false
	}
	zero := r
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return byte((r - zero) % 10), true // digits come in groups of ten from zero
}

// noDecimal holds the characters with Numeric_Type=Digit, for instance superscripts and circled digits.
var noDecimal = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1},
		{0x2074, 0x2079, 1}, {0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1},
		{0x24ea, 0x24ea, 1}, {0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1},
		{0x278a, 0x2792, 1},
	},
	R32:         []unicode.Range32{{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1}},
	LatinOffset: 2,
}
