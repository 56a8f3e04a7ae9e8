// Package fold normalizes texts for comparison, and extracts the terms of their topics.
package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Append appends the normalized form of s. Letters become lower case. Full-width letters and digits become narrow.
// Half-width katakana become wide. Styled Latin letters become plain. A run of white space becomes one space. Invisible
// characters are removed. Full-width punctuation stays: it ends a link in a Chinese sentence, and its narrow form would
// not.
func Append(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case 0xe4 <= c && c <= 0xe9 && i+2 < len(s) && s[i+1]&s[i+2]&0xc0 == 0x80 && (s[i+1]|s[i+2])&0x40 == 0: // most Han
			dst = append(dst, c, s[i+1], s[i+2])
			i += 3
			continue
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = foldRune(dst, r)
			i += n
			continue
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case c > ' ' && c < 0x7f:
			dst = append(dst, c)
		case c == ' ' || '\t' <= c && c <= '\r':
			dst = foldSpace(dst)
		}
		i++
	}
	return dst
}

func foldSpace(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ' ' {
		return dst
	}
	return append(dst, ' ')
}

// katakana are the wide forms of U+FF66 to U+FF9D, three bytes each.
const katakana = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"

func foldRune(dst []byte, r rune) []byte {
	switch {
	case r >= 0x3041 && r <= 0x9fff && r != 0x3099 && r != 0x309a && r != 0x3164: // most Chinese and Japanese
		return utf8.AppendRune(dst, r)
	case r == 0x3099 || r == 0xff9e:
		return voice(dst, 1)
	case r == 0x309a || r == 0xff9f:
		return voice(dst, 2)
	case r >= 0xff66 && r <= 0xff9d:
		at := int(r-0xff66) * 3
		return append(dst, katakana[at:at+3]...)
	case r >= 'Ａ' && r <= 'Ｚ':
		return append(dst, byte(r-'Ａ')+'a')
	case r >= '０' && r <= '９', r >= 'ａ' && r <= 'ｚ', r == '＠', r == '＿', r == '．', r == '－':
		return append(dst, byte(r-0xfee0))
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical alphabets, 26 capitals and 26 small letters each
		return append(dst, 'a'+byte((r-0x1d400)%26))
	case r >= 0x1d7ce && r <= 0x1d7ff: // their digits
		return append(dst, '0'+byte((r-0x1d7ce)%10))
	case r >= 0x24b6 && r <= 0x24e9: // letters in circles
		return append(dst, 'a'+byte((r-0x24b6)%26))
	case invisible(r):
		return dst
	case unicode.IsSpace(r):
		return foldSpace(dst)
	}
	return utf8.AppendRune(dst, unicode.ToLower(unicode.ToUpper(r))) // upper case first, so that ς equals σ and ſ equals s
}

// invisible reports whether r is a format character, a variation selector, a filler or a control character.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef ||
		r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x180b || r == 0x180c || r == 0x180d ||
		unicode.IsControl(r) && r != 0x85
}

// voice adds a voicing mark to the kana at the end of dst: mark 1 is ゛, 2 is ゜. A mark that does not fit is
// dropped.
func voice(dst []byte, mark rune) []byte {
	r, n := utf8.DecodeLastRune(dst)
	bears := strings.ContainsRune("かきくけこさしすせそたちつてとはひふへほ", r) || strings.ContainsRune("カキクケコサシスセソタチツテトハヒフヘホ", r)
	if mark == 2 {
		bears = strings.ContainsRune("はひふへほハヒフヘホ", r)
	}
	switch {
	case bears:
		return utf8.AppendRune(dst[:len(dst)-n], r+mark)
	case mark == 1 && (r == 'う' || r == 'ウ'):
		return utf8.AppendRune(dst[:len(dst)-n], r+'ゔ'-'う')
	}
	return dst
}

// Spaced reports whether r is a letter, digit or mark of a script that separates words. A word may not begin or end
// next to such a rune. Han, kana, hangul, Thai, Lao, Khmer, Burmese and Yi count as scripts without spaces.
func Spaced(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || 'A' <= r && r <= 'Z'
	case r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7ff, r >= 0xf900 && r <= 0xfaff, r >= 0xff66 && r <= 0xffdc,
		r >= 0x20000 && r <= 0x3ffff, r >= 0x1100 && r <= 0x11ff, r >= 0x0e00 && r <= 0x0eff,
		r >= 0x1000 && r <= 0x109f, r >= 0x1780 && r <= 0x17ff:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
