package redact

import (
	"slices"
	"strings"
)

// wechat matches an ID of 6 to 20 letters, digits, '_' and '-' that starts with a letter. It needs a digit or a sign,
// unless a colon or similar precedes it.
func (c *scanner) wechat(i int) bool {
	at := c.filler(i, "")
	between := c.s[i:at]
	end := c.run(at, wordChar|local, 24)
	end = at + len(strings.TrimRight(c.s[at:end], ".%+"))
	v := c.s[at:end]
	if len(v) < 6 || len(v) > 20 || strings.ContainsAny(v, ".%+") || c.next(end) == '@' || strings.HasPrefix(c.s[end:], "://") || c.next(end) == '(' {
		return false
	}
	ok := false
	switch {
	case is(v[0], digit):
		phone := len(v) == 11 && v[0] == '1'
		ok = len(v) <= 11 && !phone && count(v, digit) == len(v) && strings.ContainsAny(between, "：:=号號是係") && !c.isAmount(end, end)
	case is(v[0], letter):
		ok = strings.ContainsAny(v, "0123456789_-") || (strings.ContainsAny(between, "：:=号號】>") || c.isContact(i, end, between)) && !isPlaceholderValue(v)
	}
	return ok && c.add(WeChat, at, end)
}

// isContact reports whether a value of letters that ends at end is an ID and no name of a program: after 是, is or ID, after a word
// such as 加 or a disguised keyword, and not part of a sentence.
func (c *input) isContact(i, end int, between string) bool {
	if c.next(end) == ' ' && is(c.next(end+1), letter) || strings.HasPrefix(strings.TrimLeft(c.after(end, 6), " "), "的") {
		return false
	}
	return strings.ContainsAny(between, "是係系叫") || hasWord(between, "is") || hasWord(between, "id") || containsFold(c.before(i, 18), "加", "找", "vx", "wx", "v信", "薇", "威信", "徽信", "维信")
}

// qq matches 5 to 11 digits after a keyword for QQ that ends at i. They may be single or in groups of at least three.
func (c *scanner) qq(i int) bool {
	more := looseMarks + ")）"
	if c.ends(i, "q") && !c.ends(i, "qq") { // "/q/12345678" is no QQ number
		more = ""
	}
	at := c.filler(i, more)
	if !is(c.next(at), digit) || c.s[at] == '0' {
		return false
	}
	c.readGroups(at, false)
	g := &c.g
	last, total := 0, int(g.sizes[0])
	if s := g.singleDigits(0); s >= 5 && s <= 11 {
		last, total = s-1, s
	} else if total < 5 {
		for last+1 < g.n && total < 8 && g.sizes[last] >= 3 && g.sizes[last+1] >= 2 && (g.seps[last+1] == ' ' || g.seps[last+1] == '-' || g.seps[last+1] == '.' && g.sizes[0] == 3) && g.sameSeparators(0, last+2) {
			last++
			total += int(g.sizes[last])
		}
		if total < 7 && !(last == 1 && total == 6) {
			return false
		}
	}
	end := g.end(last)
	if v := c.s[at:end]; slices.Contains(hotlines[:], v) || (total < 7 || isDate(v)) && strings.ContainsAny(c.s[i:at], looseMarks) {
		return false
	}
	if total > 11 || is(c.next(end), wordChar) || c.isAmount(end, end) || c.next(end) == '.' && is(c.next(end+1), digit) {
		return false
	}
	c.add(QQ, at, end)
	return c.advance(c.moreQQ(end))
}

// moreQQ adds the numbers of a list after a QQ number, which ends at end, and returns the end of the list.
func (c *scanner) moreQQ(end int) int {
	for range maxList {
		at := c.skip(end, listMarks, 4)
		if k := prefix(c.s[at:], "大号", "小号", "备用"); k > 0 {
			at = c.skip(at+k, " 是：:", 2)
		}
		k := c.run(at, digit, 12)
		n, v := k-at, c.s[at:k]
		if at == end || n < 7 || n > 11 || n == 11 && v[0] == '1' || v[0] == '0' || isDate(v) {
			break
		}
		if is(c.next(k), wordChar) || is(c.next(k+1), alnumChar) && strings.IndexByte(":-.@", c.next(k)) >= 0 || c.isAmount(k, k) {
			break
		}
		c.found = append(c.found, Finding{QQ, at, k})
		end = k
	}
	return end
}

// hotlines are numbers of services and no QQ numbers.
var hotlines = [...]string{"10000", "10010", "10086", "10099", "12306", "12315", "12333", "12345", "12348", "12580"}

// localPhone matches a number of 7 or 8 digits without area code, after a keyword that ends at i.
func (c *scanner) localPhone(i int) bool {
	at := c.filler(i, "")
	if b := c.next(at); b < '2' || b > '8' {
		return false
	}
	c.readGroups(at, false)
	g := &c.g
	last := -1
	switch {
	case g.hasSizes(0, 8), g.hasSizes(0, 7):
		last = 0
	case g.hasSizes(0, 4, 4), g.hasSizes(0, 3, 4), g.hasSizes(0, 4, 3):
		last = 1
	}
	if last < 0 || last+1 < g.n && g.sizes[last+1] > 2 || g.digitsIn(last+1) == 8 && isDate(string(g.digits[:8])) || !c.standsAlone(at, g.end(last)) || c.isAmount(at, g.end(last)) {
		return false
	}
	return c.add(Phone, at, g.end(last))
}
