package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Classes of ASCII bytes.
const (
	letter     uint16 = 1 << iota
	digit             // 0-9
	under             // _
	local             // local part of an email address
	hexDigit          // 0-9 a-f A-F
	base64Char        // A-Z a-z 0-9 + / =
	tokenChar         // random values: base64 of both alphabets, ~ . -
	blank             // space and tab
	userChar          // user and password of a URL
	wordChar   = letter | digit | under
	alnumChar  = letter | digit
	noClass    = 0
)

var classes = [256]uint16{
	'0': d, '1': d, '2': d, '3': d, '4': d, '5': d, '6': d, '7': d, '8': d, '9': d,
	'a': h, 'b': h, 'c': h, 'd': h, 'e': h, 'f': h, 'A': h, 'B': h, 'C': h, 'D': h, 'E': h, 'F': h,
	'g': l, 'h': l, 'i': l, 'j': l, 'k': l, 'l': l, 'm': l, 'n': l, 'o': l, 'p': l, 'q': l, 'r': l, 's': l, 't': l, 'u': l, 'v': l, 'w': l, 'x': l, 'y': l, 'z': l,
	'G': l, 'H': l, 'I': l, 'J': l, 'K': l, 'L': l, 'M': l, 'N': l, 'O': l, 'P': l, 'Q': l, 'R': l, 'S': l, 'T': l, 'U': l, 'V': l, 'W': l, 'X': l, 'Y': l, 'Z': l,
	'_': under | local | tokenChar | userChar, '.': local | tokenChar | userChar, '%': local | tokenChar | userChar, '+': local | base64Char | tokenChar | userChar,
	'-': local | tokenChar | userChar, '/': base64Char | tokenChar, '=': base64Char | tokenChar | userChar, '~': tokenChar | userChar, ' ': blank, '\t': blank,
	'!': userChar, '$': userChar, '&': userChar, '*': userChar, ';': userChar, ':': userChar, '#': noClass, '@': userChar, '^': userChar,
}

const (
	d = digit | local | hexDigit | base64Char | tokenChar | userChar
	l = letter | local | base64Char | tokenChar | userChar
	h = l | hexDigit
)

func is(c byte, class uint16) bool { return classes[c]&class != 0 }

// hanTriggers are the characters at which a finding may start or end, beside the first ones of hanWords. The scanner skips
// all others.
const hanTriggers = "艾：是为為係系" +
	"号號弄巷舍室栋棟幢座组組单單" + // ends of an address
	provinces + hanDigits

const (
	provinces = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
	decimals  = "0123456789"
	hanDigits = "零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖貳參叄陸洞两兩拐勾"
)

// A runeSet is a bit set of runes below 1<<16.
type runeSet [1024]uint64

func (s *runeSet) add(r rune)      { s[r>>6] |= 1 << (r & 63) }
func (s *runeSet) has(r rune) bool { return r < 1<<16 && s[r>>6]>>(r&63)&1 != 0 }

// triggers is the set of hanTriggers and of the first runes of hanWords.
var triggers = sync.OnceValue(func() *runeSet {
	var set runeSet
	for _, r := range hanTriggers {
		set.add(r)
	}
	for r := range hanWords {
		set.add(r)
	}
	return &set
})

// hanDigit returns the value of a digit in Chinese numerals.
func hanDigit(r rune) (byte, bool) {
	switch r {
	case '零', '〇', '洞':
		return '0', true
	case '一', '幺', '壹':
		return '1', true
	case '二', '贰', '貳', '两', '兩':
		return '2', true
	case '三', '叁', '參', '叄':
		return '3', true
	case '四', '肆':
		return '4', true
	case '五', '伍':
		return '5', true
	case '六', '陆', '陸':
		return '6', true
	case '七', '柒', '拐':
		return '7', true
	case '八', '捌':
		return '8', true
	case '九', '玖', '勾':
		return '9', true
	}
	return 0, false
}

