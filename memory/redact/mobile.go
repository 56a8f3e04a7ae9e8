package redact

import "strings"

// mobile matches a mobile number with 11 digits from 13 to 19. The digits may be in one group, in the usual groups, or
// single. 86 or +86 may precede them.
func (c *scanner) mobile() bool {
	g := &c.g
	k, at, start := 0, 0, g.start
	switch lead := string(g.digits[:g.sizes[0]]); {
	case g.n > 1 && (lead == "86" || lead == "0086" || lead == "086"):
		k, at = 1, len(lead)
	case len(lead) == 15 && lead[:4] == "0086":
		at = 4
	case (len(lead) == 13 || len(lead) == 5) && lead[:2] == "86":
		at = 2
	}
	if at+11 > g.total || g.digits[at] != '1' || g.digits[at+1] < '3' {
		return false
	}
	last := c.mobileEnd(k, at)
	if last < 0 {
		return false
	}
	end := g.end(last)
	if n := string(g.digits[at : at+11]); !c.standsAlone(start, end) && !(c.afterName(start) && c.validAfter(end)) || strings.HasSuffix(n, "00000") && c.isAmount(start, end) ||
		strings.HasSuffix(n, "0000000") && !containsFold(c.before(start, 36), phoneWords...) { // an amount
		return false
	}
	if c.prev(start) == '+' {
		start--
	}
	if c.prev(start) == '(' && (at > 0 || g.n > 1 && g.seps[1] == ')') {
		start--
	}
	return c.add(Mobile, start, end)
}

// afterName reports whether a name in Latin letters ends at i, as in "Kelvin13812345678".
func (c *input) afterName(i int) bool {
	k := c.back(i, letter, 12)
	w := c.s[k:i]
	if len(w) < 3 || len(w) > 11 || is(c.prev(k), digit|under) || !upper(w[0]) || oneOf(w, "order", "item", "user", "number", "trade", "track") {
		return false
	}
	for _, b := range []byte(w[1:]) {
		if upper(b) {
			return false
		}
	}
	return true
}

// mobileWithLetters matches a mobile number with letters in place of similar digits, as OCR produces: "138OO138OOO".
func (c *scanner) mobileWithLetters(i, end int) bool {
	const length = 11
	if end-i != length || strings.IndexByte("1lI", c.s[i]) < 0 {
		return false
	}
	v := c.s[i:end]
	digits := count(v, digit)
	return digits < length && digits >= 5 && '3' <= v[1] && v[1] <= '9' && strings.Trim(v, "0123456789oOlI") == "" &&
		c.add(Mobile, i, end)
}

// mobileEnd returns the last group of a mobile number that starts at digit at in group k, or -1.
func (c *scanner) mobileEnd(k, at int) int {
	g := &c.g
	skip := uint8(0)
	if k == 0 {
		skip = uint8(at)
	}
	first := g.sizes[k] - skip
	if first == 11 {
		return k
	}
	if n := g.singleDigits(k); n >= 11 && skip == 0 {
		if n == 11 {
			return k + 10
		}
		return -1
	}
	if g.han && !g.truncated { // Chinese numerals have no fixed grouping
		for n, sum := k, -int(skip); n < g.n; n++ {
			if sum += int(g.sizes[n]); sum == 11 {
				return n
			}
		}
		return -1
	}
	for _, form := range [...][6]uint8{{3, 4, 4}, {3, 8}, {7, 4}, {3, 3, 5}, {3, 5, 3}, {4, 4, 3}, {4, 3, 4}, {5, 6}, {3, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 1}, {1, 2, 2, 2, 2, 2}} {
		n := 0
		for n < 6 && form[n] > 0 {
			n++
		}
		if first != form[0] || !g.hasSizes(k+1, form[1:n]...) || !g.sameSeparators(k, n) && !(g.seps[k+1] == ')' && g.sameSeparators(k+1, n-1)) {
			continue
		}
		last := k + n - 1
		if n > 3 || form[0] > 3 { // unusual groups need a keyword, or no other number next to them
			if (n > 3 || g.seps[k+1] != '-' && (n == 2 || g.roundNumbers(k, n)) || last+1 < g.n || c.prev(g.start) == '-' || is(c.prev(c.skipBack(g.start, " ", 1)), digit)) && !c.announcesPhone(g.start) {
				continue
			}
		} else if k == 0 && skip == 0 && g.seps[1] != '-' && c.inList(last) {
			continue
		}
		return last
	}
	return -1
}

// roundNumbers reports whether at least two of the n groups from k on end with 00.
func (g *groups) roundNumbers(k, n int) bool {
	round := 0
	for i := k; i < k+n; i++ {
		if e := g.digitsIn(i + 1); e > 1 && g.digits[e-1] == '0' && g.digits[e-2] == '0' {
			round++
		}
	}
	return round > 1
}

// inList reports whether the groups after last look like those before it, as in a list of numbers.
func (c *scanner) inList(last int) bool {
	g := &c.g
	if last+1 >= g.n || g.seps[last+1] != g.seps[last] {
		return false
	}
	next := g.digitsIn(last + 1)
	return g.sizes[last+1] != 11 && !(g.sizes[last+1] == 3 && g.digits[next] == '1' && g.digits[next+1] > '2') && g.sizes[last+1] != 2
}

