package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A keyword announces a value after it.
type keyword struct {
	word string
	kind Kind
}

// hanWords are the Chinese keywords by first rune. If two match, the longer one comes first.
var hanWords = map[string][]keyword{
	"验": {{"验证码", VerificationCode}},
	"驗": {{"驗證碼", VerificationCode}},
	"校": {{"校验码", VerificationCode}},
	"动": {{"动态密码", VerificationCode}, {"动态码", VerificationCode}, {"动态口令", VerificationCode}},
	"短": {{"短信码", VerificationCode}},
	"取": {{"取件码", VerificationCode}, {"取货码", VerificationCode}, {"取餐码", VerificationCode}},
	"提": {{"提取码", Password}, {"提货码", VerificationCode}},
	"门": {{"门禁码", VerificationCode}, {"门禁密码", VerificationCode}},
	"开": {{"开门密码", VerificationCode}, {"开门码", VerificationCode}, {"开锁码", VerificationCode}},
	"密": {{"密码", Password}, {"密碼", Password}, {"密钥", Secret}},
	"秘": {{"秘钥", Secret}},
	"口": {{"口令", Password}},
	"令": {{"令牌", Secret}},
	"访": {{"访问码", Password}},
	"通": {{"通行码", Password}},
	"微": {{"微信号", WeChat}, {"微信號", WeChat}, {"微信", WeChat}, {"微❤", WeChat}},
	"薇": {{"薇信", WeChat}},
	"威": {{"威信", WeChat}},
	"徽": {{"徽信", WeChat}},
	"加": {{"加微", WeChat}, {"加v", WeChat}, {"加V", WeChat}},
}

// hanKeyword handles a keyword at i and its value.
func (c *scanner) hanKeyword(i int) bool {
	_, n := utf8.DecodeRuneInString(c.s[i:])
	for _, k := range hanWords[c.s[i:i+n]] {
		if strings.HasPrefix(c.s[i:], k.word) {
			end := i + len(k.word)
			return c.findValue(k.kind, end) || c.advance(end)
		}
	}
	return false
}

// keyword handles a token of letters from i to k and its value.
func (c *scanner) keyword(i, k int) bool {
	w := c.s[i:k]
	if len(w) > 10 || strings.IndexByte("abcopsvw", w[0]|0x20) < 0 {
		return false
	}
	switch strings.ToLower(w) {
	case "password", "passwd", "pwd", "passcode", "passphrase", "psw":
		return c.next(k) == ' ' && c.password(k)
	case "wx", "vx", "wechat", "weixin":
		return c.wechat(k)
	case "v":
		switch c.after(k, 3) {
		case "信":
			return c.wechat(k + 3)
		case "：":
			return c.wechat(k)
		}
	case "bearer":
		return c.bearer(k)
	case "otp", "code", "pin":
		return (len(w) == 3 || containsFold(c.before(i, 24), "verification", "security", "login", "auth", "sms", "验证", "one-time", "access", "your") && !containsFold(c.before(i, 8), "error")) &&
			c.codeValue(k)
	case "ak", "sk":
		return c.huawei(k)
	}
	return false
}

// findValue looks for the value of a keyword that ends at i.
func (c *scanner) findValue(kind Kind, i int) bool {
	switch kind {
	case VerificationCode:
		return c.codeValue(i)
	case Password:
		return c.password(i)
	case WeChat:
		return c.wechat(i)
	}
	at := c.skip(i, " ：:=是为\"'「“【*`|\n", 6)
	return at > i && c.secret(at)
}

// isAssignment reports whether the text between a keyword and its value is an assignment.
func isAssignment(between string) bool {
	return strings.ContainsAny(between, "：:=是为成】") || strings.Contains(between, "is")
}

