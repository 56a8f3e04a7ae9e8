package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	maxGroups = 24
	maxDigits = 24
)

// groups are runs of digits with separators between them: "138 1234-5678" has groups of 3, 4 and 4 digits.
type groups struct {
	n         int
	digits    [maxDigits]byte
	total     int
	sizes     [maxGroups]uint8 // digits of each group
	ends      [maxGroups]int32 // end of each group in the folded text, as an offset from start
	seps      [maxGroups]byte  // separator before each group, its first byte; repeated blanks count as one
	start     int
	han       bool // contains Chinese numerals
	truncated bool // there are more digits than fit
	stop      int  // end of reading, as an offset from start
}

// readGroups reads the groups that start at i. With han it accepts Chinese numerals.
func (c *scanner) readGroups(i int, han bool) {
	g := &c.g
	g.n, g.total, g.start, g.han, g.truncated = 0, 0, i, false, false
	sep := byte(0)
	for g.n < maxGroups {
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
			if g.total+size == maxDigits {
				g.truncated = true
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
		if g.truncated {
			break
		}
		var ok bool
		if g.n == 1 && c.prev(g.start) == '+' { // "+1 (628) 555-1234"
			if k := c.skip(i, " (（", 2); is(c.next(k), digit) {
				i, sep = k, ' '
				continue
			}
		}
		if sep, i, ok = c.separator(i); !ok {
			break
		}
	}
	g.stop = i - g.start
	c.work += g.stop
}

// separator reads the separator between two groups, if a digit follows.
func (c *input) separator(i int) (sep byte, end int, ok bool) {
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
		case 0xE2, 0xE3, 0xEF:
			w := prefix(c.s[i:], "）", "。", "・", "ー", "〜", "─", "━")
			if w == 0 {
				return sep, i, n > 0
			}
			if b = '-'; strings.HasPrefix(c.s[i:], "）") {
				b = ')'
			}
			i += w
		default:
			return sep, i, n > 0
		}
		if sep == 0 || sep == ' ' || sep == '*' || sep == '`' || sep == '~' { // "**138**-1234-5678"
			sep = b
		}
	}
	return sep, i, i < len(c.s)
}

