package redact

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fenced stands in a shadow for what is not looked at: placeholders, CQ codes, what was found. Nothing found reaches across it.
const fenced = 1

// A shadow is a text as it is searched: in plain width, without characters that do not show, with those that are written as escapes. Most texts are their own shadow.
type shadow struct {
	text string
	from []int32 // of each byte of text, and of its end, where it came from; nil: from the same place
}

// fold makes the shadow of a text that is its own shadow so far.
func (s *shadow) fold() {
	b := make([]byte, 0, len(s.text))
	from := make([]int32, 0, len(s.text)+1)
	for i := 0; i < len(s.text); {
		r, n := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[i:])
		} else if escapes(s.text[i]) {
			if e, size := escaped(s.text[i:]); size > 0 {
				r, n = e, size
			}
		}
		switch p := plain(r); {
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
	s.text, s.from = string(b), append(from, int32(len(s.text)))
}

// origin gives the place in the text of a place in the shadow.
func (s *shadow) origin(i int) int {
	if s.from == nil {
		return i
	}
	return int(s.from[i])
}

// at gives the place in the shadow of a place in the text: of the next character that is in it.
func (s *shadow) at(i int) int {
	if s.from == nil {
		return i
	}
	return sort.Search(len(s.from)-1, func(k int) bool { return int(s.from[k]) >= i })
}

// mask fences what was found.
func (s *shadow) mask(found []Finding) {
	b := []byte(s.text)
	for _, f := range found {
		for i := f.Start; i < f.End; i++ {
			b[i] = fenced
		}
	}
	s.text = string(b)
}

// fence fences placeholders and CQ codes.
func (s *shadow) fence(own []string) {
	var b []byte
	for i := 0; i < len(s.text); {
		if s.text[i] != '[' {
			next := strings.IndexByte(s.text[i:], '[')
			if next < 0 {
				break
			}
			i += next
		}
		n := placeholder(s.text[i:], own)
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
			b[i] = fenced
			i++
		}
	}
	if b != nil {
		s.text = string(b)
	}
}

const mostNumber = 6 // digits of a placeholder's number: more could be something

// placeholder gives the length of the placeholder that s starts with, or 0.
func placeholder(s string, own []string) int {
	head := s[1:min(len(s), 64)]
	end := strings.IndexByte(head, ']')
	if end <= 0 {
		return 0
	}
	name, number, numbered := strings.Cut(head[:end], "#")
	if numbered && (number == "" || len(number) > mostNumber || strings.Trim(number, "0123456789") != "") {
		return 0
	}
	if k := Kind(name); k == OwnWord || slices.Contains(kinds[:], k) || slices.Contains(own, name) {
		return end + 2
	}
	return 0
}

const longestCQ = 4096 // bytes

// cqCode gives the length of the CQ code that s starts with, or 0. Those that hold what people wrote are none: cards, places, links.
func cqCode(s string) int {
	if !strings.HasPrefix(s, "[CQ:") {
		return 0
	}
	head := s[4:min(len(s), longestCQ)]
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

// folds tells whether a rune is another one in a shadow, or none.
func folds(r rune) bool { return r >= 0xA0 && plain(r) != r }

// plain gives the rune that stands for r in a shadow; 0 for none. What is common in Chinese text and no part of what is searched stays as it is.
func plain(r rune) rune {
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
	return enclosed(r)
}

// series are runs of digits and letters that are drawn in another way, and what the first of each stands for.
var series = [...]struct{ from, to, first rune }{
	{0xB2, 0xB3, '2'}, {0xB9, 0xB9, '1'}, {0x2070, 0x2070, '0'}, {0x2074, 0x2079, '4'}, {0x2080, 0x2089, '0'},
	{0x2460, 0x2468, '1'}, {0x2474, 0x247C, '1'}, {0x2488, 0x2490, '1'}, {0x24B6, 0x24CF, 'A'}, {0x24D0, 0x24E9, 'a'},
	{0x24EA, 0x24EA, '0'}, {0x24F5, 0x24FD, '1'}, {0x24FF, 0x24FF, '0'}, {0x2776, 0x277E, '1'}, {0x2780, 0x2788, '1'}, {0x278A, 0x2792, '1'},
	{0x1F100, 0x1F100, '0'}, {0x1F101, 0x1F101, '0'}, {0x1F102, 0x1F10A, '1'},
}

// enclosed folds digits and letters that are drawn in another way.
func enclosed(r rune) rune {
	for _, s := range &series {
		if s.from <= r && r <= s.to {
			return s.first + r - s.from
		}
	}
	switch {
	case 0x1D400 <= r && r <= 0x1D6A3: // mathematical letters: bold, italic, script and so on, each A-Z and a-z
		if r = (r - 0x1D400) % 52; r < 26 {
			return 'A' + r
		}
		return 'a' + r - 26
	case 0x1D7CE <= r && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case 0x3220 <= r && r <= 0x3228, 0x3280 <= r && r <= 0x3288:
		return hanNumerals[(r-0x3220)%0x60]
	case r == 'Ⅹ', r == 'ⅹ': // a check digit
		return 'X'
	case 0x370 <= r && r <= 0x4FF:
		return lookalike(r)
	case r > 0x600 && unicode.Is(unicode.Nd, r): // decimal digits of other scripts come in tens
		zero := r
		for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

var hanNumerals = [...]rune{'一', '二', '三', '四', '五', '六', '七', '八', '九'}

// lookalike gives the Latin letter that a Greek or Cyrillic one looks like, and others as they are.
func lookalike(r rune) rune {
	const from, to = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕЅІЈКМНОРСТХасеѕіјорхуһԁ", "ABEZHIKMNOPTYXoABESIJKMHOPCTXacesijopxyhd"
	if i := strings.IndexRune(from, r); i >= 0 {
		return rune(to[i/2]) // every rune of from has two bytes
	}
	return r
}