func isHan(r rune) bool { return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF }

// run returns the end of a run of bytes of a class that starts at i, at most limit bytes long.
func (c *input) run(i int, class uint16, limit int) int {
	start, end := i, min(len(c.s), i+limit)
	for i < end && is(c.s[i], class) {
		i++
	}
	c.work += i - start + 1
	return i
}

// back returns the start of a run of bytes of a class that ends at i, at most limit bytes long.
func (c *input) back(i int, class uint16, limit int) int {
	end, start := i, max(0, i-limit)
	for i > start && is(c.s[i-1], class) {
		i--
	}
	c.work += end - i + 1
	return i
}

// before returns up to n bytes before i. It stops at a masked byte or a line end.
func (c *input) before(i, n int) string {
	w := c.s[max(0, i-n):i]
	c.work += len(w)
	if k := strings.LastIndexAny(w, "\x01\n"); k >= 0 {
		w = w[k+1:]
	}
	for len(w) > 0 && !utf8.RuneStart(w[0]) {
		w = w[1:]
	}
	return w
}

// after returns up to n bytes from i on. It stops at a masked byte or a line end.
func (c *input) after(i, n int) string {
	w := c.s[i:min(len(c.s), i+n)]
	c.work += len(w)
	if k := strings.IndexAny(w, "\x01\n"); k >= 0 {
		w = w[:k]
	}
	return w
}

// prev returns the byte before i, or 0 at the start.
func (c *input) prev(i int) byte {
	if i == 0 {
		return 0
	}
	return c.s[i-1]
}

// next returns the byte at i, or 0 at the end.
func (c *input) next(i int) byte {
	if i >= len(c.s) {
		return 0
	}
	return c.s[i]
}

// skip skips at most n runes of a set.
func (c *input) skip(i int, set string, n int) int {
	for ; n > 0 && i < len(c.s); n-- {
		r, size := utf8.DecodeRuneInString(c.s[i:])
		if !strings.ContainsRune(set, r) || r == utf8.RuneError {
			break
		}
		i += size
		c.work += size
	}
	return i
}

// skipBack skips at most n runes of a set backwards from i.
func (c *input) skipBack(i int, set string, n int) int {
	for ; n > 0 && i > 0; n-- {
		r, size := utf8.DecodeLastRuneInString(c.s[:i])
		if !strings.ContainsRune(set, r) || r == utf8.RuneError {
			break
		}
		i -= size
		c.work += size
	}
	return i
}

// has reports whether the text at i is w, in any case.
func (c *input) has(i int, w string) bool {
	return i+len(w) <= len(c.s) && strings.EqualFold(c.s[i:i+len(w)], w)
}

// ends reports whether the text before i is w, in any case.
func (c *input) ends(i int, w string) bool {
	return i >= len(w) && strings.EqualFold(c.s[i-len(w):i], w)
}

// lowerASCII converts at most 11 letters to small ones without an allocation.
func lowerASCII(buf *[11]byte, w string) string {
	n := copy(buf[:], w)
	for i, b := range buf[:n] {
		if upper(b) {
			buf[i] = b | 0x20
		}
	}
	return string(buf[:n])
}

// containsFold reports whether s contains one of the words. It ignores ASCII case.
func containsFold(s string, words ...string) bool {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// prefix returns the length of the first word that s begins with, or 0.
func prefix(s string, words ...string) int {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// hasSuffix reports whether s ends with one of the words.
func hasSuffix(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}

// count returns the number of bytes of a class in s.
func count(s string, class uint16) (n int) {
	for i := range len(s) {
		if is(s[i], class) {
			n++
		}
	}
	return n
}

// distinct returns the number of different bytes in s.
func distinct(s string) (n int) {
	var seen [256]bool
	for i := range len(s) {
		if b := s[i]; !seen[b] {
			seen[b] = true
			n++
		}
	}
	return n
}
