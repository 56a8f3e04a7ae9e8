package redact

import (
	"strings"
	"unicode/utf8"
)

// A keyword asks for a value that follows it.
type keyword struct {
	word string
	kind Kind
}

// hanWords are the words in Chinese by their first rune; of two that fit the longer comes first.
var hanWords = map[string][]keyword{
	"验": {{"验证码", Code}},
	"驗": {{"驗證碼", Code}},
	"校": {{"校验码", Code}},
	"动": {{"动态密码", Code}, {"动态码", Code}, {"动态口令", Code}},
	"短": {{"短信码", Code}},
	"取": {{"取件码", Code}, {"取货码", Code}, {"取餐码", Code}},
	"提": {{"提取码", Password}, {"提货码", Code}},
	"门": {{"门禁码", Code}, {"门禁密码", Code}},
	"开": {{"开门密码", Code}, {"开门码", Code}, {"开锁码", Code}},
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

// hanKeyword looks for a keyword at i and a value behind it, and gives where to go on.
func (c *scanner) hanKeyword(i int) int {
	_, n := utf8.DecodeRuneInString(c.s[i:])
	for _, k := range hanWords[c.s[i:i+n]] {
		if strings.HasPrefix(c.s[i:], k.word) {
			return max(c.value(k.kind, i+len(k.word), false), i+len(k.word))
		}
	}
	return i + n
}

// keyword looks at a word of letters, from i to k, and what follows it.
func (c *scanner) keyword(i, k, end int) int {
	w := c.s[i:k]
	if len(w) < 1 || len(w) > 10 || strings.IndexByte("abcopsvw", w[0]|0x20) < 0 {
		return 0
	}
	switch strings.ToLower(w) {
	case "password", "passwd", "pwd", "passcode", "passphrase", "psw":
		if k == end && c.next(k) == ' ' {
			return c.value(Password, k, true)
		}
	case "wx", "vx", "wechat", "weixin":
		if k == end {
			return c.value(WeChat, k, true)
		}
	case "v":
		if k == end {
			switch n := c.after(k, 3); {
			case n == "信":
				return c.value(WeChat, k+3, true)
			case n == "：":
				return c.value(WeChat, k, true)
			}
		}
	case "bearer":
		if k == end {
			return c.bearer(k)
		}
	case "otp", "code", "pin":
		if k == end && (len(w) == 3 || contains(c.before(i, 24), "verification", "security", "login", "auth", "sms", "验证", "one-time", "access", "your") && !contains(c.before(i, 8), "error")) {
			return c.value(Code, k, true)
		}
	case "ak", "sk":
		if k == end && len(w) == 2 {
			return c.huawei(k)
		}
	}
	return 0
}

// value looks for what a keyword that ends at i asks for. latin: the keyword is of letters.
func (c *scanner) value(kind Kind, i int, latin bool) int {
	switch kind {
	case Code:
		return c.code(i)
	case Password:
		return c.password(i)
	case WeChat:
		return c.wechat(i)
	case Secret:
		at := c.skip(i, " ：:=是为\"'「“【*`|\n", 6)
		if at > i {
			return c.secret(at)
		}
	}
	return 0
}

// strong tells whether what stands between a keyword and its value says that this is the value.
func strong(between string) bool {
	return strings.ContainsAny(between, "：:=是为成】") || strings.Contains(between, "is")
}

// code: four to eight digits, also as 123-456, or as many letters and digits where a colon or the like announces them.
func (c *scanner) code(i int) int {
	at := c.skip(i, " ：:=是为，,。\"'“”「【（(*`|_了我你您收到发给的就这个\n", 10)
	if c.has(at, "is ") {
		at += 3
	}
	end := c.run(at, digit, 9)
	if b := c.next(end); end-at == 3 && (b == ' ' || b == '-') && c.run(end+1, digit, 4) == end+4 {
		end += 4
	} else if end-at == 2 && b == ' ' && c.run(end+1, digit, 3) == end+3 && c.next(end+3) == ' ' && c.run(end+4, digit, 3) == end+6 {
		end += 6
	} else if end-at == 1 && b == '-' { // 3-2-1045, on a parcel
		for n := 0; n < 3 && c.next(end) == '-' && is(c.next(end+1), digit); n++ {
			end = c.run(end+1, digit, 5)
		}
	}
	if is(c.next(end), letter) && strong(c.s[i:at]) {
		end = c.run(at, alnumChar, 9)
		if !strings.ContainsAny(c.s[at:end], "0123456789") {
			return 0
		}
	}
	if n := end - at; n < 4 || n > 8 || is(c.next(end), wordChar) || c.next(end) == '.' && is(c.next(end+1), digit) || c.next(end) == ':' || c.amount(end) {
		return 0
	}
	return c.add(Code, at, end)
}

// amount tells whether a unit follows.
func (c *scanner) amount(end int) bool { return c.counts(end, end) }

// sentCode: digits that are said to be a code behind them: "123456是您的验证码".
func (c *scanner) sentCode() int {
	g := &c.g
	end, n := g.end(0), int(g.sizes[0])
	if g.n > 1 && n == 3 && g.sizes[1] == 3 {
		end, n = g.end(1), 6
	}
	if n < 4 || n > 8 || !c.clean(g.start, end) {
		return 0
	}
	w := c.after(end, 48)
	if t := strings.TrimLeft(w, " \"'」”"); !strings.HasPrefix(t, "是") && !strings.HasPrefix(t, "为") && !strings.HasPrefix(t, "（") && !strings.HasPrefix(t, "(") && !strings.HasPrefix(t, "is ") {
		return 0
	}
	if !contains(w, "验证码", "校验码", "动态码", "动态密码", "verification code", "security code", "login code", "取件码") {
		return 0
	}
	return c.add(Code, g.start, end)
}

// password: what stands after the word, up to a blank or a Chinese character; in quotes, up to the end of them. Without a colon or the like between, it needs a
// digit or a sign.
func (c *scanner) password(i int) int {
	at := c.skip(i, " ：:=是为就改成了\"'“”「『【（(`*|\n", 8)
	if c.has(at, "is ") || c.has(at, "is:") {
		at = c.skip(at+3, " :\"'", 3)
	}
	between := c.s[i:at]
	if at == i && !is(c.next(at), digit) { // "密码abc": only with a digit first
		if !is(c.next(at), letter) {
			return 0
		}
	}
	return c.passwordAt(at, between)
}

func (c *scanner) passwordAt(at int, between string) int {
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
		for end > at && strings.IndexByte(".,;:?)]}】&", c.s[end-1]) >= 0 {
			end--
		}
		if k := strings.IndexAny(c.s[at:end], ";&"); k >= 4 && quote == 0 {
			end = at + k
		}
	}
	if !c.isPassword(c.s[at:end], between, end) {
		return 0
	}
	return c.add(Password, at, end)
}

