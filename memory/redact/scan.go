package redact

import (
	"strings"
	"unicode/utf8"
)

// input is a folded text of one segment. Its methods look at a bounded number of bytes around a position.
type input struct {
	s    string
	work int // bytes examined, for the tests of linear time
}

// A scanner passes over a folded text once, from left to right. At words, numbers, '@' and some other characters it
// looks at a bounded number of bytes on both sides.
type scanner struct {
	input
	found      []Finding // positions in s
	all        []Finding // positions in the whole text
	privateIPs bool
	columns    []string // the first line of a table that may continue
	resumeAt   int      // the end of the last consumed part
	g          groups
}

// add appends a finding and consumes it.
func (c *scanner) add(k Kind, start, end int) bool {
	c.found = append(c.found, Finding{k, start, end})
	return c.advance(end)
}

// advance sets the position at which the scan continues, and returns true. Methods of a scanner return true if they
// have consumed input, so a || b tries b if a does not match.
func (c *scanner) advance(end int) bool {
	c.resumeAt = end
	return true
}

// scan searches s. It returns false without findings if s contains a character that needs folding.
func (c *scanner) scan(s string) bool {
	c.s = s
	set := triggers()
	for i := 0; i < len(s); {
		b := s[i]
		switch {
		case b >= utf8.RuneSelf:
			if 0xE4 <= b && b <= 0xE9 && i+2 < len(s) { // most Chinese characters
				r := rune(b&15)<<12 | rune(s[i+1]&63)<<6 | rune(s[i+2]&63)
				if !set.has(r) {
					i += 3
					continue
				}
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				i++
				continue
			}
			if needsFolding(r) {
				c.found = c.found[:0]
				return false
			}
			if set.has(r) && c.hanTrigger(i, r) {
				i = c.resumeAt
				continue
			}
			i += n
		case is(b, wordChar):
			i = c.token(i)
		default:
			i = c.punctuation(i, b)
		}
	}
	c.work += len(s)
	return true
}

// punctuation handles an ASCII byte outside words.
func (c *scanner) punctuation(i int, b byte) int {
	found := false
	switch b {
	case '@':
		found = c.atSign(i)
	case '#':
		if is(c.prev(i), digit) && c.address(i) {
			found = true
		} else if is(c.prev(i), alnumChar) && is(c.next(i+1), alnumChar) {
			c.mail(i, i+1, 3)
		}
	case ':':
		found = strings.HasPrefix(c.s[i:], "://") && c.url(i) || c.ends(i, "oracle:thin") && c.oracle(i) || c.assign(i, i+1)
	case '=':
		n := c.next(i + 1)
		found = n != '=' && n != '~' && strings.IndexByte("=!<>~", c.prev(i)) < 0 && c.assign(i, i+1)
	case '|':
		found = c.next(i+1) != '|' && c.assign(i, i+1)
	case ',': // Header.Set("Cookie", "…")
		if p := c.prev(i); p == '"' || p == '\'' {
			found = c.argument(i, p)
		}
	case '>':
		found = is(c.prev(i), wordChar) && c.tag(i)
	case '-':
		switch n := c.next(i + 1); {
		case n == '-':
			found = strings.HasPrefix(c.s[i:], "-----BEGIN ") && c.pem(i)
		case (n == 'p' || n == 'u') && c.prev(i) == ' ':
			found = c.flag(i)
		}
	}
	if found {
		return c.resumeAt
	}
	return i + 1
}

// token handles a run of letters, digits and '_'. It returns the end of the run or of a finding.
func (c *scanner) token(i int) int {
	end := i + 1
	for end < len(c.s) && is(c.s[end], wordChar) {
		end++
	}
	n := end - i
	if n > 1024 { // too long for a word or a number
		if c.jwt(i) {
			return c.resumeAt
		}
		return end
	}
	if c.mobileWithLetters(i, end) {
		return c.resumeAt
	}
	if is(c.s[i], digit) {
		return c.number(i, end)
	}
	if c.s[i] == '_' { // "_138…_" is emphasis
		if j := c.run(i, under, 4); is(c.next(j), digit) {
			return c.number(j, end)
		}
	}
	// leading letters, followed by digits
	k := i
	for k < end && is(c.s[k], letter) {
		k++
	}
	if c.vendorKey(i) || k == end && c.keyword(i, k) {
		return c.resumeAt
	}
	if n >= 8 && n <= 22 && k > i+2 && k < end && c.has(i, "vx") && strings.IndexByte("+/=", c.prev(i)) < 0 && strings.IndexByte("+/=", c.next(end)) < 0 { // "vxabc123"
		c.add(WeChat, i+2, end)
		return end
	}
	if n > 3 && n < 16 && c.s[i]|0x20 == 'm' && c.has(i, "mac") && c.mac(i+3) {
		return c.resumeAt
	}
	if n >= 6 && c.next(end) == ' ' && is(c.next(end+9), alnumChar) && c.namedSecret(i, end) {
		return c.resumeAt
	}
	hex := is(c.s[i], hexDigit)
	if k == end {
		if n == 2 && c.ends(end, "at") {
			c.spelledAt(i, end)
		}
		if hex && (n == 2 || n == 4 || n == 12) && c.mac(i) || c.privateIPs && n <= 4 && c.next(end) == ':' && c.ipv6(i) {
			return c.resumeAt
		}
		return end
	}
	if hex && (c.mac(i) || c.privateIPs && c.ipv6(i)) || c.zhipu(i, end) || c.discord(i, end) || c.uscc(i) || k > i && k-i <= 2 && c.document(i, k, end) {
		return c.resumeAt
	}
	if k > i && k-i <= 2 && c.prev(i) != '-' && oneOf(c.s[i:k], "qq", "q") && c.qq(k) {
		return c.resumeAt
	}
	if k > i && k-i <= 11 && is(c.s[k], digit) && (isNumberWord(c.s[i:k]) || end-k == 11 && c.afterName(k)) {
		return c.number(k, end)
	}
	return end
}

// isNumberWord reports whether a word may be directly next to a number: "tel138…".
func isNumberWord(w string) bool {
	var small [11]byte
	switch lowerASCII(&small, w) {
	case "tel", "phone", "mobile", "vx", "wx", "v", "call", "qq", "q", "mob", "ph", "sms", "id", "card", "ip", "fax", "number", "no", "cell":
		return true
	}
	return false
}

// hanTrigger handles one of the hanTriggers.
func (c *scanner) hanTrigger(i int, r rune) bool {
	next := i + utf8.RuneLen(r)
	switch r {
	case '：':
		return c.assign(i, next)
	case '是', '为', '為', '係', '系':
		p := c.prev(i)
		if p == ' ' {
			p = c.prev(i - 1)
		}
		return is(p, letter) && c.assign(i, next)
	case '座':
		return c.address(i) || c.hanKeyword(i, hanWords[r])
	case '号', '號', '弄', '巷', '舍', '室', '栋', '棟', '幢', '组', '組':
		return c.address(i)
	case '单', '單':
		return strings.HasPrefix(c.s[next:], "元") && c.address(i)
	case '艾':
		if strings.HasPrefix(c.s[next:], "特") {
			c.mail(i, next+3, 1)
		}
		return false
	}
	if list, ok := hanWords[r]; ok {
		return c.hanKeyword(i, list)
	}
	if _, ok := hanDigit(r); ok {
		return c.spoken(i, next)
	}
	return c.plate(i, next)
}
