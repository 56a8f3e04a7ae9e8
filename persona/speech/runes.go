package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isCJK reports whether a rune is a Chinese, Japanese or Korean letter.
func isCJK(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isWide reports whether a rune is a CJK letter or full-width punctuation.
func isWide(r rune) bool {
	return isCJK(r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60 || strings.ContainsRune("“”‘’…—·", r)
}

func isAlnum(r rune) bool {
	return r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9')
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isWord reports whether a rune belongs to a word of a script with spaces.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(r) || r == '_'
	}
	return !isCJK(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// isEmoji reports whether a rune starts an emoji. Signs like ™ and → count, too, because they may follow a sentence.
func isEmoji(r rune) bool {
	return r >= 0x1f000 && r < 0x1fc00 || r >= 0x2600 && unicode.Is(unicode.So, r)
}

// extends reports whether a rune combines with the one before it: accents, variation selectors, skin tones, tags, keycaps.
func extends(r rune) bool {
	if r < 0x300 || r >= 0x3400 && r <= 0xa000 { // fast path for most text
		return false
	}
	return unicode.IsMark(r) || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

const (
	joiner   = 0x200d
	ends     = "。！？!?‼⁉…⋯.~～〜"
	tildes   = "~～〜"
	dots     = "….⋯。"
	weaks    = "、：:—–"
	clauses  = "，；,;"
	closers  = "”’」』）)】》〉］]}"
	openings = "(（[【「『《〈“‘{［"
	closings = ")）]】」』》〉”’}］"
	// After these a tilde ends a sentence. Elsewhere it may separate the ends of a range.
	particles = "呀啊哦呢吧啦嘛喵哈嘿嗯哟噢耶哇咯嘞的了哒滴捏呐呗见安诶欸嗷呜"
)

// closing returns the closing bracket of open, or 0 if open is no opening bracket.
func closing(open rune) rune {
	i := strings.IndexRune(openings, open)
	if i < 0 {
		return 0
	}
	return []rune(closings)[utf8.RuneCountInString(openings[:i])]
}

// narrow maps full-width round brackets to ASCII, because faces mix both.
func narrow(r rune) rune {
	switch r {
	case '（':
		return '('
	case '）':
		return ')'
	}
	return r
}

// isKaomoji reports whether the content of a bracket is a face, or a short remark that belongs to the sentence before it.
func isKaomoji(inner string) bool {
	runes, signs, han, ascii := 0, 0, 0, true
	for _, r := range inner {
		runes++
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case r >= utf8.RuneSelf:
			ascii = false
			signs++
		case strings.ContainsRune("_^><;*`", r):
			signs++
		}
	}
	switch {
	case runes == 0:
		return false
	case han > 0:
		return runes <= 6
	case ascii:
		return signs > 0 && runes <= 7
	}
	return signs >= 2 && runes <= 20
}

var abbreviations = [...]string{"mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "fig", "no", "vol", "approx", "inc", "ltd", "jr", "sr", "dept", "a.m", "p.m", "u.s"}

// abbreviated reports whether a full stop after word is part of an abbreviation.
func abbreviated(word string) bool {
	return slices.ContainsFunc(abbreviations[:], func(a string) bool { return strings.EqualFold(word, a) }) ||
		len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' && word != "I"
}
