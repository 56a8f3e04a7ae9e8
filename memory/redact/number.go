package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	mostGroups = 24
	mostDigits = 24
)

// groups are digits with what people write between them: "138 1234-5678" is 3, 4 and 4 digits.
type groups struct {
	n      int
	digits [mostDigits]byte
	total  int
	sizes  [mostGroups]uint8 // digits of each group
	ends   [mostGroups]int32 // where each ends in the shadow, as an offset from start
	seps   [mostGroups]byte  // what stands before each, its first byte; two blanks count as one
	start  int
	han    bool // some are spoken digits
	more   bool // it goes on: more digits than fit
	stop   int  // where reading stopped, as an offset from start
}

// group reads the groups that start at i; with han also spoken digits.
func (c *scanner) group(i int, han bool) {
	g := &c.g
	g.n, g.total, g.start, g.han, g.more = 0, 0, i, false, false
	sep := byte(0)
	for g.n < mostGroups {
		size := 0
		for i < len(c.s) {
			b, n := c.s[i], 1
			if !is(b, digit) {
				if !han || b < utf8.RuneSelf {
					break
				}
				var r rune
				r, n = utf8.DecodeRuneInString(c.s[i:])
				d, ok := hanDigit(r)
				if !ok {
					break
				}
				b, g.han = d, true
			}
			if g.total+size == mostDigits {
				g.more = true
				break
			}
			g.digits[g.total+size] = b
			size++
			i += n
		}
		if size == 0 {
			break
		}
		g.sizes[g.n], g.ends[g.n], g.seps[g.n] = uint8(size), int32(i-g.start), sep
		g.total += size
		g.n++
		if g.more {
			break
		}
		var ok bool
		if sep, i, ok = c.separator(i); !ok {
			break
		}
	}
	g.stop = i - g.start
	c.work += g.stop
}

// separator reads what may stand between two groups, when a digit follows.
func (c *scanner) separator(i int) (sep byte, end int, ok bool) {
	for n := 0; n < 3 && i < len(c.s); n++ {
		b := c.s[i]
		switch b {
		case ' ', '-', '.', '_', ')', '*', '/', '~', '`':
			i++
		case 0xC2: // ·
			if !strings.HasPrefix(c.s[i:], "·") {
				return 0, i, false
			}
			i += 2
		case 0xEF: // ）
			if !strings.HasPrefix(c.s[i:], "）") {
				return 0, i, false
			}
			i += 3
			b = ')'
		default:
			return sep, i, n > 0
		}
		if sep == 0 || sep == ' ' {
			sep = b
		}
	}
	return sep, i, i < len(c.s)
}

// like tells whether the groups from k on have these sizes.
func (g *groups) like(k int, sizes ...uint8) bool {
	if k+len(sizes) > g.n {
		return false
	}
	for i, n := range sizes {
		if g.sizes[k+i] != n {
			return false
		}
	}
	return true
}

// singles tells how many groups of one digit there are from k on.
func (g *groups) singles(k int) int {
	n := 0
	for k+n < g.n && g.sizes[k+n] == 1 {
		n++
	}
	return n
}

// even tells whether the separators of the n groups from k on are one and the same.
func (g *groups) even(k, n int) bool {
	for i := k + 2; i < k+n; i++ {
		if g.seps[i] != g.seps[k+1] {
			return false
		}
	}
	return true
}

func (g *groups) end(k int) int { return g.start + int(g.ends[k]) }

// sum gives how many digits the first k groups have.
func (g *groups) sum(k int) int {
	n := 0
	for _, s := range g.sizes[:k] {
		n += int(s)
	}
	return n
}

