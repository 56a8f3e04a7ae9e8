package redact

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maskByte replaces text that is not searched: placeholders, CQ codes and findings. No finding crosses it.
const maskByte = 1

// folded is a text in the form for searching: plain width, no invisible characters, escapes decoded. For most texts it
// equals the original.
type folded struct {
	text    string
	offsets []int32 // for each byte of text and its end, the offset in the original; nil: equal offsets
}

// fold folds an original text.
func (s *folded) fold() {
	b := make([]byte, 0, len(s.text))
	from := make([]int32, 0, len(s.text)+1)
	for i := 0; i < len(s.text); {
		r, n := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[i:])
		} else if startsEscape(s.text[i]) {
			if e, size := decodeEscape(s.text[i:]); size > 0 {
				r, n = e, size
			}
		}
		switch p := foldRune(r); {
		case r == utf8.RuneError && n == 1:
			b, from = append(b, s.text[i]), append(from, int32(i))
		case p != 0:
			was := len(b)
			b = utf8.AppendRune(b, p)
			for range len(b) - was {
				from = append(from, int32(i))
			}
		}
		i += n
	}
	s.text, s.offsets = string(b), append(from, int32(len(s.text)))
}

// originalOffset converts an offset of the folded text to the original text.
func (s *folded) originalOffset(i int) int {
	if s.offsets == nil {
		return i
	}
	return int(s.offsets[i])
}

// foldedOffset converts an offset of the original text to the folded text: that of the next character in it.
func (s *folded) foldedOffset(i int) int {
	if s.offsets == nil {
		return i
	}
	return sort.Search(len(s.offsets)-1, func(k int) bool { return int(s.offsets[k]) >= i })
}

// maskFindings masks findings.
func (s *folded) maskFindings(found []Finding) {
	b := []byte(s.text)
	for _, f := range found {
		for i := f.Start; i < f.End; i++ {
			b[i] = maskByte
		}
	}
	s.text = string(b)
}

// maskPlaceholders masks placeholders and CQ codes.
func (s *folded) maskPlaceholders(hostKinds []string) {
	var b []byte
	for i := 0; i < len(s.text); {
		if s.text[i] != '[' {
			next := strings.IndexByte(s.text[i:], '[')
			if next < 0 {
				break
			}
			i += next
		}
		n := placeholder(s.text[i:], hostKinds)
		if n == 0 {
			n = cqCode(s.text[i:])
		}
		if n == 0 {
			i++
			continue
		}
		if b == nil {
			b = []byte(s.text)
		}
		for range n {
			b[i] = maskByte
			i++
		}
	}
	if b != nil {
		s.text = string(b)
	}
}

const maxNumberDigits = 6 // digits in a placeholder's number; more could be data

// placeholder returns the length of a placeholder at the start of s, or 0.
func placeholder(s string, hostKinds []string) int {
	head := s[1:min(len(s), 64)]
	end := strings.IndexByte(head, ']')
	if end <= 0 {
		return 0
	}
	name, number, numbered := strings.Cut(head[:end], "#")
	if numbered && (number == "" || len(number) > maxNumberDigits || strings.Trim(number, "0123456789") != "") {
		return 0
	}
	if k := Kind(name); k == OwnWord || slices.Contains(kinds[:], k) || slices.Contains(hostKinds, name) {
		return end + 2
	}
	return 0
}

const maxCQCode = 4096 // bytes

// cqCode returns the length of a CQ code at the start of s, or 0. It ignores CQ codes with user text: cards, locations,
// links.
func cqCode(s string) int {
	if !strings.HasPrefix(s, "[CQ:") {
		return 0
	}
	head := s[4:min(len(s), maxCQCode)]
	end := strings.IndexAny(head, "][\n")
	if end < 0 || head[end] != ']' {
		return 0
	}
	kind, _, _ := strings.Cut(head[:end], ",")
	switch kind {
	case "at", "reply", "face", "mface", "bface", "sface", "dice", "rps", "poke", "shake", "image", "record", "video", "forward":
		return 4 + end + 1
	}
	return 0
}

