package redact

import (
	"slices"
	"strings"
)

const usccDigits = "0123456789ABCDEFGHJKLMNPQRTUWXY"

// uscc matches 18 characters, in one or more groups, that begin with a registry and a region and have the check
// character of GB 32100. After a keyword the check character may be wrong.
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
	if n < 18 || is(c.next(at), wordChar) || !hasUSCCForm(string(s[:])) {
		return false
	}
	// One order number in 31 has the check digit.
	if digits := s[0] == '1' && count(string(s[:]), digit) == 18; (digits || !hasUSCCCheck(string(s[:]))) && !containsFold(c.before(i, 48), usccWords...) {
		return false
	}
	return c.add(SocialCreditCode, i, at)
}

// usccWords announce a social credit code, even with a wrong check character.
var usccWords = forms("信用代码", "税号", "纳税人", "执照", "uscc", "tax id", "taxno", "tax_no", "taxid")

// hasUSCCForm reports whether 18 characters have the registry, the region and the alphabet of a social credit code.
func hasUSCCForm(s string) bool {
	return slices.Contains(usccKinds, s[:2]) && (isProvinceCode(s[2:4]) || s[2:4] == "10") && // 10 is the central government
		strings.Trim(s[:17], usccDigits) == ""
}

func hasUSCCCheck(s string) bool {
	sum, w := 0, 1
	for i := range 17 {
		sum += strings.IndexByte(usccDigits, s[i]) * w
		w = w * 3 % 31
	}
	return usccDigits[(31-sum%31)%31] == s[17]
}

// usccKinds are the codes of registries and types.
var usccKinds = []string{"11", "12", "13", "19", "21", "29", "31", "32", "33", "34", "35", "39", "41", "49", "51", "52", "53", "54", "55", "59", "61", "62", "69", "71", "72", "79", "81", "89",
	"91", "92", "93", "A1", "A9", "N1", "N2", "N3", "N9", "Y1"}

var (
	passportWords = []string{"护照", "護照", "passport"}
	permitWords   = []string{"通行证", "通行證", "回乡证", "回鄉證", "回鄉卡", "台胞证", "台胞證", "臺胞證", "台湾证", "往来港澳", "往來港澳", "返乡证", "返鄉證", "travel permit", "home return permit"}
)

// document handles letters from i to k followed by digits: a passport or a travel permit.
func (c *scanner) document(i, k, end int) bool {
	n := end - k
	return n >= 7 && n <= 10 && c.run(k, digit, 11) == end && c.classifyDocument(i, k, end)
}

// documentValue matches the number of a passport or a permit after a keyword that ends at i: up to four letters and at least five
// digits, together 7 to 11, also in groups. Without letters it has 8 to 10 digits and is no date.
func (c *scanner) documentValue(kind Kind, i int) bool {
	at := c.filler(i, "")
	if at == i && !is(c.next(at), alnumChar) || at > 0 && is(c.prev(at), wordChar) && is(c.next(at), letter) && at == i {
		return false
	}
	end, digits, letters := at, 0, 0
	for end < len(c.s) && digits+letters < 12 {
		switch b := c.s[end]; {
		case is(b, digit):
			digits++
		case is(b, letter):
			letters++
		default:
			return false
		}
		if end++; is(c.next(end), alnumChar) {
			continue
		}
		if c.isDocument(kind, at, end, digits, letters) {
			if k := end + 3; kind == TravelPermit && letters == 1 && digits == 8 && c.next(end) == ' ' && c.run(end+1, digit, 3) == k && !is(c.next(k), wordChar) {
				end = k // the number of renewals
			}
			c.work += end - at
			return c.add(kind, at, end)
		}
		if b := c.next(end); b != ' ' && b != '-' || !is(c.next(end+1), digit) && !(kind == Passport && digits > 1 && is(c.next(end+1), letter)) {
			break
		}
		end++
	}
	c.work += end - at
	return false
}

func (c *scanner) isDocument(kind Kind, at, end, digits, letters int) bool {
	n := digits + letters
	switch {
	case n < 7 || n > 11 || digits < 5 || letters > 4 || c.next(end) == '_' || c.next(end) == '.' && is(c.next(end+1), digit) || c.next(end) == '@':
		return false
	case letters == 0 && end-at == 10 && c.s[at+4] == '-' && c.s[at+7] == '-': // 2024-11-02
		return false
	case letters == 0:
		return (n == 8 || n == 9 && kind == Passport || n == 10 && kind == TravelPermit) && !isDate(c.s[at:at+8]) && !c.isAmount(at, end)
	case kind == TravelPermit:
		return letters <= 2 && digits >= 7
	}
	return letters < 3 || n >= 8
}

