package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// atSign handles '@': an email address or a Go DSN.
func (c *scanner) atSign(i int) bool {
	if strings.HasPrefix(c.s[i:], "@tcp(") || strings.HasPrefix(c.s[i:], "@unix(") {
		return c.goDSN(i)
	}
	c.mail(i, i+1, 0)
	return false
}

// spelledAt handles the word "at" from i to end: "name(at)host" or "name at host dot com".
func (c *scanner) spelledAt(i, end int) {
	const open, closed = "([{<#*-_（【", ")]}>#*-_）】"
	from, to := c.skipBack(i, open, 1), c.skip(end, closed, 1)
	if (from == i) != (to == end) {
		return
	}
	if from == i && (c.prev(i) != ' ' || c.next(end) != ' ') {
		return
	}
	spaces := 1
	if from == i {
		spaces = 2
	}
	c.mail(from, to, spaces)
}

// mail looks for an email address with its '@', in any spelling, from i to end. With spaces 1, blanks may surround it.
// With 0 and 2, that is allowed only for the mailHosts. With 3, the host must be one of mailHosts.
func (c *scanner) mail(i, end, spaces int) {
	n := c.back(i, blank, 1)
	start := c.back(n, local, 65)
	for start < n && (c.s[start] == '.' || c.s[start] == '-') {
		start++
	}
	if n-start > 64 {
		return
	}
	at := c.run(end, blank, 1)
	host, stop := c.host(at)
	if host != "" && c.next(stop) < utf8.RuneSelf && c.next(stop+1) < utf8.RuneSelf {
		// the usual case: no Chinese characters follow
	} else if k := c.hanHost(at); k > stop {
		host, stop = c.s[at:k], k
		if start == n {
			start = c.hanLocal(n, k)
		}
	}
	if n == start {
		return
	}
	if host == "" || c.s[start:n] == "git" && c.next(stop) == ':' {
		return
	}
	if spaces == 3 && !slices.Contains(mailHosts, host) {
		return
	}
	if spaces != 1 && (spaces == 2 || n < i || at > end) && !(n < i && at > end && slices.Contains(mailHosts, host)) {
		return
	}
	c.add(Email, start, stop)
}

// host reads a host name and returns it in lower case. "(dot)", "点" and "。" count as dots.
func (c *input) host(i int) (host string, end int) {
	var b []byte
	for n := 0; n < 8; n++ {
		k := c.run(i, alnumChar, 64)
		for c.next(k) == '-' && k-i < 64 {
			k = c.run(k+1, alnumChar, 64)
		}
		if k == i || c.s[k-1] == '-' {
			return "", 0
		}
		b = append(b, c.s[i:k]...)
		dot := c.dot(k)
		if dot == k || !is(c.next(dot), alnumChar) {
			end = k
			break
		}
		b, i = append(b, '.'), dot
	}
	host = strings.ToLower(string(b))
	top := host[strings.LastIndexByte(host, '.')+1:]
	if end == 0 || len(top) < 2 || strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") != "" && !strings.HasPrefix(top, "xn--") || len(host) == len(top) || slices.Contains(fileEndings, top) {
		return "", 0
	}
	return host, end
}

// hanHost returns the end of a host name with Chinese characters at i, or 0: "例子.中国", "mail.例子.cn".
func (c *input) hanHost(i int) int {
	han := false
	for n := range 5 {
		if n > 0 {
			if c.next(i) >= utf8.RuneSelf {
				if k := i + prefix(c.s[i:], hanTopLevels...); k > i && c.next(k) != '.' {
					return k
				}
			}
			if k := c.run(i, letter, 8); han && k-i >= 2 && c.next(k) != '.' && !is(c.next(k), wordChar) {
				return k
			}
		}
		start := i
		for i < len(c.s) && i-start < 60 {
			if b := c.s[i]; b < utf8.RuneSelf {
				if !is(b, alnumChar) && b != '-' {
					break
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(c.s[i:])
			if !isHan(r) {
				break
			}
			han = true
			i += size
		}
		c.work += i - start
		if i == start || c.next(i) != '.' {
			return 0
		}
		i++
	}
	return 0
}

// hanLocal returns the start of up to eight Chinese characters before the '@' at i. The host ends at end. A mention may
// precede text that begins like a top level ("找@小王.公司门口见").
func (c *input) hanLocal(i, end int) int {
	r, _ := utf8.DecodeRuneInString(c.s[end:])
	if isHan(r) && !strings.ContainsRune("吧哈了呢啊哦噢呀嘛", r) && hasSuffix(c.s[:end], "公司", "在线", "手机", "信息", "商店", "网站") {
		return i
	}
	start := i
	for range 8 {
		r, size := utf8.DecodeLastRuneInString(c.s[:start])
		if !isHan(r) {
			break
		}
		start -= size
	}
	c.work += i - start
	return start
}

// hanTopLevels are the Chinese top level domains in use.
var hanTopLevels = []string{"中国", "中國", "公司", "网络", "網絡", "网址", "网站", "网店", "中文网", "在线", "商城", "商店", "商标", "集团", "企业", "香港", "台湾", "台灣", "澳门", "新加坡",
	"移动", "手机", "信息", "政务", "公益", "机构", "组织机构", "广东", "佛山", "游戏", "娱乐", "世界", "时尚", "餐厅", "购物", "招聘", "健康", "慈善", "我爱你"}

// dot returns the end of a dot at i, or i.
func (c *input) dot(i int) int {
	if c.next(i) == '.' {
		return i + 1
	}
	for _, w := range [...]string{"(dot)", "[dot]", " dot ", " (dot) ", " [dot] ", "（dot）", "点", "。", "·"} {
		if c.has(i, w) {
			return i + len(w)
		}
	}
	return i
}

// mailHosts are common mail providers.
var mailHosts = []string{"qq.com", "vip.qq.com", "163.com", "126.com", "gmail.com", "outlook.com", "hotmail.com", "foxmail.com", "sina.com", "sina.cn", "yahoo.com", "icloud.com", "aliyun.com",
	"139.com", "189.cn", "yeah.net", "sohu.com", "live.com", "live.cn", "msn.com", "proton.me", "protonmail.com", "googlemail.com", "me.com", "tom.com"}

// fileEndings are endings of file names such as "icon@2x.png".
var fileEndings = []string{"png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "js", "ts", "css", "html", "json", "txt", "pdf", "mp", "so", "go", "jar", "exe", "zip", "service", "socket", "localdomain"}