// phoneWords announce a phone number without separators.
var phoneWords = forms("电话", "手机", "座机", "固话", "号码", "联系", "聯繫", "联络", "打给", "拨", "致电", "打来", "来电", "客服", "总机", "收件", "收货", "打这个", "支付宝", "热线", "传真", "办公室", "家里", "售后", "挂号", "预约", "订位", "订座", "咨询", "前台", "物业", "门店", "服务台", "tel", "phone", "mobile", "call", "fax", "hotline", "whatsapp", "contact", "my number", "support")

// announcesPhone reports whether a word before i announces a phone number.
func (c *input) announcesPhone(i int) bool {
	w := c.before(i, 36)
	return hasSuffix(strings.TrimRight(w, " ：:\"“"), "打", "call", "拨", "撥", "找我", "ring") || containsFold(w, phoneWords...)
}

// phone matches landlines with area code, 400 and 800 numbers, and international numbers.
func (c *scanner) phone() bool {
	g := &c.g
	start, last := g.start, -1
	d := &g.digits
	switch {
	case c.prev(start) == '+':
		last = c.international()
	case d[0] == '0' && g.total >= 10:
		last = c.landline()
	case (d[0] == '4' || d[0] == '8') && g.total >= 10 && d[1] == '0' && d[2] == '0':
		last = c.serviceNumber()
	}
	if last < 0 {
		return false
	}
	end := g.end(last)
	if !c.standsAlone(start, end) || c.prev(start) == '-' && start > 1 && is(c.s[start-2], wordChar) {
		return false
	}
	end = c.extension(end)
	switch {
	case c.prev(start) == '+', c.prev(start) == '(':
		start--
	case strings.HasSuffix(c.s[:start], "（"):
		start -= len("（")
	}
	return c.add(Phone, start, end)
}

// extension returns the end of an extension after a phone number that ends at i, or i: "转801", " ext. 801".
func (c *input) extension(i int) int {
	at := c.skip(i, " ,，", 2)
	n := prefix(c.s[at:], "转分机", "分机", "转", "轉", "ext.", "ext", "Ext.", "Ext", "EXT", "x")
	if n == 0 {
		return i
	}
	at = c.skip(at+n, " .:：", 2)
	if end := c.run(at, digit, 7); end > at && end-at < 7 && !is(c.next(end), wordChar) {
		return end
	}
	return i
}

// landline matches 0 and an area code, 7 or 8 digits, and an optional extension. Digits starting with 1 need a hyphen or a
// keyword before them. It returns the last group or -1.
func (c *scanner) landline() int {
	g := &c.g
	d := &g.digits
	area := 4
	if d[1] == '1' && d[2] == '0' || d[1] == '2' && d[2] != '6' {
		area = 3
	} else if d[1] < '3' {
		return -1
	}
	if d[area] == '0' || d[area] == '1' && g.seps[1] != '-' && g.seps[1] != ')' && !containsFold(c.before(g.start, 36), phoneWords...) {
		return -1
	}
	last := -1
	switch a := uint8(area); {
	case g.hasSizes(0, a+8), g.hasSizes(0, a+7) && area == 4:
		if !c.announcesPhone(g.start) && !containsFold(c.after(g.end(0), 24), "电话", "電話", "座机", "座機", "占线", "打不通", "没人接", "无人接听", "打来", "打过来", "打给") {
			return -1
		}
		last = 0
	case g.hasSizes(0, a, 8), g.hasSizes(0, a, 7):
		last = 1
	case g.hasSizes(0, a, 4, 4), g.hasSizes(0, a, 3, 4), g.hasSizes(0, a, 4, 3):
		last = 2
	default:
		return -1
	}
	if last+1 < g.n && g.seps[last+1] == '-' && g.sizes[last+1] <= 6 {
		last++
	}
	return last
}

// serviceNumber matches 400 and 800 numbers. It returns the last group or -1.
func (c *scanner) serviceNumber() int {
	g := &c.g
	switch {
	case g.hasSizes(0, 10):
		if c.announcesPhone(g.start) || prefix(strings.TrimLeft(c.after(g.end(0), 18), " "), "打") > 0 || containsFold(c.after(g.end(0), 18), phoneWords...) {
			return 0
		}
	case g.hasSizes(0, 3, 3, 4), g.hasSizes(0, 3, 4, 3), g.hasSizes(0, 4, 3, 3):
		announced := c.announcesPhone(g.start) || prefix(strings.TrimLeft(c.after(g.end(2), 12), " "), "打") > 0
		if announced || g.sameSeparators(0, 3) && !(g.seps[1] == ' ' && (c.inList(2) || string(g.digits[8:10]) == "00")) {
			return 2
		}
	case g.hasSizes(0, 3, 7):
		return 1
	}
	return -1
}

// international matches a country code after a plus, followed by groups, with at least ten digits in total. It returns
// the last group or -1.
func (c *scanner) international() int {
	g := &c.g
	if g.sizes[0] > 3 || g.digits[0] == '0' || g.n < 2 {
		return -1
	}
	total, last := int(g.sizes[0]), -1
	for k := 1; k < g.n && (g.sizes[k] >= 2 || k == 1); k++ {
		if total += int(g.sizes[k]); total > 15 {
			return -1
		}
		last = k
	}
	if total < 10 {
		return -1
	}
	return last
}
