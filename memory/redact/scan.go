package redact

import (
	"strings"
	"unicode/utf8"
)

// A scanner passes over a shadow once, from left to right. At what may be part of a finding (a word, a number, an '@', some characters) it looks around,
// a bounded number of bytes to either side.
type scanner struct {
	s     string    // the shadow of the segment
	found []Finding // in s
	all   []Finding // in the whole text
	lan   bool
	end   int // of what was read last
	work  int // bytes that were looked at, for the tests of linear time
	g     groups
}

// add keeps a finding, which was read.
func (c *scanner) add(k Kind, start, end int) bool {
	c.found = append(c.found, Finding{k, start, end})
	return c.read(end)
}

// read sets where the scan goes on. Whoever looks for something reports whether it was read, and so does read: a || b is b where a is not there.
func (c *scanner) read(end int) bool {
	c.end = end
	return true
}

// scan searches s. It gives up, with nothing found, where a character shows that s must be folded first.
func (c *scanner) scan(s string) bool {
	c.s = s
	set := triggers()
	for i := 0; i < len(s); {
		b := s[i]
		switch {
		case b >= utf8.RuneSelf:
			if 0xE4 <= b && b <= 0xE9 && i+2 < len(s) { // most of Chinese
				r := rune(b&15)<<12 | rune(s[i+1]&63)<<6 | rune(s[i+2]&63)
				if set[r>>6]>>(r&63)&1 == 0 {
					i += 3
					continue
				}
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				i++
				continue
			}
			if folds(r) {
				c.found = c.found[:0]
				return false
			}
			if r < 1<<16 && set[r>>6]>>(r&63)&1 != 0 {
				if c.han(i, r) {
					i = c.end
					continue
				}
			}
			i += n
		case is(b, wordChar):
			i = c.token(i)
		default:
			i = c.mark(i, b)
		}
	}
	c.work += len(s)
	return true
}

// mark looks at an ASCII byte that is of no word.
func (c *scanner) mark(i int, b byte) int {
	found := false
	switch b {
	case '@':
		found = c.at(i)
	case '#':
		if is(c.prev(i), alnumChar) && is(c.next(i+1), alnumChar) {
			c.mail(i, i+1, 3)
		}
	case ':':
		found = strings.HasPrefix(c.s[i:], "://") && c.url(i) || c.assign(i, i+1)
	case '=':
		n := c.next(i + 1)
		found = n != '=' && n != '~' && strings.IndexByte("=!<>~", c.prev(i)) < 0 && c.assign(i, i+1)
	case '-':
		found = strings.HasPrefix(c.s[i:], "-----BEGIN ") && c.pem(i)
	}
	if found {
		return c.end
	}
	return i + 1
}

// token looks at a word or a number, all that is letters, digits and '_' in a row, and gives its end or that of what was found.
func (c *scanner) token(i int) int {
	end := i + 1
	for end < len(c.s) && is(c.s[end], wordChar) {
		end++
	}
	n := end - i
	if n > 1024 { // no word, no number
		if c.jwt(i) {
			return c.end
		}
		return end
	}
	if c.lookalikes(i, end) {
		return c.end
	}
	if is(c.s[i], digit) {
		return c.number(i, end)
	}
	if c.s[i] == '_' { // "_138…_": emphasis
		if j := c.run(i, under, 4); is(c.next(j), digit) {
			return c.number(j, end)
		}
	}
	// Letters that come first, and digits after them.
	k := i
	for k < end && is(c.s[k], letter) {
		k++
	}
	if c.prefixed(i, k, end) || k == end && c.keyword(i, k) {
		return c.end
	}
	if n >= 8 && n <= 22 && k > i+2 && k < end && c.has(i, "vx") { // "vxabc123"
		c.add(WeChat, i+2, end)
		return end
	}
	hex := is(c.s[i], hexDigit)
	if k == end {
		if n == 2 && c.ends(end, "at") {
			c.spelledAt(i, end)
		}
		if (n == 2 && hex || n == 4 && c.next(end) == '.') && c.mac(i) || c.lan && n <= 4 && c.next(end) == ':' && c.ipv6(i) {
			return c.end
		}
		return end
	}
	if hex && (c.mac(i) || c.lan && c.ipv6(i)) || c.zhipu(i, end) || c.uscc(i) || k > i && k-i <= 2 && c.document(i, k, end) {
		return c.end
	}
	if k > i && k-i <= 8 && is(c.s[k], digit) && numberWord(c.s[i:k]) {
		return c.number(k, end)
	}
	return end
}

// numberWord tells whether a word may stand right before a number: "tel138…".
func numberWord(w string) bool {
	switch strings.ToLower(w) {
	case "tel", "phone", "mobile", "vx", "wx", "v", "call", "qq", "q", "mob", "ph", "sms", "id", "card":
		return true
	}
	return false
}

// han looks at one of the hanTriggers.
func (c *scanner) han(i int, r rune) bool {
	next := i + utf8.RuneLen(r)
	switch r {
	case '：':
		return c.assign(i, next)
	case '号', '號', '弄', '室', '栋', '棟', '幢', '座', '组':
		return c.address(i)
	case '艾':
		if strings.HasPrefix(c.s[next:], "特") {
			c.mail(i, next+3, 1)
		}
		return false
	case '验', '驗', '校', '动', '動', '短', '取', '提', '门', '門', '开', '開', '密', '口', '令', '访', '通', '微', '薇', '威', '徽', '加', '秘':
		return c.hanKeyword(i)
	}
	if _, ok := hanDigit(r); ok {
		return c.spoken(i, next)
	}
	return c.plate(i, next)
}