func (c *scanner) isPassword(v, between string, end int) bool {
	if len(v) < 4 || strings.Trim(v, "*x.-_?#") == "" || strings.Contains(v, "://") || strings.ContainsAny(v[:1], "${<%|") || v[0] == '/' && strings.Count(v, "/") > 1 || strings.HasSuffix(v, "(") || strings.ContainsRune(v, '(') && strings.HasSuffix(v, ")") {
		return false
	}
	digits, signs, large := 0, 0, 0
	for i := range len(v) {
		switch {
		case is(v[i], digit):
			digits++
		case upper(v[i]):
			large++
		case !is(v[i], letter):
			signs++
		}
	}
	if digits > 0 && digits+signs == len(v) && c.amount(end) {
		return false
	}
	if strong(between) && !strings.Contains(between, "is") {
		if digits+signs == 0 && c.next(end) == ' ' && is(c.next(end+1), letter) && !strings.Contains(between, "=") {
			return false // a sentence
		}
		return !plainValue(v)
	}
	v = strings.TrimRight(v, "!")
	if small := len(v) - digits - signs - large; len(v) >= 8 && large > 2 && small > 2 {
		return true
	}
	return digits > 0 || signs < len(v)-1 && strings.Trim(v, "-/.") == v && strings.ContainsAny(v, "!@#$%^&*_+")
}

// plainValue tells whether what stands after "password:" is no password: types and words of programs and forms.
func plainValue(v string) bool {
	v = strings.ToLower(v)
	if strings.HasPrefix(v, "your") && strings.Contains(v, "pass") {
		return true
	}
	switch v {
	case "string", "required", "null", "none", "true", "false", "optional", "password", "undefined", "empty", "text", "varchar", "incorrect", "wrong", "invalid", "expired", "reset", "secret", "input", "wifi", "admin panel", "github":
		return true
	}
	return false
}

// wechat: an id of 6 to 20 letters, digits, '_' and '-' that begins with a letter. Without a colon or the like before it, it needs a digit or a sign.
func (c *scanner) wechat(i int) int {
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
	for end > at && strings.IndexByte(".%+", c.s[end-1]) >= 0 {
		end--
	}
	v := c.s[at:end]
	if len(v) < 6 || len(v) > 20 || strings.ContainsAny(v, ".%+") || c.next(end) == '@' || strings.HasPrefix(c.s[end:], "://") {
		return 0
	}
	if is(v[0], digit) {
		if len(v) > 11 || strings.Trim(v, "0123456789") != "" || !strings.ContainsAny(between, "：:=号是") || c.amount(end) || len(v) == 11 && v[0] == '1' {
			return 0
		}
	} else if !is(v[0], letter) {
		return 0
	} else if !strings.ContainsAny(v, "0123456789_") && !strings.ContainsAny(between, "：:=号】") {
		if !strings.Contains(v, "-") {
			return 0
		}
	}
	return c.add(WeChat, at, end)
}

// qq: 5 to 11 digits after a word that says QQ.
func (c *scanner) qq() int {
	g := &c.g
	last := 0
	if s := g.singles(0); s >= 5 && s <= 11 {
		last = s - 1
	} else if g.sizes[0] < 5 || g.sizes[0] > 11 {
		return 0
	}
	if g.digits[0] == '0' {
		return 0
	}
	at := c.skipBack(g.start, " ：:=\"'“”「【】（(*`|是为号码叫就小大的也\n", 10)
	if at == 0 || at == g.start && !is(c.prev(at), letter) && !c.ends(at, "扣") {
		return 0
	}
	ok := false
	for _, w := range [...]string{"qq", "q q", "扣扣", "企鹅", "球球", "q", "uin", "qqid", "qq_id"} {
		if c.ends(at, w) && (!is(w[0], letter) || !is(c.prev(at-len(w)), wordChar)) {
			ok = true
		}
	}
	end := g.end(last)
	if !ok || is(c.next(end), wordChar) || c.counts(end, end) || c.next(end) == '.' && is(c.next(end+1), digit) {
		return 0
	}
	return c.add(QQ, g.start, end)
}
