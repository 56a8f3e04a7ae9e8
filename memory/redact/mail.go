package redact

import (
	"slices"
	"strings"
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
	if n-start == 0 || n-start > 64 {
		return
	}
	at := c.run(end, blank, 1)
	host, stop := c.host(at)
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
func (c *scanner) host(i int) (host string, end int) {
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

// dot returns the end of a dot at i, or i.
func (c *scanner) dot(i int) int {
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
