// Package unseen tells which characters a reader would not see, and a model would read.
package unseen

import "unicode"

// Rune tells whether a character shows nothing, or what it shows depends on others around it: controls and format characters, the
// line and paragraph separators, fillers, variation selectors, tags, private use, and what Unicode has not assigned.
func Rune(r rune) bool { return unicode.Is(unicode.C, r) || blank(r) }

// InText is Rune for people's words, which need some of it: tab and newline, for emoji and some scripts the joiners and U+FE0F, the
// signs that stand before Arabic numbers, private use, and characters that are newer than this program.
func InText(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x300: // nearly all text is here or in the next range, where few comparisons tell
		return r >= 0x7f && r <= 0x9f || r == 0xad
	case r >= 0x3000 && r < 0xd800: // most of Chinese, Japanese, Korean
		return r == 0x3164
	case r == 0x200c, r == 0x200d, r == 0xfe0f:
		return false
	}
	return blank(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// blank is what both tell of above U+00AD.
func blank(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == 0x2028 || r == 0x2029
}
