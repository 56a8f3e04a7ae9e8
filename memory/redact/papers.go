package redact

import "strings"

const usccDigits = "0123456789ABCDEFGHJKLMNPQRTUWXY"

// uscc: 18 characters, in a row or in groups, that begin with one of the registers and a region, with the check character of GB 32100.
// After a word that says so it may be wrong.
func (c *scanner) uscc(i int) int {
	if b := c.s[i] &^ 0x20; !strings.ContainsRune("1569", rune(c.s[i])) && b != 'A' && b != 'N' && b != 'Y' {
		return 0
	}
	if is(c.prev(i), wordChar) {
		return 0
	}
	var s [18]byte
	n, at, group := 0, i, 0
	for n < 18 && at < len(c.s) {
		b := c.s[at]
		if b == ' ' || b == '-' {
			if group < 2 {
				return 0
			}
			group = 0
			at++
			continue
		}
		if 'a' <= b && b <= 'z' {
			b -= 0x20
		}
		if !is(b, alnumChar) || n >= 2 && n < 8 && !is(b, digit) {
			break
		}
		s[n] = b
		n, at, group = n+1, at+1, group+1
	}
	c.work += at - i
	if n < 18 || is(c.next(at), wordChar) || !registered(string(s[:]), contains(c.before(i, 40), "信用代码", "税号", "纳税人", "uscc")) {
		return 0
	}
	return c.add(USCC, i, at)
}

// registered tells whether s is a code of a register; said: a word said so, and the check character may be wrong.
func registered(s string, said bool) bool {
	switch s[:2] {
	case "11", "12", "13", "19", "21", "29", "31", "32", "33", "34", "35", "39", "41", "49", "51", "52", "53", "54", "55", "59", "61", "62", "69", "71", "72", "79", "81", "89",
		"91", "92", "93", "A1", "A9", "N1", "N2", "N3", "N9", "Y1":
	default:
		return false
	}
	if !region(s[2:4]) && s[2:4] != "10" { // 10: of the state
		return false
	}
	sum, w := 0, 1
	for i := range 17 {
		v := strings.IndexByte(usccDigits, s[i])
		if v < 0 {
			return false
		}
		sum += v * w
		w = w * 3 % 31
	}
	return said || usccDigits[(31-sum%31)%31] == s[17]
}

var (
	passportWords = []string{"护照", "passport"}
	permitWords   = []string{"通行证", "回乡证", "台胞证", "台湾证", "往来港澳", "返乡证"}
)

// document looks at letters, from i to k, and digits: a passport, a permit.
func (c *scanner) document(i, k, end int) int {
	if n := end - k; n < 7 || n > 10 || c.run(k, digit, 11) != end {
		return 0
	}
	return c.paper(i, k, end)
}

// document8 looks at eight digits that may be of a passport or a permit, with a blank after the letter or without a letter.
func (c *scanner) document8() int {
	g := &c.g
	if n := g.sizes[0]; n < 7 || n > 10 {
		return 0
	}
	k, end := g.start, g.end(0)
	i := c.back(k, blank, 1)
	i = c.back(i, letter, 3)
	if i < k && k-i <= 3 && !is(c.prev(i), wordChar) && is(c.s[i], letter) && !is(c.next(end), wordChar) {
		w := c.before(i, 30)
		if contains(w, passportWords...) || contains(w, permitWords...) || contains(c.after(end, 18), passportWords...) {
			return c.paper(i, k, end)
		}
	}
	if g.sizes[0] == 8 && contains(c.before(k, 30), "台胞证", "通行证", "回乡证") && c.clean(k, end) && !c.counts(k, end) {
		return c.add(Permit, k, end)
	}
	return 0
}

func (c *scanner) paper(i, k, end int) int {
	w := c.before(i, 48)
	switch passport, permit := lastOf(w, passportWords), lastOf(w, permitWords); {
	case permit > passport:
		return c.add(Permit, i, end)
	case passport >= 0, contains(c.after(end, 18), passportWords...) && end-k <= 9:
		return c.add(Passport, i, end)
	case contains(c.after(end, 18), permitWords...):
		return c.add(Permit, i, end)
	}
	// Without a word only the form of today's ordinary passport, when its digits are no date.
	if c.s[i] != 'E' || end-i != 9 || is(c.prev(i), local) || is(c.next(end), local) || contains(w, orderWords...) || contains(w, "型号", "错误", "error") {
		return 0
	}
	digits := c.s[k:end]
	if strings.HasPrefix(digits, "20") || strings.HasPrefix(digits, "19") || strings.Trim(digits, digits[:1]) == "" || k-i == 2 && (c.s[i+1] == 'I' || c.s[i+1] == 'O') {
		return 0
	}
	if k-i == 2 && (c.s[i+1] < 'A' || c.s[i+1] > 'Z') {
		return 0
	}
	return c.add(Passport, i, end)
}

// lastOf gives where the last of the words begins in s; -1 where there is none.
func lastOf(s string, words []string) int {
	s, last := strings.ToLower(s), -1
	for _, w := range words {
		last = max(last, strings.LastIndex(s, w))
	}
	return last
}

// plate: a province, a letter, then five letters and digits, or six of a new energy vehicle; no I and no O.
func (c *scanner) plate(i, next int) int {
	s := c.s
	at := next
	if at >= len(s) || !is(s[at], letter) {
		return next
	}
	city := s[at] &^ 0x20
	at++
	split := at
	if strings.HasPrefix(s[at:], "·") {
		at += 2
	} else if at < len(s) && strings.IndexByte(" .-", s[at]) >= 0 {
		at++
	}
	marked := at > split
	start := at
	at = c.run(at, alnumChar, 7)
	n := at - start
	tail := 0 // 学, 警, 港 and so on stand for the last one
	for _, w := range [...]string{"学", "警", "港", "澳", "挂", "领", "使"} {
		if strings.HasPrefix(s[at:], w) && n == 4 {
			tail = len(w)
		}
	}
	if n+min(tail, 1) != 5 && n != 6 || is(c.next(at), under) || city == 'I' || city == 'O' && n != 5 {
		return next
	}
	digits := 0
	for k := start; k < at; k++ {
		switch b := s[k] &^ 0x20; {
		case is(s[k], digit):
			digits++
		case b == 'I' || b == 'O':
			return next
		}
	}
	if n == 6 && (digits < 4 || !energy(s[start:at])) || n <= 5 && digits < n-2 {
		return next
	}
	// "新RX6800" and "阿里云A10086" are no plates: these two are words too.
	if p := s[i:next]; (p == "新" || p == "云") && !marked && (digits < n || n == 6) && !contains(c.before(i, 24), "车", "牌") {
		return next
	}
	if 'a' <= s[split-1] && s[split-1] <= 'z' && digits < 3 {
		return next
	}
	at += tail
	return c.add(Plate, i, at)
}

// energy tells whether six characters are those of a new energy vehicle: a letter comes first, or last for large ones; a second letter may follow the first.
func energy(s string) bool {
	n := 0
	for i := range len(s) {
		if is(s[i], digit) {
			n++
		}
	}
	first, last := is(s[0], letter), is(s[5], letter)
	return n == 5 && (first || last) || n == 4 && first && is(s[1], letter)
}
