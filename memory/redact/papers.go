package redact

import (
	"slices"
	"strings"
)

const usccDigits = "0123456789ABCDEFGHJKLMNPQRTUWXY"

// uscc: 18 characters, in a row or in groups, that begin with one of the registers and a region, with the check character of GB 32100.
// After a word that says so it may be wrong.
func (c *scanner) uscc(i int) bool {
	if b := c.s[i] &^ 0x20; !strings.ContainsRune("1569", rune(c.s[i])) && b != 'A' && b != 'N' && b != 'Y' {
		return false
	}
	if is(c.prev(i), wordChar) {
		return false
	}
	var s [18]byte
	n, at, group := 0, i, 0
	for n < 18 && at < len(c.s) {
		b := c.s[at]
		if b == ' ' || b == '-' {
			if group < 2 {
				return false
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
		return false
	}
	return c.add(SocialCreditCode, i, at)
}

// registered tells whether s is a code of a register; said: a word said so, and the check character may be wrong.
func registered(s string, said bool) bool {
	if !slices.Contains(usccKinds, s[:2]) || !region(s[2:4]) && s[2:4] != "10" { // 10: of the state
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

// usccKinds are who registered, and as what.
var usccKinds = []string{"11", "12", "13", "19", "21", "29", "31", "32", "33", "34", "35", "39", "41", "49", "51", "52", "53", "54", "55", "59", "61", "62", "69", "71", "72", "79", "81", "89",
	"91", "92", "93", "A1", "A9", "N1", "N2", "N3", "N9", "Y1"}

var (
	passportWords = []string{"护照", "passport"}
	permitWords   = []string{"通行证", "回乡证", "台胞证", "台湾证", "往来港澳", "返乡证"}
)

// document looks at letters, from i to k, and digits: a passport, a permit.
func (c *scanner) document(i, k, end int) bool {
	n := end - k
	return n >= 7 && n <= 10 && c.run(k, digit, 11) == end && c.paper(i, k, end)
}

// document8 looks at eight digits that may be of a passport or a permit, with a blank after the letter or without a letter.
func (c *scanner) document8() bool {
	g := &c.g
	if n := g.sizes[0]; n < 7 || n > 10 {
		return false
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
	return g.sizes[0] == 8 && contains(c.before(k, 30), "台胞证", "通行证", "回乡证") && c.clean(k, end) && !c.counts(k, end) &&
		c.add(TravelPermit, k, end)
}

func (c *scanner) paper(i, k, end int) bool {
	w := c.before(i, 48)
	switch passport, permit := lastOf(w, passportWords), lastOf(w, permitWords); {
	case permit > passport:
		return c.add(TravelPermit, i, end)
	case passport >= 0, contains(c.after(end, 18), passportWords...) && end-k <= 9:
		return c.add(Passport, i, end)
	case contains(c.after(end, 18), permitWords...):
		return c.add(TravelPermit, i, end)
	}
	// Without a word only the form of today's ordinary passport, when its digits are no date.
	if c.s[i] != 'E' || end-i != 9 || is(c.prev(i), local) || is(c.next(end), local) || contains(w, orderWords...) || contains(w, "型号", "错误", "error") {
		return false
	}
	digits := c.s[k:end]
	if prefix(digits, "20", "19") > 0 || strings.Trim(digits, digits[:1]) == "" {
		return false
	}
	return (k-i != 2 || upper(c.s[i+1]) && c.s[i+1] != 'I' && c.s[i+1] != 'O') && c.add(Passport, i, end)
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
func (c *scanner) plate(i, next int) bool {
	s := c.s
	at := next
	if at >= len(s) || !is(s[at], letter) {
		return false
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
	if n == 4 {
		tail = prefix(s[at:], "学", "警", "港", "澳", "挂", "领", "使")
	}
	if n+min(tail, 1) != 5 && n != 6 || is(c.next(at), under) || city == 'I' || city == 'O' && n != 5 {
		return false
	}
	v := s[start:at]
	digits := count(v, digit)
	if strings.ContainsAny(v, "IiOo") || n == 6 && !energy(v, digits) || n <= 5 && digits < n-2 {
		return false
	}
	// "新RX6800" and "阿里云A10086" are no plates: these two are words too.
	if p := s[i:next]; (p == "新" || p == "云") && !marked && (digits < n || n == 6) && !contains(c.before(i, 24), "车", "牌") {
		return false
	}
	return (upper(s[split-1]) || digits >= 3) && c.add(LicensePlate, i, at+tail)
}

// energy tells whether six characters are those of a new energy vehicle: a letter comes first, or last for large ones; a second letter may follow the first.
func energy(s string, digits int) bool {
	first, last := is(s[0], letter), is(s[5], letter)
	return digits == 5 && (first || last) || digits == 4 && first && is(s[1], letter)
}
