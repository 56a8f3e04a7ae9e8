package redact

import (
	"slices"
	"strings"
)

// assign looks at a colon or '=' from i to next: what stands before it may name a secret, what stands after it may be one.
func (c *scanner) assign(i, next int) int {
	e := c.skipBack(i, " \"'`]*", 3)
	b := c.back(e, wordChar|local, 64)
	name := strings.Trim(c.s[b:e], ".%+-")
	if len(name) < 2 {
		return next
	}
	if k := strings.LastIndexByte(name, '%'); k >= 0 {
		name = name[k+1:]
	}
	at := c.skip(next, " \t\"'`=>“*\n", 5)
	if sessionCookie(name) {
		return max(c.sessions(b, at), next)
	}
	switch c.names(name, b) {
	case Cookie:
		return max(c.cookies(at), next)
	case Bearer:
		return max(c.authorization(at), next)
	case Password:
		return max(c.passwordAt(at, c.s[i:at]), next)
	case Secret:
		x := c.secret(at)
		if x == 0 && strings.Contains(strings.ToLower(name), "secret") {
			x = c.chosen(at)
		}
		return max(x, next)
	case APIKey: // an access key's id
		return max(c.accessKey(at), c.secret(at), next)
	}
	return next
}

// names tells what a name on the left of an assignment promises.
func (c *scanner) names(name string, start int) Kind {
	l := strings.ToLower(name)
	switch l {
	case "cookie", "set-cookie", "cookies":
		return Cookie
	case "authorization", "proxy-authorization", "x-authorization":
		return Bearer
	case "ak", "access_key_id", "accesskeyid", "access-key-id", "secretid", "secret_id", "accessid":
		return APIKey
	case "id":
		if contains(c.before(start, 16), "access key", "secret ") {
			return APIKey
		}
		return ""
	case "pass", "pw", "pwd", "passwd", "psw", "password", "passcode", "passphrase":
		return Password
	}
	if l == "nopasswd" {
		return ""
	}
	if strings.HasSuffix(l, "password") || strings.HasSuffix(l, "passwd") || strings.HasSuffix(l, "_pwd") || strings.HasSuffix(l, "_pass") {
		return Password
	}
	for _, w := range [...]string{"key", "token", "secret", "credential", "credentials", "sk", "auth", "apikey", "signature", "private", "salt", "pat"} {
		if k := strings.LastIndex(l, w); k >= 0 && part(name, k, k+len(w)) {
			return Secret
		}
	}
	return ""
}

// part tells whether the letters from i to k are a part of a name by themselves: "api_key", "apiKey", "X-Key".
func part(name string, i, k int) bool {
	begins := i == 0 || !is(name[i-1], letter) || !upper(name[i-1]) && upper(name[i]) || whole(strings.ToLower(name[:i]))
	ends := k == len(name) || !is(name[k], letter) || !upper(name[k-1]) && upper(name[k])
	return begins && ends
}

