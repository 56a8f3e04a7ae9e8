package redact

import (
	"slices"
	"strings"
)

// assign looks at a colon or '=' from i to next: what stands before it may name a secret, what stands after it may be one.
func (c *scanner) assign(i, next int) bool {
	e := c.skipBack(i, " \"'`]*", 3)
	b := c.back(e, wordChar|local, 64)
	name := strings.Trim(c.s[b:e], ".%+-")
	if len(name) < 2 {
		return false
	}
	if k := strings.LastIndexByte(name, '%'); k >= 0 {
		name = name[k+1:]
	}
	at := c.skip(next, " \t\"'`=>“*\n", 5)
	if slices.Contains(sessionCookies, name) {
		return c.sessions(b, at)
	}
	switch c.names(name, b) {
	case Cookie:
		return c.cookies(at)
	case Bearer:
		return c.authorization(at)
	case Password:
		return c.passwordAt(at, c.s[i:at])
	case Secret:
		return c.secret(at) || strings.Contains(strings.ToLower(name), "secret") && c.chosen(at)
	case APIKey: // an access key's id, or a secret that begins like one
		key := c.accessKey(at)
		return c.secret(at) || key
	}
	return false
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
	case "nopasswd":
		return ""
	case "pass", "pw", "pwd", "passwd", "psw", "password", "passcode", "passphrase":
		return Password
	}
	if hasSuffix(l, "password", "passwd", "_pwd", "_pass") {
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
	return hasSuffix(s, "api", "app", "access", "secret", "auth", "client", "private", "refresh", "aes", "user", "bot", "web", "session", "encoding", "signing", "secretaccess", "csrf", "corp")
}

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// secret: a value at i that looks random: 16 or more letters, digits and signs.
func (c *scanner) secret(i int) bool {
	end := i
	for end < len(c.s) && end-i < 513 && is(c.s[end], tokenChar) && c.s[end] != '=' {
		end++
	}
	c.work += end - i
	end = c.skip(end, "=", 2)
	end = i + len(strings.TrimRight(c.s[i:end], ".-/~"))
	return end-i <= 512 && random(c.s[i:end]) && c.add(Secret, i, end)
}

// chosen: a value of something that is called a secret need not look random: eight characters with letters and digits.
func (c *scanner) chosen(i int) bool {
	end := i
	for end < len(c.s) && end-i < 129 && c.s[end] > ' ' && c.s[end] < 0x7F && strings.IndexByte("\"'`,;<>()[]{}&", c.s[end]) < 0 {
		end++
	}
	c.work += end - i
	v := c.s[i:end]
	if len(v) < 8 || len(v) > 128 || !strings.ContainsAny(v, "0123456789") || strings.Trim(v, "0123456789") == "" || strings.Contains(v, "://") || v[0] == '$' || v[0] == '/' {
		return false
	}
	return c.add(Secret, i, end)
}

// random tells whether a value looks drawn by chance: letters and digits mixed, many different ones, no path and no name.
func random(v string) bool {
	if len(v) < 16 {
		return false
	}
	digits, letters, turns, slashes := 0, 0, 0, 0
	for i := range len(v) {
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
	return distinct(v) >= 8 && letters >= 3 && (digits >= 2 && turns >= 2 || len(v) >= 24 && turns >= 4) && slashes*8 <= len(v)
}

// accessKey: 16 to 40 letters and digits, as cloud services give them for ids.
func (c *scanner) accessKey(i int) bool {
	end := c.run(i, alnumChar, 41)
	v := c.s[i:end]
	return len(v) >= 16 && len(v) <= 40 && !is(c.next(end), wordChar) && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" &&
		strings.ContainsAny(v, "0123456789") && strings.Trim(v, "0123456789") != "" && c.add(APIKey, i, end)
}

// huawei looks at what follows "AK" or "SK" that ends at i.
func (c *scanner) huawei(i int) bool {
	at := c.skip(i, " ：:=是为\"'", 4)
	return at > i && (c.accessKey(at) || c.secret(at))
}

// bearer looks at what follows the word, which ends at i.
func (c *scanner) bearer(i int) bool {
	at := c.run(i, blank, 3)
	end := at + len(strings.TrimRight(c.s[at:c.run(at, tokenChar, 4096)], "."))
	if v := c.s[at:end]; at == i || len(v) < 16 || !strings.ContainsAny(v, "0123456789") && !random(v) || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return false
	}
	return c.add(Bearer, at, end)
}

// authorization: the value of such a header. The name of the scheme stays.
func (c *scanner) authorization(i int) bool {
	at := i
	for _, w := range [...]string{"bearer ", "basic ", "token ", "digest ", "apikey ", "bot "} {
		if c.has(i, w) {
			at = c.run(i+len(w), blank, 3)
		}
	}
	end := c.run(at, tokenChar, 4096)
	if v := c.s[at:end]; len(v) < 8 || at == i && !random(v) || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return false
	}
	return c.add(Bearer, at, end)
}

// cookies: the value of a Cookie header: pairs with ';' between.
func (c *scanner) cookies(i int) bool {
	end := c.pairs(i)
	if v := c.s[i:end]; len(v) < 8 || strings.IndexByte(v, '=') <= 0 || !strings.ContainsAny(v, "0123456789") {
		return false
	}
	return c.add(Cookie, i, end)
}

// sessions: a cookie of a session from its name at i on, its value at at, and those after it.
func (c *scanner) sessions(i, at int) bool {
	end := c.pairs(i)
	if v := c.s[min(at, end):end]; len(v) < 8 || strings.IndexByte(v[:8], '/') >= 0 {
		return false
	}
	return c.add(Cookie, i, end)
}

// pairs gives the end of "name=value; name=value" that starts at i.
func (c *scanner) pairs(i int) int {
	start := i
	for i < len(c.s) && i-start < 8192 {
		b := c.s[i]
		space := b == ' ' && c.prev(i) == ';' && is(c.next(i+1), wordChar)
		if !space && (b <= ' ' || b >= 0x7F || strings.IndexByte("\"'`<>\\", b) >= 0) {
			break
		}
		i++
	}
	c.work += i - start
	return start + len(strings.TrimRight(c.s[start:i], ",.)]"))
}

// sessionCookies are the names of cookies that log in.
var sessionCookies = []string{"SESSDATA", "bili_jct", "DedeUserID__ckMd5", "JSESSIONID", "PHPSESSID", "ASP.NET_SessionId", "connect.sid", "pt_key", "p_skey", "skey", "pskey", "BDUSS", "BDUSS_BFESS", "STOKEN", "MUSIC_U", "z_c0",
	"sessionid", "session_id", "laravel_session", "wordpress_logged_in", "SUB", "passport_csrf_token", "sessionid_ss", "sid_tt", "wt2", "sid"}