// number looks at a token that is a digit from i on and gives where to go on.
func (c *scanner) number(i, end int) int {
	if c.prev(i) == '.' && i > 1 && is(c.s[i-2], digit) && end-i > 5 && (end-i != 11 || c.s[i-2] == '0' || strings.HasPrefix(c.s[i-2:], "3.14159")) {
		return end // decimals; but "1.13812345678" is a number in a list
	}
	e := i + 1
	for e < end && is(c.s[e], digit) {
		e++
	}
	if e-i > mostDigits {
		return end // no number of anything here
	}
	if e < end { // goes on with letters
		if c.mac(i) || c.ipv6(i) || c.uscc(i) || c.zhipu(i, end) {
			return c.end
		}
	} else if c.dotted(i, e) {
		return c.end
	}
	c.group(i, false)
	g := &c.g
	stop := g.start + g.stop
	if c.grouped() || c.skip(stop, hanDigits, 1) > stop && c.spokenFrom(i) {
		return c.end
	}
	if n := g.singles(0); n > 2 { // a number that is written digit by digit is all of them, or none
		for n == mostGroups {
			c.group(g.start+g.stop, false)
			n = g.singles(0)
		}
		if n > 0 {
			return g.end(n - 1)
		}
		return g.start
	}
	return end
}

// grouped looks at the groups that were read for what is a number and nothing else.
func (c *scanner) grouped() bool {
	return c.g.total >= 4 && (c.idCard() || c.mobile() || c.phone() || c.bankCard() || c.qq() || c.sentCode() || c.document8())
}

// dotted looks at digits that may begin an address, a token, or be of letters and digits with separators.
func (c *scanner) dotted(i, e int) bool {
	switch b := c.next(e); {
	case b == '.':
		return c.ipv4(i) || c.mac(i)
	case b == ':':
		return c.telegram(i, e) || c.mac(i) || c.ipv6(i)
	case b == '-':
		return c.mac(i) || c.uscc(i)
	case b == ' ' || e-i == 18:
		return c.uscc(i)
	}
	return false
}

// spoken looks at a spoken digit; next is what follows it.
func (c *scanner) spoken(i, next int) bool {
	n := c.skip(next, " -", 2)
	if n < len(c.s) && !is(c.s[n], digit) && c.skip(n, hanDigits, 1) == n {
		return false
	}
	// Only a run as a whole can be a number.
	return c.spokenFrom(i) || c.read(c.skip(next, hanDigits, len(c.s)))
}

// spokenFrom looks for numbers of which some digits are spoken.
func (c *scanner) spokenFrom(i int) bool {
	c.group(i, true)
	return c.g.han && (c.idCard() || c.mobile())
}

// clean tells whether what stands around a number lets it be one of its own.
func (c *scanner) clean(start, end int) bool {
	return c.cleanBefore(start) && c.cleanAfter(end) || c.emphasized(start, end)
}

// emphasized tells whether as many '_' stand before a number as after it, and no word around them: Markdown.
func (c *scanner) emphasized(start, end int) bool {
	b, e := c.back(start, under, 4), c.run(end, under, 4)
	return b < start && start-b == e-end && !is(c.prev(b), wordChar) && !is(c.next(e), wordChar)
}

func (c *scanner) cleanBefore(start int) bool {
	switch p := c.prev(start); {
	case is(p, under):
		return false
	case is(p, letter):
		k := c.back(start, letter, 9)
		return !is(c.prev(k), digit|under) && numberWord(c.s[k:start])
	}
	return true
}

func (c *scanner) cleanAfter(end int) bool {
	switch n := c.next(end); {
	case is(n, digit|under):
		return false
	case is(n, letter):
		k := c.run(end, letter, 9)
		return !is(c.next(k), wordChar) && numberWord(c.s[end:k])
	case n == '.': // "13812345678.0" is what tables make of it
		return !is(c.next(end+1), digit) || c.next(end+1) == '0' && !is(c.next(end+2), digit) && c.next(end+2) != '.'
	}
	return true
}

// counts tells whether what stands around a number makes it an amount.
func (c *scanner) counts(start, end int) bool {
	after := strings.TrimLeft(c.s[end:min(len(c.s), end+8)], " ")
	r, _ := utf8.DecodeRuneInString(after)
	return hasSuffix(c.s[:start], "$", "¥", "￥") || strings.HasPrefix(after, "小时") ||
		strings.ContainsRune("分秒年月元块个次位字天时点万亿人条号只%℃度米克", r) && r != utf8.RuneError
}
