package redact

import (
	"slices"
	"strings"
	"time"
)

// idCard matches an ID card number: 18 characters with a region, a birthday and the check digit of GB 11643 (ISO 7064,
// MOD 11-2), in any groups. After a keyword the check digit may be wrong, and the 15 digits used before 1999 match,
// too.
func (c *scanner) idCard() bool {
	g := &c.g
	if g.total < 15 || g.truncated && g.sizes[0] > 18 {
		return false
	}
	hasKeyword := containsFold(c.before(g.start, 60), idWords...)
	sum := 0
	for k := range g.n {
		sum += int(g.sizes[k])
		if k > 0 && g.sizes[k] == 2 && sum < 17 {
			return false
		}
		end := g.end(k)
		switch sum {
		case 18:
			if c.isID(string(g.digits[:18]), hasKeyword) && c.standsAlone(g.start, end) {
				return c.add(IDCard, g.start, end)
			}
			return false
		case 17:
			x := c.skip(end, " -", 2)
			if b := c.next(x); (b == 'x' || b == 'X') && !is(c.next(x+1), wordChar) && c.isID(string(g.digits[:17])+"X", hasKeyword) && c.validBefore(g.start) {
				return c.add(IDCard, g.start, x+1)
			}
		case 15:
			if hasKeyword && k == 0 && k == g.n-1 && isProvinceCode(string(g.digits[:2])) && c.standsAlone(g.start, end) {
				return c.add(IDCard, g.start, end)
			}
		}
		if sum > 18 {
			return false
		}
	}
	return false
}

// idWords announce an ID card number, even with a wrong check digit.
var idWords = forms("身份证", "身分证", "证件号", "证件:", "证件：", "身份号", "id card", "idcard", "id_card", "id_no", "chinese id")

func (c *scanner) isID(s string, hasKeyword bool) bool {
	if !isProvinceCode(s[:2]) {
		return false
	}
	if hasKeyword {
		return true
	}
	if y := s[6:8]; y != "18" && y != "19" && y != "20" {
		return false
	}
	if _, err := time.Parse("20060102", s[6:14]); err != nil {
		return false
	}
	sum, w := 0, 1
	for i := 16; i >= 0; i-- {
		w = w * 2 % 11
		sum += int(s[i]-'0') * w
	}
	return "10X98765432"[sum%11] == s[17]
}

// isProvinceCode reports whether two digits are the code of a province.
func isProvinceCode(s string) bool { return slices.Contains(provinceCodes, s) }

var provinceCodes = []string{"11", "12", "13", "14", "15", "21", "22", "23", "31", "32", "33", "34", "35", "36", "37", "41", "42", "43", "44", "45", "46",
	"50", "51", "52", "53", "54", "61", "62", "63", "64", "65", "71", "81", "82", "83"}

// bankCard matches a card number of 15 to 19 digits with the prefix of an issuer and a Luhn check digit. The digits may
// be single, in one group, in fours, or six and the rest. After a keyword any such number matches.
func (c *scanner) bankCard() bool {
	g := &c.g
	if g.total < 15 {
		return false
	}
	last := -1
	switch n := g.sizes[0]; {
	case n >= 15 && n <= 19:
		last = 0
	case n == 6 && g.n > 1 && g.sizes[1] >= 9 && g.sizes[1] <= 13:
		last = 1
	case n == 6: // 6, 4, 4 and the rest
		for last = 1; last+1 < g.n && g.sizes[last] == 4 && g.digitsIn(last+1) < 15; last++ {
		}
		if last < 2 || last >= g.n || g.sizes[last] > 5 {
			return false
		}
	case n == 4:
		if last = c.groupsOfFour(); last == 3 && g.n == 5 && g.sizes[4] <= 3 && g.seps[4] == g.seps[1] && c.hasBefore(g.start, cardWords) {
			last = 4
		}
	case n == 1:
		if s := g.singleDigits(0); s >= 15 && s <= 19 {
			last = s - 1
		}
	}
	if last < 0 && g.n > 1 && g.total >= 16 && g.total <= 19 && !g.truncated && c.hasBefore(g.start, cardWords) {
		last = g.n - 1 // unusual groups
	}
	if last < 0 {
		return false
	}
	s, end := string(g.digits[:g.digitsIn(last+1)]), g.end(last)
	if len(s) < 15 || len(s) > 19 || !g.sameSeparators(0, last+1) || !c.standsAlone(g.start, end) {
		return false
	}
	if (!knownIssuer(s) || !luhn(s) || c.hasBefore(g.start, orderWords)) && !c.hasBefore(g.start, cardWords) {
		return false
	}
	return c.add(BankCard, g.start, end)
}

// hasBefore reports whether one of the words is before i, but not in a title such as 【工单】.
func (c *input) hasBefore(i int, words []string) bool {
	w := c.before(i, 48)
	if k := strings.LastIndex(w, "】"); k >= 0 {
		w = w[k+len("】"):]
	}
	return containsFold(w, words...)
}

// cardWords announce a card number, even with a wrong check digit.
var cardWords = forms("卡号", "银行卡", "储蓄卡", "信用卡", "借记卡", "工资卡", "银行账号", "银行账户", "收款账号", "收款账户", "card no", "card number", "card:", "bank card", "bankcard", "cardno", "card_no", "card_number")

// groupsOfFour returns the index of the last of several groups of four. The last group may be shorter.
func (c *scanner) groupsOfFour() int {
	g := &c.g
	k := 0
	for k < g.n && k < 5 && g.sizes[k] == 4 && (k < 2 || g.seps[k] == g.seps[1]) {
		k++
	}
	if k == 4 && k < g.n && g.sizes[k] <= 3 && g.seps[k] == g.seps[1] && luhn(string(g.digits[:16+g.sizes[k]])) {
		return k
	}
	if k >= 4 || k == 3 && g.n > 3 && g.sizes[3] == 3 && g.seps[3] == g.seps[1] && luhn(string(g.digits[:15])) {
		return 3
	}
	return -1
}

// orderWords mark a number as that of an order, a parcel or a payment.
var orderWords = []string{"订单", "单号", "运单", "快递", "物流", "流水", "编号", "交易号", "发票", "条码", "条形码", "工单", "批号", "order", "tracking", "uid", "id="}

// knownIssuer reports whether a card number has the prefix and length of an issuer common in China.
func knownIssuer(s string) bool {
	n := len(s)
	switch {
	case s[:2] == "62":
		return n >= 16
	case s[:4] == "9558", s[:5] == "43674" && n == 19:
		return n == 19
	case s[0] == '4', s[0] == '5' && '1' <= s[1] && s[1] <= '5':
		return n == 16
	case s[:2] == "35":
		return n == 16 && s[2:4] >= "28" && s[2:4] <= "89"
	case s[:2] == "34", s[:2] == "37":
		return n == 15
	}
	return false
}

func luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
