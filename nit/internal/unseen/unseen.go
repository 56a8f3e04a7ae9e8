// Package unseen identifies characters that a person cannot see but a model reads.
package unseen

import "unicode"

// Rune reports whether a character is invisible or depends on its neighbours: controls, format characters, line and
// paragraph separators, fillers, variation selectors, tags, private use, unassigned code points.
func Rune(r rune) bool { return unicode.Is(unicode.C, r) || blank(r) }

// InText is Rune for text written by people. It allows tab, newline, joiners, U+FE0F, signs before Arabic numbers,
// private use, and unassigned code points.
func InText(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x300: // fast path for most text
		return r >= 0x7f && r <= 0x9f || r == 0xad
	case r >= 0x3000 && r < 0xd800: // fast path for Chinese, Japanese, Korean
		return r == 0x3164
	case r == 0x200c, r == 0x200d, r == 0xfe0f:
		return false
	}
	return blank(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// blank is the common part of both for runes above U+00AD.
func blank(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == 0x2028 || r == 0x2029
}
