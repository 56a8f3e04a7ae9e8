// Package plain classifies and folds the characters of plain text.
package plain

import "strings"

// Replacement replaces invalid UTF-8 bytes and control characters.
const Replacement = "\uFFFD"

// Invisible reports whether a rune is invisible. These are Unicode's Default_Ignorable_Code_Point and the annotation
// controls. The bidirectional controls are among the former.
func Invisible(r rune) bool {
	switch {
	case r < 0x300:
		return r == 0xAD
	case r < 0x2000:
		return r == 0x34F || r == 0x61C || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r >= 0x180B && r <= 0x180F
	case r < 0x2070:
		return r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060
	case r < 0xFE00:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xFE0F || r == 0xFEFF || r == 0xFFA0 || r >= 0xFFF0 && r <= 0xFFFB
	}
	return r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A || r >= 0xE0000 && r <= 0xE0FFF
}

// Control reports whether a rune is a control character or a non-character. Tab and line breaks are control characters.
func Control(r rune) bool {
	return r < 0x20 || r >= 0x7F && r < 0xA0 || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}

// Fold maps full-width forms of ASCII and the ideographic space to ASCII, maps ASCII letters to lower case, and drops
// invisible characters.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == 0x3000:
			r = ' '
		case r >= 0x80 && Invisible(r):
			return -1
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