// hasSizes reports whether the groups from k on have these sizes.
func (g *groups) hasSizes(k int, sizes ...uint8) bool {
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

// singleDigits returns the number of consecutive groups of one digit from k on.
func (g *groups) singleDigits(k int) int {
	n := 0
	for k+n < g.n && g.sizes[k+n] == 1 {
		n++
	}
	return n
}

// sameSeparators reports whether the separators of the n groups from k on are equal.
func (g *groups) sameSeparators(k, n int) bool {
	for i := k + 2; i < k+n; i++ {
		if g.seps[i] != g.seps[k+1] {
			return false
		}
	}
	return true
}

func (g *groups) end(k int) int { return g.start + int(g.ends[k]) }

// digitsIn returns the number of digits in the first k groups.
func (g *groups) digitsIn(k int) int {
	n := 0
	for _, s := range g.sizes[:k] {
		n += int(s)
	}
	return n
}

// number handles a token with a digit at i. It returns the position to continue at.
func (c *scanner) number(i, end int) int {
	if c.prev(i) == '.' && i > 1 && is(c.s[i-2], digit) && end-i > 5 && (end-i != 11 || c.s[i-2] == '0' || strings.HasPrefix(c.s[i-2:], "3.14159")) {
		return end // decimals; but "1.13812345678" is a number in a list
	}
	if c.s[i] == '1' && c.next(i+1) == '/' && c.vendorKey(i) {
		return c.resumeAt
	}
	e := i + 1
	for e < end && is(c.s[e], digit) {
		e++
	}
	if e-i > maxDigits {
		return end // too long for any format
	}
	if e < end { // letters follow
		if c.mac(i) || c.ipv6(i) || c.uscc(i) || c.zhipu(i, end) {
			return c.resumeAt
		}
	} else if c.dotted(i, e) {
		return c.resumeAt
	}
	c.readGroups(i, false)
	g := &c.g
	stop := g.start + g.stop
	if c.matchGroups() || c.skip(stop, hanDigits, 1) > stop && c.spokenFrom(i) {
		return c.resumeAt
	}
	if n := g.singleDigits(0); n > 2 { // a number of single digits is complete or none
		for n == maxGroups {
			c.readGroups(g.start+g.stop, false)
			n = g.singleDigits(0)
		}
		if n > 0 {
			return g.end(n - 1)
		}
		return g.start
	}
	return end
}

// matchGroups checks the groups for a number of any kind.
func (c *scanner) matchGroups() bool {
	return c.g.total >= 4 && (c.idCard() || c.mobile() || c.phone() || c.bankCard() || c.sentCode() || c.documentDigits() || c.roomNumber())
}

// dotted checks for IP addresses, tokens and codes of letters and digits with separators.
func (c *scanner) dotted(i, e int) bool {
	switch b := c.next(e); {
	case b == '.':
		return c.ipv4(i) || c.mac(i)
	case b == ':':
		return c.telegram(i, e) || c.mac(i) || c.ipv6(i)
	case b == '-':
		return c.mac(i) || c.uscc(i)
	case b == ' ' || e-i == 18:
		return c.uscc(i) || e-i == 2 && c.mac(i)
	}
	return false
}

// spoken handles a Chinese numeral. next is the position after it.
func (c *scanner) spoken(i, next int) bool {
	n := c.skip(next, " -", 2)
	if n < len(c.s) && !is(c.s[n], digit) && c.skip(n, hanDigits, 1) == n {
		return false
	}
	// Only a whole run can be a number.
	return c.spokenFrom(i) || c.advance(c.skip(next, hanDigits, len(c.s)))
}

// spokenFrom checks for numbers with Chinese numerals.
func (c *scanner) spokenFrom(i int) bool {
	c.readGroups(i, true)
	return c.g.han && (c.idCard() || c.mobile())
}

// standsAlone reports whether the context allows a separate number.
func (c *input) standsAlone(start, end int) bool {
	return c.validBefore(start) && c.validAfter(end) || c.emphasized(start, end)
}

// emphasized reports whether a number has equally many '_' on both sides, as Markdown emphasis.
func (c *input) emphasized(start, end int) bool {
	b, e := c.back(start, under, 4), c.run(end, under, 4)
	return b < start && start-b == e-end && !is(c.prev(b), wordChar) && !is(c.next(e), wordChar)
}

func (c *input) validBefore(start int) bool {
	switch p := c.prev(start); {
	case is(p, under):
		return false
	case is(p, letter):
		k := c.back(start, letter, 9)
		return !is(c.prev(k), digit|under) && isNumberWord(c.s[k:start])
	}
	return true
}

func (c *input) validAfter(end int) bool {
	switch n := c.next(end); {
	case is(n, digit|under):
		return false
	case is(n, letter):
		k := c.run(end, letter, 9)
		return !is(c.next(k), wordChar) && isNumberWord(c.s[end:k])
	case n == '.': // tables produce "13812345678.0"
		return !is(c.next(end+1), digit) || c.next(end+1) == '0' && !is(c.next(end+2), digit) && c.next(end+2) != '.'
	}
	return true
}

// isAmount reports whether the context marks a number as an amount.
func (c *input) isAmount(start, end int) bool {
	after := strings.TrimLeft(c.s[end:min(len(c.s), end+8)], " ")
	r, _ := utf8.DecodeRuneInString(after)
	return hasSuffix(c.s[:start], "$", "¥", "￥") || strings.HasPrefix(after, "小时") ||
		strings.ContainsRune("分秒年月元块个次位字天时点万亿人条号只%℃度米克", r) && r != utf8.RuneError
}