// codeValue matches four to eight digits, also as 123-456. After a colon or similar it also matches letters and digits.
func (c *scanner) codeValue(i int) bool {
	at := c.skip(i, " ：:=是为，,。\"'“”「【（(*`|_了我你您收到发给的就这个\n", 10)
	if c.has(at, "is ") {
		at += 3
	}
	end := c.run(at, digit, 9)
	if b := c.next(end); end-at == 3 && (b == ' ' || b == '-') && c.run(end+1, digit, 4) == end+4 {
		end += 4
	} else if end-at == 2 && b == ' ' && c.run(end+1, digit, 3) == end+3 && c.next(end+3) == ' ' && c.run(end+4, digit, 3) == end+6 {
		end += 6
	} else if end-at == 1 && b == '-' { // 3-2-1045, a pickup code
		for n := 0; n < 3 && c.next(end) == '-' && is(c.next(end+1), digit); n++ {
			end = c.run(end+1, digit, 5)
		}
	}
	if is(c.next(end), letter) && isAssignment(c.s[i:at]) {
		end = c.run(at, alnumChar, 9)
		if !strings.ContainsAny(c.s[at:end], "0123456789") {
			return false
		}
	}
	if n := end - at; n < 4 || n > 8 || is(c.next(end), wordChar) || c.next(end) == '.' && is(c.next(end+1), digit) || c.next(end) == ':' || c.isAmount(end, end) {
		return false
	}
	return c.add(VerificationCode, at, end)
}

// sentCode matches digits followed by a keyword: "123456是您的验证码".
func (c *scanner) sentCode() bool {
	g := &c.g
	end, n := g.end(0), int(g.sizes[0])
	if g.n > 1 && n == 3 && g.sizes[1] == 3 {
		end, n = g.end(1), 6
	}
	if n < 4 || n > 8 || !c.standsAlone(g.start, end) {
		return false
	}
	w := c.after(end, 48)
	return prefix(strings.TrimLeft(w, " \"'」”"), "是", "为", "（", "(", "is ") > 0 &&
		containsFold(w, "验证码", "校验码", "动态码", "动态密码", "verification code", "security code", "login code", "取件码") &&
		c.add(VerificationCode, g.start, end)
}

// password matches the value after the keyword, up to a blank or a Chinese character, or up to the closing quote.
// Without a colon or similar it needs a digit or a sign.
func (c *scanner) password(i int) bool {
	at := c.skip(i, " ：:=是为就改成了\"'“”「『【（(`*|\n", 8)
	if c.has(at, "is ") || c.has(at, "is:") {
		at = c.skip(at+3, " :\"'", 3)
	}
	return (at > i || is(c.next(at), alnumChar)) && c.passwordAt(at, c.s[i:at])
}

func (c *scanner) passwordAt(at int, between string) bool {
	quote := byte(0)
	if b := between; b != "" && (b[len(b)-1] == '"' || b[len(b)-1] == '\'' || b[len(b)-1] == '`') {
		quote = b[len(b)-1]
	}
	end := at
	for end < len(c.s) && end-at < 129 {
		b := c.s[end]
		if b < ' ' || b >= 0x7F || b == quote && quote != 0 || quote == 0 && (b == ' ' || strings.IndexByte("\"'`,<>|", b) >= 0) {
			break
		}
		end++
	}
	c.work += end - at
	if quote == 0 || c.next(end) != quote {
		end = at + len(strings.TrimRight(c.s[at:end], ".,;:?)]}&"))
		if k := strings.IndexAny(c.s[at:end], ";&"); k >= 4 && quote == 0 {
			end = at + k
		}
	}
	return c.isPassword(c.s[at:end], between, end) && c.add(Password, at, end)
}

