package redact

import "strings"

// mobile: 11 digits that begin with 13 to 19, in a row, in the usual groups, or one by one; before them 86, with or without a plus.
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
	if n := string(g.digits[at : at+11]); !c.clean(start, end) || strings.HasSuffix(n, "00000") && c.counts(start, end) ||
		strings.HasSuffix(n, "0000000") && !contains(c.before(start, 36), phoneWords...) { // an amount
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

// lookalikes: a mobile number, a word of its own, in which some digits are letters that look like them: "138OO138OOO", as who reads a picture reads it.
func (c *scanner) lookalikes(i, end int) bool {
	const length = 11
	if end-i != length || strings.IndexByte("1lI", c.s[i]) < 0 {
		return false
	}
	v := c.s[i:end]
	digits := count(v, digit)
	return digits < length && digits >= 5 && '3' <= v[1] && v[1] <= '9' && strings.Trim(v, "0123456789oOlI") == "" &&
		c.add(Mobile, i, end)
}

// mobileEnd gives the last group of a mobile number whose first digit is the one at at, in group k; -1 where there is none.
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
	if n := g.singles(k); n >= 11 && skip == 0 {
		if n == 11 {
			return k + 10
		}
		return -1
	}
	if g.han && !g.more { // spoken digits are not grouped in one way
		for n, sum := k, -int(skip); n < g.n; n++ {
			if sum += int(g.sizes[n]); sum == 11 {
				return n
			}
		}
		return -1
	}
	for _, form := range [...][5]uint8{{3, 4, 4}, {3, 8}, {7, 4}, {3, 3, 5}, {3, 5, 3}, {4, 4, 3}, {4, 3, 4}, {5, 6}, {3, 2, 2, 2, 2}} {
		n := 0
		for n < 5 && form[n] > 0 {
			n++
		}
		if first != form[0] || !g.like(k+1, form[1:n]...) || !g.even(k, n) && !(g.seps[k+1] == ')' && g.even(k+1, n-1)) {
			continue
		}
		last := k + n - 1
		if n > 3 || form[0] > 3 { // less usual: not without a word that says so
			if !contains(c.before(g.start, 36), phoneWords...) {
				continue
			}
		} else if k == 0 && skip == 0 && g.seps[1] != '-' && c.listed(last) {
			continue
		}
		return last
	}
	return -1
}

// listed tells whether groups go on after the last one as they do before it: then they are numbers in a row.
func (c *scanner) listed(last int) bool {
	g := &c.g
	if last+1 >= g.n || g.seps[last+1] != g.seps[last] {
		return false
	}
	next := g.sum(last + 1)
	return g.sizes[last+1] != 11 && !(g.sizes[last+1] == 3 && g.digits[next] == '1' && g.digits[next+1] > '2') && g.sizes[last+1] != 2
}

var phoneWords = []string{"电话", "手机", "座机", "号码", "联系", "打给", "拨打", "致电", "拨", "客服", "热线", "传真", "办公室", "家里", "tel", "phone", "mobile", "call", "fax"}

// phone: landlines with their area code, 400 and 800 numbers, numbers of other countries.
func (c *scanner) phone() bool {
	g := &c.g
	start, last := g.start, -1
	d := &g.digits
	switch {
	case c.prev(start) == '+':
		last = c.abroad()
	case d[0] == '0' && g.total >= 10:
		last = c.landline()
	case (d[0] == '4' || d[0] == '8') && g.total >= 10 && d[1] == '0' && d[2] == '0':
		last = c.service()
	}
	if last < 0 {
		return false
	}
	end := g.end(last)
	if !c.clean(start, end) {
		return false
	}
	if strings.HasPrefix(c.s[end:], "转") {
		if x := c.run(end+len("转"), digit, 6); x > end+len("转") {
			end = x
		}
	}
	switch {
	case c.prev(start) == '+', c.prev(start) == '(':
		start--
	case strings.HasSuffix(c.s[:start], "（"):
		start -= len("（")
	}
	return c.add(Phone, start, end)
}

// landline: 0 and an area code, then 7 or 8 digits that begin with 2 to 9, and an extension.
func (c *scanner) landline() int {
	g := &c.g
	d := &g.digits
	area := 4
	if d[1] == '1' && d[2] == '0' || d[1] == '2' && d[2] != '6' {
		area = 3
	} else if d[1] < '3' {
		return -1
	}
	if d[area] < '2' {
		return -1
	}
	last := -1
	switch a := uint8(area); {
	case g.like(0, a+8), g.like(0, a+7) && area == 4:
		if !contains(c.before(g.start, 36), phoneWords...) && !contains(c.after(g.end(0), 12), "电话", "座机") {
			return -1
		}
		last = 0
	case g.like(0, a, 8), g.like(0, a, 7):
		last = 1
	case g.like(0, a, 4, 4), g.like(0, a, 3, 4), g.like(0, a, 4, 3):
		last = 2
	default:
		return -1
	}
	if last+1 < g.n && g.seps[last+1] == '-' && g.sizes[last+1] <= 6 {
		last++
	}
	return last
}

// service: 400 and 800 numbers.
func (c *scanner) service() int {
	g := &c.g
	switch {
	case g.like(0, 10):
		if contains(c.before(g.start, 36), phoneWords...) || contains(c.after(g.end(0), 18), phoneWords...) {
			return 0
		}
	case g.like(0, 3, 3, 4), g.like(0, 3, 4, 3), g.like(0, 4, 3, 3):
		if g.even(0, 3) && !(g.seps[1] == ' ' && c.listed(2)) && string(g.digits[8:10]) != "00" {
			return 2
		}
	case g.like(0, 3, 7):
		return 1
	}
	return -1
}

// abroad: a plus, the code of a country, and groups, ten digits or more in all.
func (c *scanner) abroad() int {
	g := &c.g
	if g.sizes[0] > 3 || g.digits[0] == '0' || g.n < 2 {
		return -1
	}
	total, last := int(g.sizes[0]), -1
	for k := 1; k < g.n && g.sizes[k] >= 2; k++ {
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
