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
	work  int // bytes that were looked at, for the tests of linear time
	g     groups
}

func (c *scanner) add(k Kind, start, end int) int {
	c.found = append(c.found, Finding{k, start, end})
	return end
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
				i = max(c.han(i, r), i+n)
			} else {
				i += n
			}
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
	switch b {
	case '@':
		return c.at(i)
	case '#':
		if is(c.prev(i), alnumChar) && is(c.next(i+1), alnumChar) {
			c.mail(i, i+1, 3)
		}
	case ':':
		if strings.HasPrefix(c.s[i:], "://") {
			return c.url(i)
		}
		return max(c.assign(i, i+1), i+1)
	case '=':
		if n := c.next(i + 1); n != '=' && n != '~' && strings.IndexByte("=!<>~", c.prev(i)) < 0 {
			return max(c.assign(i, i+1), i+1)
		}
	case '-':
		if strings.HasPrefix(c.s[i:], "-----BEGIN ") {
			return c.pem(i)
		}
	}
	return i + 1
}

// token looks at a word or a number, all that is letters, digits and '_' in a row, and gives its end or that of what was found.
func (c *scanner) token(i int) int {
	end := i + 1
	for end < len(c.s) && is(c.s[end], wordChar) {
		end++
	}
	if end-i > 1024 { // no word, no number
		if e := c.jwt(i); e > 0 {
			return e
		}
		return end
	}
	n := end - i
	first := c.s[i]
	if is(first, digit) {
		if e := c.lookalikes(i, end); e > 0 {
			return e
		}
		return c.number(i, end)
	}
	if first == '_' { // "_138…_": emphasis
		if j := c.run(i, under, 4); is(c.next(j), digit) {
			return c.number(j, end)
		}
	}
	if e := c.lookalikes(i, end); e > 0 {
		return e
	}
	// Letters that come first, and digits after them.
	k := i
	for k < end && is(c.s[k], letter) {
		k++
	}
	if e := c.prefixed(i, k, end); e > 0 {
		return e
	}
	if e := c.keyword(i, k, end); e > 0 {
		return e
	}
	if n >= 8 && n <= 22 && k > i+2 && k < end && c.has(i, "vx") { // "vxabc123"
		return c.add(WeChat, i+2, end)
	}
	if k == end {
		if n == 2 && c.ends(end, "at") {
			c.spelledAt(i, end)
		}
		if n == 2 && is(c.s[i], hexDigit) {
			if e := c.mac(i); e > 0 {
				return e
			}
		}
		if n == 4 && c.next(end) == '.' {
			if e := c.mac(i); e > 0 {
				return e
			}
		}
		if c.lan && n <= 4 && c.next(end) == ':' {
			if e := c.ipv6(i); e > 0 {
				return e
			}
		}
		return end
	}
	if is(c.s[i], hexDigit) {
		if e := c.mac(i); e > 0 {
			return e
		}
		if c.lan {
			if e := c.ipv6(i); e > 0 {
				return e
			}
		}
	}
	if e := c.zhipu(i, end); e > 0 {
		return e
	}
	if e := c.uscc(i); e > 0 {
		return e
	}
	if k-i <= 2 && k > i {
		if e := c.document(i, k, end); e > 0 {
			return e
		}
	}
	if k > i && k-i <= 8 && k < end && is(c.s[k], digit) && numberWord(c.s[i:k]) {
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
func (c *scanner) han(i int, r rune) int {
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
		return next
	case '验', '驗', '校', '动', '動', '短', '取', '提', '门', '門', '开', '開', '密', '口', '令', '访', '通', '微', '薇', '威', '徽', '加', '秘':
		return c.hanKeyword(i)
	}
	if _, ok := hanDigit(r); ok {
		return c.spoken(i, next)
	}
	return c.plate(i, next)
}