func (c *scanner) isPassword(v, between string, end int) bool {
	if len(v) < 4 || strings.Trim(v, "*x.-_?#") == "" || strings.Contains(v, "://") || strings.ContainsAny(v[:1], "${<%|") || v[0] == '/' && strings.Count(v, "/") > 1 || strings.HasSuffix(v, "(") || strings.ContainsRune(v, '(') && (strings.HasSuffix(v, ")") || c.next(end) == ')') {
		return false
	}
	digits, letters, large := count(v, digit), count(v, letter), 0
	for i := range len(v) {
		if upper(v[i]) {
			large++
		}
	}
	signs := len(v) - digits - letters
	if digits > 0 && digits+signs == len(v) && c.isAmount(end, end) {
		return false
	}
	if isAssignment(between) && !strings.Contains(between, "is") {
		if digits+signs == 0 && c.next(end) == ' ' && is(c.next(end+1), letter) && !strings.Contains(between, "=") {
			return false // part of a sentence
		}
		return !isPlaceholderValue(v)
	}
	v = strings.TrimRight(v, "!")
	return digits > 0 || len(v) >= 8 && large > 2 && letters-large > 2 ||
		signs < len(v)-1 && strings.Trim(v, "-/.") == v && strings.ContainsAny(v, "!@#$%^&*_+")
}

// isPlaceholderValue reports whether the value of "password:" is a type or a word of programs and forms.
func isPlaceholderValue(v string) bool {
	v = strings.ToLower(v)
	return strings.HasPrefix(v, "your") && strings.Contains(v, "pass") || slices.Contains(placeholderValues, v)
}

var placeholderValues = []string{"string", "required", "null", "none", "true", "false", "optional", "password", "undefined", "empty", "text", "varchar", "incorrect", "wrong", "invalid", "expired", "reset", "secret", "input", "wifi", "admin panel", "github"}

// wechat matches an ID of 6 to 20 letters, digits, '_' and '-' that starts with a letter. It needs a digit or a sign,
// unless a colon or similar precedes it.
func (c *scanner) wechat(i int) bool {
	at := i
	for n := 0; n < 3; n++ {
		at = c.skip(at, " ：:=是为号码也就\"'“「【】（(*`|\n", 8)
		if (c.has(at, "id") || c.has(at, "号")) && !is(c.next(at+2), wordChar) {
			at = c.skip(at+2, "号", 1)
			continue
		}
		break
	}
	between := c.s[i:at]
	end := c.run(at, wordChar|local, 24)
	end = at + len(strings.TrimRight(c.s[at:end], ".%+"))
	v := c.s[at:end]
	if len(v) < 6 || len(v) > 20 || strings.ContainsAny(v, ".%+") || c.next(end) == '@' || strings.HasPrefix(c.s[end:], "://") {
		return false
	}
	ok := false
	switch {
	case is(v[0], digit):
		phone := len(v) == 11 && v[0] == '1'
		ok = len(v) <= 11 && !phone && count(v, digit) == len(v) && strings.ContainsAny(between, "：:=号是") && !c.isAmount(end, end)
	case is(v[0], letter):
		ok = strings.ContainsAny(v, "0123456789_-") || strings.ContainsAny(between, "：:=号】")
	}
	return ok && c.add(WeChat, at, end)
}

// qq matches 5 to 11 digits after a keyword for QQ.
func (c *scanner) qq() bool {
	g := &c.g
	last := 0
	if s := g.singleDigits(0); s >= 5 && s <= 11 {
		last = s - 1
	} else if g.sizes[0] < 5 || g.sizes[0] > 11 {
		return false
	}
	if g.digits[0] == '0' {
		return false
	}
	at := c.skipBack(g.start, " ：:=\"'“”「【】（(*`|是为号码叫就小大的也\n", 10)
	if at == 0 || at == g.start && !is(c.prev(at), letter) && !c.ends(at, "扣") {
		return false
	}
	ok := false
	for _, w := range [...]string{"qq", "q q", "扣扣", "企鹅", "球球", "q", "uin", "qqid", "qq_id"} {
		if c.ends(at, w) && (!is(w[0], letter) || !is(c.prev(at-len(w)), wordChar)) {
			ok = true
		}
	}
	end := g.end(last)
	if !ok || is(c.next(end), wordChar) || c.isAmount(end, end) || c.next(end) == '.' && is(c.next(end+1), digit) {
		return false
	}
	return c.add(QQ, g.start, end)
}