// needsFolding reports whether folding changes or removes a rune.
func needsFolding(r rune) bool { return r >= 0xA0 && foldRune(r) != r }

// foldRune folds one rune; 0 removes it. Common runes of Chinese text that do not matter for the search stay unchanged.
func foldRune(r rune) rune {
	switch {
	case r < 0xA0, 0x4E00 <= r && r <= 0x9FFF, 0x3001 <= r && r <= 0x30FF:
		return r
	case r == 0xA0, 0x2000 <= r && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return ' '
	case r == 0xAD, r == 0x61C, r == 0x180E, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F, r == 0xFEFF,
		0xE0000 <= r && r <= 0xE01EF, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case 0xFF01 <= r && r <= 0xFF5E:
		switch r {
		case '，', '！', '？', '；', '：', '（', '）':
			return r
		}
		return r - 0xFEE0
	case 0x2010 <= r && r <= 0x2015, r == 0x2212, r == 0xFE63, r == 0xFE58:
		return '-'
	case r == '•', r == '‧', r == '∙', r == '・', r == 'ㆍ':
		return '·'
	case r == 0xFE6B:
		return '@'
	case r == 0xFE52:
		return '.'
	}
	return foldEnclosed(r)
}

// series are ranges of enclosed digits and letters, with the plain form of the first.
var series = [...]struct{ from, to, first rune }{
	{0xB2, 0xB3, '2'}, {0xB9, 0xB9, '1'}, {0x2070, 0x2070, '0'}, {0x2074, 0x2079, '4'}, {0x2080, 0x2089, '0'},
	{0x2460, 0x2468, '1'}, {0x2474, 0x247C, '1'}, {0x2488, 0x2490, '1'}, {0x24B6, 0x24CF, 'A'}, {0x24D0, 0x24E9, 'a'},
	{0x24EA, 0x24EA, '0'}, {0x24F5, 0x24FD, '1'}, {0x24FF, 0x24FF, '0'}, {0x2776, 0x277E, '1'}, {0x2780, 0x2788, '1'}, {0x278A, 0x2792, '1'},
	{0x1F100, 0x1F100, '0'}, {0x1F101, 0x1F101, '0'}, {0x1F102, 0x1F10A, '1'},
}

// foldEnclosed folds enclosed and styled digits and letters.
func foldEnclosed(r rune) rune {
	for _, s := range &series {
		if s.from <= r && r <= s.to {
			return s.first + r - s.from
		}
	}
	switch {
	case 0x1D400 <= r && r <= 0x1D6A3: // mathematical letters in several styles, each A-Z and a-z
		if r = (r - 0x1D400) % 52; r < 26 {
			return 'A' + r
		}
		return 'a' + r - 26
	case 0x1D7CE <= r && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case 0x3220 <= r && r <= 0x3228, 0x3280 <= r && r <= 0x3288:
		return hanNumerals[(r-0x3220)%0x60]
	case r == 'Ⅹ', r == 'ⅹ': // the check digit of an ID card
		return 'X'
	case 0x370 <= r && r <= 0x4FF:
		return foldLookalike(r)
	case r > 0x600 && unicode.Is(unicode.Nd, r): // decimal digits of other scripts come in blocks of ten
		zero := r
		for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

var hanNumerals = [...]rune{'一', '二', '三', '四', '五', '六', '七', '八', '九'}

// foldLookalike converts a Greek or Cyrillic letter to the Latin letter with the same shape.
func foldLookalike(r rune) rune {
	const from, to = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕЅІЈКМНОРСТХасеѕіјорхуһԁ", "ABEZHIKMNOPTYXoABESIJKMHOPCTXacesijopxyhd"
	if i := strings.IndexRune(from, r); i >= 0 {
		return rune(to[i/2]) // each rune of from has two bytes
	}
	return r
}