// whole tells whether letters right before "key" and the like belong to it: "apikey", "APPSECRET".
func whole(s string) bool {
	words := []string{"api", "app", "access", "secret", "auth", "client", "private", "refresh", "aes", "user", "bot", "web", "session", "encoding", "signing", "secretaccess", "csrf", "corp"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// secret: a value at i that looks random: 16 or more letters, digits and signs.
func (c *scanner) secret(i int) int {
	end := i
	for end < len(c.s) && end-i < 513 && is(c.s[end], tokenChar) && c.s[end] != '=' {
		end++
	}
	c.work += end - i
	end = c.skip(end, "=", 2)
	for end > i && strings.IndexByte(".-/~", c.s[end-1]) >= 0 {
		end--
	}
	if end-i > 512 || !random(c.s[i:end]) {
		return 0
	}
	return c.add(Secret, i, end)
}

// chosen: a value of something that is called a secret need not look random: eight characters with letters and digits.
func (c *scanner) chosen(i int) int {
	end := i
	for end < len(c.s) && end-i < 129 && c.s[end] > ' ' && c.s[end] < 0x7F && strings.IndexByte("\"'`,;<>()[]{}&", c.s[end]) < 0 {
		end++
	}
	c.work += end - i
	v := c.s[i:end]
	if len(v) < 8 || len(v) > 128 || !strings.ContainsAny(v, "0123456789") || strings.Trim(v, "0123456789") == "" || strings.Contains(v, "://") || v[0] == '$' || v[0] == '/' {
		return 0
	}
	return c.add(Secret, i, end)
}

// random tells whether a value looks drawn by chance: letters and digits mixed, many different ones, no path and no name.
func random(v string) bool {
	if len(v) < 16 {
		return false
	}
	var seen [256]bool
	distinct, digits, letters, turns, slashes := 0, 0, 0, 0, 0
	for i := range len(v) {
		if b := v[i]; !seen[b] {
			seen[b] = true
			distinct++
		}
		switch b := v[i]; {
		case is(b, digit):
			digits++
			if i > 0 && !is(v[i-1], digit) {
				turns++
			}
		case is(b, letter):
			letters++
			if i > 0 && upper(b) && is(v[i-1], letter) && !upper(v[i-1]) {
				turns++
			}
		case b == '/' || b == '.':
			slashes++
		}
	}
	return distinct >= 8 && letters >= 3 && (digits >= 2 && turns >= 2 || len(v) >= 24 && turns >= 4) && slashes*8 <= len(v)
}

// accessKey: 16 to 40 letters and digits, as cloud services give them for ids.
func (c *scanner) accessKey(i int) int {
	end := c.run(i, alnumChar, 41)
	if n := end - i; n < 16 || n > 40 || is(c.next(end), wordChar) || strings.Trim(c.s[i:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return 0
	}
	if v := c.s[i:end]; !strings.ContainsAny(v, "0123456789") || strings.Trim(v, "0123456789") == "" {
		return 0
	}
	return c.add(APIKey, i, end)
}

// huawei looks at what follows "AK" or "SK" that ends at i.
func (c *scanner) huawei(i int) int {
	at := c.skip(i, " ：:=是为\"'", 4)
	if at == i {
		return 0
	}
	if e := c.accessKey(at); e > 0 {
		return e
	}
	return c.secret(at)
}

// bearer looks at what follows the word, which ends at i.
func (c *scanner) bearer(i int) int {
	at := c.run(i, blank, 3)
	end := c.run(at, tokenChar, 4096)
	for end > at && c.s[end-1] == '.' {
		end--
	}
	if v := c.s[at:end]; at == i || len(v) < 16 || !strings.ContainsAny(v, "0123456789") && !random(v) || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return 0
	}
	return c.add(Bearer, at, end)
}

// authorization: the value of such a header. The name of the scheme stays.
func (c *scanner) authorization(i int) int {
	at := i
	for _, w := range [...]string{"bearer ", "basic ", "token ", "digest ", "apikey ", "bot "} {
		if c.has(i, w) {
			at = c.run(i+len(w), blank, 3)
		}
	}
	end := c.run(at, tokenChar, 4096)
	if v := c.s[at:end]; len(v) < 8 || at == i && !random(v) || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return 0
	}
	return c.add(Bearer, at, end)
}

// cookies: the value of a Cookie header: pairs with ';' between.
func (c *scanner) cookies(i int) int {
	end := c.pairs(i)
	if v := c.s[i:end]; len(v) < 8 || strings.IndexByte(v, '=') <= 0 || !strings.ContainsAny(v, "0123456789") {
		return 0
	}
	return c.add(Cookie, i, end)
}

// sessions: a cookie of a session from its name at i on, its value at at, and those after it.
func (c *scanner) sessions(i, at int) int {
	end := c.pairs(i)
	if v := c.s[min(at, end):end]; len(v) < 8 || strings.IndexByte(v[:8], '/') >= 0 {
		return 0
	}
	return c.add(Cookie, i, end)
}

// pairs gives the end of "name=value; name=value" that starts at i.
func (c *scanner) pairs(i int) int {
	start := i
	for i < len(c.s) && i-start < 8192 {
		b := c.s[i]
		if b <= ' ' || b >= 0x7F || strings.IndexByte("\"'`<>\\", b) >= 0 {
			if b != ' ' || c.prev(i) != ';' || !is(c.next(i+1), alnumChar|under) {
				break
			}
		}
		i++
	}
	c.work += i - start
	for i > start && strings.IndexByte(",.)]", c.s[i-1]) >= 0 {
		i--
	}
	return i
}

func sessionCookie(name string) bool {
	switch name {
	case "SESSDATA", "bili_jct", "DedeUserID__ckMd5", "JSESSIONID", "PHPSESSID", "ASP.NET_SessionId", "connect.sid", "pt_key", "p_skey", "skey", "pskey", "BDUSS", "BDUSS_BFESS", "STOKEN", "MUSIC_U", "z_c0",
		"sessionid", "session_id", "laravel_session", "wordpress_logged_in", "SUB", "passport_csrf_token", "sessionid_ss", "sid_tt", "wt2", "sid":
		return true
	}
	return false
}
