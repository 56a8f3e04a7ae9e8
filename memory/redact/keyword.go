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

// chineseWords are the Chinese keywords in simplified characters. doc.go lists them.
var chineseWords = []struct {
	kind  Kind
	words string
}{
	{VerificationCode, "验证码 认证码 确认码 校验码 动态密码 动态码 动态口令 短信码 安全码 登录码 登入码 登陆码 寄件码 核销码 取件码 取货码 取餐码 取票码 取药码 取单码 提货码 " +
		"门禁码 门禁密码 门锁码 门锁密码 开门码 开门密码 开锁码 开锁密码 开柜码 开箱码"},
	{Password, "密码 密匙 口令 提取码 授权码 访问码 解压码 解锁码 通行码"},
	{Secret, "密钥 秘钥 金钥 私钥 令牌 凭证 凭据"},
	{WeChat, "微信 微❤ 微♥ 微号 微： 微: 薇信 薇号 薇： 薇: 威信 徽信 维信 葳信 卫星号 绿泡泡 加微 加薇 加威 加v 加V"},
	{QQ, "扣扣 企鹅 球球 抠抠 蔻蔻"},
	{Passport, "护照"},
	{TravelPermit, "通行证 回乡证 回乡卡 返乡证 台胞证"},
	{Phone, "电话 座机 固话 传真"},
}

// traditional converts the characters of chineseWords to the usual traditional ones, and variant to other ones.
var (
	traditional = strings.NewReplacer("验", "驗", "证", "證", "码", "碼", "认", "認", "确", "確", "动", "動", "态", "態", "录", "錄", "陆", "陸", "销", "銷", "货", "貨", "单", "單", "药", "藥", "门", "門", "锁", "鎖", "开", "開", "柜", "櫃",
		"权", "權", "访", "訪", "问", "問", "压", "壓", "钥", "鑰", "凭", "憑", "据", "據", "号", "號", "维", "維", "卫", "衛", "绿", "綠", "鹅", "鵝", "抠", "摳", "护", "護", "乡", "鄉", "电", "電", "话", "話", "机", "機", "传", "傳",
		"银", "銀", "储", "儲", "记", "記", "账", "帳", "税", "稅", "纳", "納", "执", "執", "热", "熱", "线", "線", "联", "聯", "络", "絡", "拨", "撥", "来", "來", "预", "預", "订", "訂", "询", "詢", "业", "業", "务", "務", "办", "辦", "挂", "掛",
		"后", "後", "户", "戶", "资", "資", "里", "裡")
	variant = strings.NewReplacer("臺", "台", "台", "臺", "證", "証", "帳", "賬")
)

// hanWords are the chineseWords in all forms, by first rune. If two match, the longer one comes first.
var hanWords = func() map[rune][]keyword {
	m := map[rune][]keyword{}
	for _, list := range chineseWords {
		for _, w := range strings.Fields(list.words) {
			for _, form := range forms(w) {
				r, _ := utf8.DecodeRuneInString(form)
				m[r] = append(m[r], keyword{form, list.kind})
			}
		}
	}
	for _, list := range m {
		slices.SortStableFunc(list, func(a, b keyword) int { return len(b.word) - len(a.word) })
	}
	return m
}()