// documentDigits handles 7 to 10 digits of a passport or a permit, without letters or with a blank after them.
func (c *scanner) documentDigits() bool {
	g := &c.g
	if n := g.sizes[0]; n < 7 || n > 10 {
		return false
	}
	k, end := g.start, g.end(0)
	i := c.back(k, blank, 1)
	i = c.back(i, letter, 3)
	if i < k && k-i <= 3 && !is(c.prev(i), wordChar) && is(c.s[i], letter) && !is(c.next(end), wordChar) {
		w := c.before(i, 48)
		if containsFold(w, passportWords...) || containsFold(w, permitWords...) || containsFold(c.after(end, 36), passportWords...) {
			return c.classifyDocument(i, k, end)
		}
	}
	return g.sizes[0] == 8 && containsFold(c.before(k, 48), permitWords[:8]...) && c.standsAlone(k, end) && !c.isAmount(k, end) && !isDate(string(g.digits[:8])) &&
		c.add(TravelPermit, k, end)
}

func (c *scanner) classifyDocument(i, k, end int) bool {
	w := c.before(i, 60)
	switch passport, permit := lastOf(w, passportWords), lastOf(w, permitWords); {
	case permit > passport:
		return c.add(TravelPermit, i, end)
	case passport >= 0, containsFold(c.after(end, 36), passportWords...) && end-k <= 9:
		return c.add(Passport, i, end)
	case containsFold(c.after(end, 36), permitWords...):
		return c.add(TravelPermit, i, end)
	}
	// Without a keyword, only the current format of an ordinary passport matches, if its digits are not a date.
	if c.s[i] != 'E' || end-i != 9 || is(c.prev(i), local) || is(c.next(end), local) || containsFold(w, orderWords...) || containsFold(w, "型号", "错误", "error") {
		return false
	}
	digits := c.s[k:end]
	if prefix(digits, "20", "19") > 0 || strings.Trim(digits, digits[:1]) == "" {
		return false
	}
	return (k-i != 2 || upper(c.s[i+1]) && c.s[i+1] != 'I' && c.s[i+1] != 'O') && c.add(Passport, i, end)
}

// lastOf returns the start of the last of the words in s, or -1.
func lastOf(s string, words []string) int {
	s, last := strings.ToLower(s), -1
	for _, w := range words {
		last = max(last, strings.LastIndex(s, w))
	}
	return last
}

// plate matches a license plate. It has a province, a letter, and five letters and digits. A new energy vehicle has
// six. I and O do not occur.
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
	tail := 0 // 学, 警, 港 and others replace the last character
	if n == 4 {
		tail = prefix(s[at:], "学", "警", "港", "澳", "挂", "领", "使")
	}
	if n+min(tail, 1) != 5 && n != 6 || is(c.next(at), under) || city == 'I' || city == 'O' && n != 5 {
		return false
	}
	v := s[start:at]
	digits := count(v, digit)
	if strings.ContainsAny(v, "IiOo") || n == 6 && !newEnergyPlate(v, digits) || n <= 5 && digits < n-2 {
		return false
	}
	// in "新RX6800" and "阿里云A10086" these characters are ordinary words
	if p := s[i:next]; (p == "新" || p == "云") && !marked && (digits < n || n == 6) && !containsFold(c.before(i, 30), vehicleWords...) && !containsFold(c.after(at, 30), vehicleWords[1:]...) {
		return false
	}
	return (upper(s[split-1]) || digits >= 3) && c.add(LicensePlate, i, at+tail)
}

// vehicleWords announce a license plate.
var vehicleWords = []string{"牌", "车", "車", "司机", "司機", "停", "挡", "违章", "靠边", "消防通道", "追尾", "保险", "货拉拉", "plate", "vehicle", "the car", "my car", "etc"}

// newEnergyPlate reports whether six characters fit a new energy vehicle: the first is a letter, or the last for large
// ones. A second letter may follow the first.
func newEnergyPlate(s string, digits int) bool {
	first, last := is(s[0], letter), is(s[5], letter)
	return digits == 5 && (first || last) || digits == 4 && first && is(s[1], letter)
}