// forms returns words in simplified, traditional and mixed characters.
func forms(words ...string) (all []string) {
	for _, w := range words {
		t := traditional.Replace(w)
		for _, form := range [...]string{w, t, variant.Replace(w), variant.Replace(t), strings.Replace(w, "码", "碼", 1), strings.Replace(w, "号", "號", 1)} {
			if !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	return all
}

// hanKeyword handles a keyword at i and its value.
func (c *scanner) hanKeyword(i int, list []keyword) bool {
	for _, k := range list {
		if !strings.HasPrefix(c.s[i:], k.word) {
			continue
		}
		end := i + len(k.word)
		if is(c.next(end), digit) && c.skip(end+1, "：:=是", 1) > end+1 { // "密码2："
			end++
		}
		if c.findValue(k.kind, end) || c.valueBefore(k.kind, i, end) {
			return true
		}
		// "加微" may be the start of "加微信"
		return c.s[i:i+len("加")] != "加" && c.advance(end)
	}
	return false
}

// keyword handles a token of letters from i to k and its value.
func (c *scanner) keyword(i, k int) bool {
	w := c.s[i:k]
	if len(w) > 11 || strings.IndexByte("abcfkmopqrstuvw", w[0]|0x20) < 0 {
		return false
	}
	var small [11]byte
	switch lowerASCII(&small, w) {
	case "password", "passwd", "pwd", "passcode", "passphrase", "psw":
		return (is(c.next(k), blank) || c.next(k) == '\r' || c.next(k) == '\n' || c.next(k) >= utf8.RuneSelf) && c.password(k) || c.valueBefore(Password, i, k)
	case "wx", "vx", "wechat", "weixin", "wechatid":
		if c.next(k) == '-' && is(c.next(k+1), letter) { // weixin-js-sdk
			return false
		}
		return c.wechat(k) || c.valueBefore(WeChat, i, k)
	case "w", "v":
		switch c.after(k, 3) {
		case "信":
			return c.wechat(k + 3)
		case "：", "号", "號":
			return c.wechat(k)
		}
	case "we":
		return c.has(k, " chat") && c.wechat(k+len(" chat"))
	case "qq", "q", "uin":
		if len(w) == 1 && c.has(k, " q") && !is(c.next(k+2), wordChar) {
			k += 2
		}
		return (len(w) == 2 || c.next(k) != '=') && c.qq(k) || len(w) == 2 && c.valueBefore(QQ, i, k)
	case "bearer":
		return c.bearer(k)
	case "otp", "code", "pin", "captcha":
		return (len(w) != 4 || containsFold(c.before(i, 28), codeWords...) && !containsFold(c.before(i, 8), "error")) && c.codeValue(k)
	case "ak", "sk":
		return c.huawei(k)
	case "token", "key", "secret", "apikey", "credential":
		if b := c.next(k); b == '=' || b == ':' {
			return false // see assign
		}
		return c.secretAfter(k, false) || c.valueBefore(Secret, i, k)
	case "requirepass", "masterauth":
		return c.next(k) == ' ' && c.passwordAt(c.skip(k, " \"'", 3), "=")
	case "passport":
		return c.documentValue(Passport, k)
	case "permit":
		return containsFold(c.before(i, 28), "travel", "return", "mainland", "macao", "macau") && c.documentValue(TravelPermit, k)
	case "tel", "fax", "phone", "telephone":
		return c.localPhone(k)
	}
	return false
}

// codeWords precede the word "code" if its value is for one use.
var codeWords = []string{"verif", "security", "login", "log-in", "sign", "auth", "sms", "验证", "驗證", "one-time", "one time", "access", "your", "confirm", "2fa", "pickup", "pick-up", "locker", "door", "gate", "otp", "apple id", "google"}

// findValue looks for the value of a keyword that ends at i.
func (c *scanner) findValue(kind Kind, i int) bool {
	switch kind {
	case VerificationCode:
		return c.codeValue(i)
	case Password:
		return c.password(i)
	case WeChat:
		return c.wechat(i)
	case QQ:
		return c.qq(i)
	case Passport, TravelPermit:
		return c.documentValue(kind, i)
	case Phone:
		return c.localPhone(i)
	}
	return c.secretAfter(i, true)
}

// valueBefore looks for the value before a keyword from i to end: "abc_123 是我微信号".
func (c *scanner) valueBefore(kind Kind, i, end int) bool {
	if kind == VerificationCode {
		return c.codeBefore(i, end)
	}
	if kind != WeChat && kind != QQ && kind != Password && kind != Secret || prefix(c.s[end:], "群", "公众", "公眾", "小程序", "支付", "空间", "邮箱", "音乐") > 0 {
		return false
	}
	at := c.skipBack(i, " 是我的你他她这這个個就係嘅系为為（(【[「“\"'」”`*—-，,新家里无线登录陆", 14)
	if c.ends(at, "wifi") {
		at = c.skipBack(at-len("wifi"), " 是我的你他她家", 6)
	}
	if k := c.isBefore(i); k > 0 {
		if at = k; kind == Password && c.next(end) == ' ' && is(c.next(end+1), letter) {
			return false
		}
	} else if !c.isLink(kind, at, i, end) {
		return false
	}
	if kind == Secret {
		start := c.back(at, tokenChar, 128)
		if v := c.s[start:at]; len(v) < 20 || !looksRandom(v) {
			return false
		}
		c.found = append(c.found, Finding{kind, start, at})
		return c.advance(end)
	}
	start := c.back(at, wordChar|local, 24)
	v := c.s[start:at]
	switch {
	case len(v) < 5 || len(v) > 20 || strings.ContainsAny(v, ".%+") || c.prev(start) == '@':
		return false
	case kind == Password && (len(v) < 6 || c.s[at] != ' ' && !strings.ContainsAny(c.s[at:i], "是係为為") || count(v, digit) == 0 || count(v, letter) == 0):
		return false
	case kind == QQ && (count(v, digit) < len(v) || len(v) > 11 || v[0] == '0'):
		return false
	case kind == WeChat && (len(v) < 6 || !is(v[0], letter) || !strings.ContainsAny(v, "0123456789_-") && !strings.ContainsAny(c.s[at:i], "是係为為")):
		return false
	}
	c.found = append(c.found, Finding{kind, start, at})
	return c.advance(end)
}

// isLink reports whether the text from i to k links a value before i to its keyword, which is from k to end.
func (c *input) isLink(kind Kind, i, k, end int) bool {
	between := c.s[i:k]
	if !strings.ContainsAny(between, "是係系为為（(【") && !(kind == WeChat && strings.HasSuffix(between, "我的")) {
		return false
	}
	return kind == Password || kind == Secret || strings.ContainsAny(between, "我你他她（(【") || prefix(c.s[end:], "号", "號") > 0
}

// isBefore returns the end of a value before "is my" or similar, which ends at i, or 0.
func (c *input) isBefore(i int) int {
	w := strings.TrimRight(c.before(i, 16), " ")
	for _, article := range [...]string{" my", " the", " our", " his", " her", " their", " your"} {
		if strings.HasSuffix(w, article) {
			w = strings.TrimRight(w[:len(w)-len(article)], " ")
			break
		}
	}
	if !strings.HasSuffix(w, " is") {
		return 0
	}
	k := strings.LastIndex(c.s[:i], " is")
	return len(strings.TrimRight(c.s[:k], " \"'`)"))
}

// codeBefore matches a code before a keyword from i to end: "凭3-8-4546取件码".
func (c *scanner) codeBefore(i, end int) bool {
	start := c.back(i, alnumChar|local, 14)
	if start == i || !hasSuffix(c.s[:start], "凭", "憑", "用", "报", "報", "输", "輸") || c.codeEnd(start, false) != i {
		return false
	}
	c.found = append(c.found, Finding{VerificationCode, start, i})
	return c.advance(end)
}

// codeValue matches four to eight digits, also in groups. After a colon or similar it also matches letters and digits.
func (c *scanner) codeValue(i int) bool {
	at := c.filler(i, "，,。！!")
	end := c.codeEnd(at, isAssignment(c.s[i:at]))
	if end == at || is(c.next(end), wordChar) || c.next(end) == '.' && is(c.next(end+1), digit) || c.next(end) == ':' || c.isAmount(end, end) {
		return false
	}
	c.add(VerificationCode, at, end)
	for strings.IndexByte(c.s[at:end], '-') >= 0 { // 取件码3-6-0196、3-2-2103
		at = c.skip(end, " ", 1)
		n := prefix(c.s[at:], "、", "，", ",", "和", "/")
		if n == 0 {
			break
		}
		at = c.skip(at+n, " ", 1)
		if end = c.codeEnd(at, false); end == at || strings.IndexByte(c.s[at:end], '-') < 0 {
			break
		}
		c.add(VerificationCode, at, end)
	}
	return true
}

// codeEnd returns the end of a code at i, or i.
func (c *input) codeEnd(i int, assigned bool) int {
	end := c.run(i, alnumChar, 11)
	if end == i {
		if end = c.skip(i, hanDigits, 9); end-i >= 4*3 && end-i <= 8*3 {
			return end
		}
		return i
	}
	v := c.s[i:end]
	digits := count(v, digit)
	if b := c.next(end); (b == ' ' || b == '-') && digits > 0 && len(v) <= 4 || b == '-' && len(v) == 1 {
		if k := c.codeGroups(i, end, b); k > end {
			return k
		}
	}
	switch n := len(v); {
	case n < 4 || n > 8 || digits == 0:
		return i
	case digits < n && !assigned && (strings.ToUpper(v) != v || digits < 2):
		return i
	}
	return end
}

// codeGroups returns the end of the groups of a code: 123-456, 12 34 56 or 3-2-1045. The first is from i to end.
func (c *input) codeGroups(i, end int, sep byte) int {
	size, total, digits, groups, equal := end-i, end-i, count(c.s[i:end], digit), 1, true
	for groups < 8 && c.next(end) == sep && is(c.next(end+1), alnumChar) {
		k := c.run(end+1, alnumChar, 6)
		n := k - end - 1
		if d := count(c.s[end+1:k], digit); d == 0 && n > 1 || sep == ' ' && d < n || is(c.next(k), wordChar) {
			break
		} else {
			digits += d
		}
		total, groups, equal = total+n, groups+1, equal && n == size
		end = k
	}
	switch {
	case groups == 1, total > 13, digits < 3:
		return i
	case sep == ' ' && (!equal || total < 4 || total > 8 || size == 1 && total < 4):
		return i
	case groups == 2 && !(equal && size >= 3) && (total < 5 || is(c.s[i], digit) && size > 2):
		return i
	}
	return end
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
	w := c.s[end:min(len(c.s), end+48)]
	rest := w
	if w != "" && (w[0] < 0xE4 || w[0] > 0xE9) {
		rest = strings.TrimLeft(w, " \"'」”*`】，,")
	}
	linked := false
	switch r, _ := utf8.DecodeRuneInString(rest); r {
	case 'i', 'a', '(', 't':
		linked = prefix(rest, "is ", "as ", "(", "to verify", "to sign in", "to log in", "to login", "to confirm", "to complete") > 0
	case '是', '为', '為', '係', '系', '就', '这', '這', '（', '←', '完', '进', '登':
		linked = prefix(rest, "是", "为", "為", "係", "系", "就是", "这是", "這是", "这个", "（", "←", "完成验证", "完成驗證", "进行验证", "完成登录", "登录验证") > 0
	}
	return linked && containsFold(c.after(end, 48), sentWords...) && c.add(VerificationCode, g.start, end)
}

// sentWords are in a text after a code.
var sentWords = append(forms(strings.Fields(chineseWords[0].words)...), "verification code", "security code", "login code", "confirmation code", "your code", "access code",
	"one-time", "passcode", "to verify", "to sign in", "to log in", "to login", "to confirm your", "完成验证", "完成驗證", "进行验证", "完成登录", "登录验证")

// password matches the value after the keyword, up to a blank or a Chinese character, or up to the closing quote.
// Without a colon or similar it needs a digit or a sign.
func (c *scanner) password(i int) bool {
	at := c.filler(i, "")
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
		if k := strings.IndexAny(c.s[at:end], ";&"); quote == 0 && (k >= 4 || k > 0 && strings.IndexByte(c.s[at+k:end], '=') > 0) {
			end = at + k
		}
	}
	return c.isPassword(c.s[at:end], between, end) && c.add(Password, at, end)
}

func (c *input) isPassword(v, between string, end int) bool {
	if len(v) < 4 || strings.Trim(v, "*x.-_?#") == "" || strings.Contains(v, "://") || strings.ContainsAny(v[:1], "${<%|&;") || v[0] == '/' && strings.Count(v, "/") > 1 || strings.HasSuffix(v, "(") || strings.ContainsRune(v, '(') && (strings.HasSuffix(v, ")") || c.next(end) == ')') {
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
	if isAssignment(between) && !hasWord(between, "is") && !hasWord(between, "to") {
		if digits+signs == 0 && c.next(end) == ' ' && is(c.next(end+1), letter) && !strings.Contains(between, "=") {
			return false // part of a sentence
		}
		return !isPlaceholderValue(v)
	}
	if v = strings.TrimRight(v, "!"); len(v) == 10 && v[4] == '-' && v[7] == '-' && digits == 8 { // a date
		return false
	}
	return digits > 0 || len(v) >= 8 && large > 2 && letters-large > 2 ||
		signs < len(v)-1 && strings.Trim(v, "-/.") == v && strings.ContainsAny(v, "!@#$%^&*_+")
}

// isPlaceholderValue reports whether the value of "password:" is a type or a word of programs and forms.
func isPlaceholderValue(v string) bool {
	v = strings.ToLower(v)
	if k := strings.LastIndexByte(v, '.'); k > 0 && count(v, letter|under)+strings.Count(v, ".") == len(v) && kindOfName(v[k+1:], v[k+1:]) != "" {
		return true // process.env.DB_PASS
	}
	return strings.HasPrefix(v, "your") && strings.Contains(v, "pass") || slices.Contains(placeholderValues, v)
}

var placeholderValues = []string{"string", "required", "null", "none", "true", "false", "optional", "password", "undefined", "empty", "text", "varchar", "incorrect", "wrong", "invalid", "expired", "reset", "secret", "input", "wifi", "admin panel", "github", "windows", "android", "iphone", "python", "wechat"}

// flag handles the option "-p" or "-u" at i of a command that takes a password there.
func (c *scanner) flag(i int) bool {
	w := c.before(i, 64)
	if k := strings.LastIndexAny(w, "|;&"); k >= 0 {
		w = w[k:]
	}
	at := c.skip(i+2, " =\"'", 3)
	switch {
	case c.s[i+1] == 'u':
		if !strings.Contains(w, "curl ") && !strings.Contains(w, "http ") {
			return false
		}
		k := c.run(at, alnumChar|local, 64)
		return c.next(k) == ':' && c.passwordAt(k+1, "=")
	case strings.Contains(w, "sshpass "):
		return c.passwordAt(at, "=")
	case strings.Contains(w, "mysql") || strings.Contains(w, "mariadb"):
		return c.next(i+2) != ' ' && !c.has(i+2, "ort") && !c.has(i+2, "roto") && c.passwordAt(at, "=")
	}
	return false
}
