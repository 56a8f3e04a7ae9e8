package redact

import (
	"slices"
	"strings"
)

// assign handles a colon, '=', "是" or "为" from i to next. The name before it may announce a secret after it.
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
	if len(name) == len("value") && strings.EqualFold(name, "value") {
		if n, start := c.pairName(b); n != "" {
			name, b = n, start
		}
	}
	return c.assignValue(name, i, next, b)
}

// argument handles a comma at i between two arguments in quotes: Header.Set("Cookie", "…").
func (c *scanner) argument(i int, quote byte) bool {
	b := c.back(i-1, wordChar|local, 64)
	return b > 1 && c.s[b-1] == quote && c.s[b-2] == '(' && c.assign(i, i+1)
}

// pairName returns the name of a pair and its start, for "value" at i: "name: API_TOKEN, value: …", also on two lines.
func (c *scanner) pairName(i int) (name string, start int) {
	end := c.skipBack(i, " \t\r\n\"',;{-", 24)
	start = c.back(end, wordChar|local, 64)
	k := c.skipBack(start, " \t\"':=", 6)
	if start == end || k == start || !c.ends(k, "name") && !c.ends(k, "key") {
		return "", 0
	}
	return c.s[start:end], start
}

// assignValue looks for a value that is assigned to a name. The name starts at b and the assignment is from i to next.
func (c *scanner) assignValue(name string, i, next, b int) bool {
	kind, session := c.nameKind(name, b), slices.Contains(sessionCookies, name)
	if kind == "" && !session {
		return false
	}
	at := c.skip(next, " \t\"'`=>“*：:「『【[|-\n", 8)
	if session {
		if c.s[i] != '=' {
			return c.cookieValue(at)
		}
		return c.sessionCookie(b, at)
	}
	switch kind {
	case Cookie:
		return c.cookies(at)
	case Bearer:
		return c.authorization(at)
	case Password:
		if c.passwordAt(at, c.s[i:at]) {
			c.connection(b, at, c.resumeAt)
			return true
		}
	case Secret:
		return c.secrets(at) || strings.Contains(strings.ToLower(name), "secret") && c.chosenSecret(at)
	case APIKey: // the ID of an access key, or a secret with a similar start
		key := c.accessKey(at)
		return c.secrets(at) || key
	}
	return c.findValue(kind, i)
}

// tag handles the '>' at i of an XML tag and the value after it: "<password>hunter2</password>".
func (c *scanner) tag(i int) bool {
	b := c.back(i, wordChar|local, 64)
	if c.prev(b) != '<' {
		return false
	}
	rest := c.after(i+1, 256)
	k := strings.IndexByte(rest, '<')
	return k > 0 && strings.HasPrefix(rest[k:], "</") && c.assignValue(c.s[b:i], i, i+1, b)
}

// nameKind returns the kind of value that a variable or header name announces, or "".
func (c *scanner) nameKind(name string, start int) Kind {
	l := strings.ToLower(name)
	if l == "id" {
		if containsFold(c.before(start, 16), "access key", "secret ") {
			return APIKey
		}
		return ""
	}
	return kindOfName(name, l)
}

// kindOfName is nameKind without a look at the context. l is the name in small letters.
func kindOfName(name, l string) Kind {
	switch l {
	case "cookie", "set-cookie", "cookies":
		return Cookie
	case "authorization", "proxy-authorization", "x-authorization":
		return Bearer
	case "ak", "access_key_id", "accesskeyid", "access-key-id", "secretid", "secret_id", "accessid":
		return APIKey
	case "nopasswd":
		return ""
	}
	if is(l[len(l)-1], digit) { // "token_2"
		if l = strings.TrimRight(l, decimals+"_-"); l == "" {
			return ""
		}
		name = name[:len(l)]
	}
	switch l {
	}
	if hasSuffix(l, "password", "passwd", "passphrase", "passcode") {
		return Password
	}
	for _, n := range &valueNames {
		if n.word[len(n.word)-1] == name[len(name)-1]|0x20 && isName(name, n.word) {
			if n.kind == QQ && strings.Contains(l, "group") {
				return ""
			}
			return n.kind
		}
	}
	for _, w := range &secretNames {
		if k := strings.LastIndex(l, w); k >= 0 && isNamePart(name, k, k+len(w)) {
			return Secret
		}
	}
	return ""
}

// secretNames are the parts of names of secrets.
var secretNames = [...]string{"key", "token", "secret", "credential", "credentials", "sk", "auth", "apikey", "signature", "private", "salt", "pat"}

// valueNames are names of variables and fields in small letters, without the "_" and "-" between their words.
var valueNames = [...]keyword{
	{"verifycode", VerificationCode}, {"verificationcode", VerificationCode}, {"smscode", VerificationCode}, {"otp", VerificationCode}, {"otpcode", VerificationCode}, {"captcha", VerificationCode},
	{"captchacode", VerificationCode}, {"vcode", VerificationCode}, {"checkcode", VerificationCode}, {"securitycode", VerificationCode}, {"logincode", VerificationCode}, {"pickupcode", VerificationCode},
	{"authcode", VerificationCode}, {"validcode", VerificationCode}, {"verify", VerificationCode}, {"wechat", WeChat}, {"wechatid", WeChat}, {"wechatno", WeChat}, {"wechataccount", WeChat}, {"weixin", WeChat}, {"wxid", WeChat},
	{"weixinid", WeChat}, {"weixinhao", WeChat}, {"wxno", WeChat}, {"qq", QQ}, {"wx", WeChat}, {"vx", WeChat}, {"qqnumber", QQ}, {"qqno", QQ}, {"qqid", QQ}, {"qqnum", QQ}, {"qquin", QQ}, {"qqaccount", QQ}, {"uin", QQ},
	{"passport", Passport}, {"passportno", Passport}, {"passportnumber", Passport}, {"pass", Password}, {"pwd", Password}, {"passwd", Password}, {"psw", Password}, {"pw", Password}, {"password", Password}, {"passcode", Password}, {"passphrase", Password},
	{"permitno", TravelPermit}, {"permitnumber", TravelPermit}, {"travelpermit", TravelPermit},
}

// isNamePart reports whether the letters from i to k are a separate part of a name: "api_key", "apiKey", "X-Key".
func isNamePart(name string, i, k int) bool {
	begins := i == 0 || !is(name[i-1], letter) || !upper(name[i-1]) && upper(name[i]) || knownNamePrefix(strings.ToLower(name[:i]))
	if k < len(name) && name[k]|0x20 == 's' {
		k++ // "tokens"
	}
	ends := k == len(name) || !is(name[k], letter) || !upper(name[k-1]) && upper(name[k])
	return begins && ends
}

// knownNamePrefix reports whether letters directly before "key" or similar belong to it: "apikey", "APPSECRET".
func knownNamePrefix(s string) bool {
	return hasSuffix(s, "api", "app", "access", "secret", "auth", "client", "private", "refresh", "aes", "user", "bot", "web", "session", "encoding", "signing", "secretaccess", "csrf", "corp")
}

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// secret matches a random value at i: 16 or more letters, digits and signs.
func (c *scanner) secret(i int) bool {
	end := i
	for end < len(c.s) && end-i < 513 && is(c.s[end], tokenChar) && c.s[end] != '=' {
		end++
	}
	c.work += end - i
	end = c.skip(end, "=", 2)
	end = i + len(strings.TrimRight(c.s[i:end], "./~"))
	return end-i <= 512 && looksRandom(c.s[i:end]) && c.add(Secret, i, end)
}

// secrets matches a random value at i, and those after it in a list: ["…", "…"].
func (c *scanner) secrets(i int) bool {
	if !c.secret(i) {
		return false
	}
	for range maxList {
		end := c.resumeAt
		at := c.skip(end, listMarks, 6)
		if at == end || c.run(at, alnumChar, 20)-at < 20 || !c.secret(at) {
			return c.advance(end)
		}
	}
	return true
}

// secretAfter matches a random value after a keyword that ends at i. An unassigned one has at least 20 letters and digits.
func (c *scanner) secretAfter(i int, assigned bool) bool {
	at := c.filler(i, looseMarks)
	return (assigned || isAssignment(c.s[i:at])) && at > i && c.secrets(at) || c.plainSecret(at)
}

// namedSecret matches a random value after the name of a secret from i to end and a blank: ENV API_KEY ….
func (c *scanner) namedSecret(i, end int) bool {
	at := c.skip(end, " \"'`", 3)
	return c.run(at, alnumChar, 20)-at >= 20 && c.nameKind(c.s[i:end], i) == Secret && c.plainSecret(at)
}

// plainSecret matches a random value at i without an assignment: 20 or more letters and digits.
func (c *scanner) plainSecret(i int) bool {
	i = c.skip(i, " \"'`", 2)
	end := c.run(i, alnumChar, 257)
	return end-i >= 20 && end-i <= 256 && !is(c.next(end), tokenChar&^alnumChar) && looksRandom(c.s[i:end]) && c.add(Secret, i, end)
}

// chosenSecret matches the value of a name with "secret". It need not look random: at least eight characters with
// letters and digits.
func (c *scanner) chosenSecret(i int) bool {
	end := i
	for end < len(c.s) && end-i < 129 && c.s[end] > ' ' && c.s[end] < 0x7F && strings.IndexByte("\"'`,;<>()[]{}&", c.s[end]) < 0 {
		end++
	}
	c.work += end - i
	v := c.s[i:end]
	if len(v) < 8 || len(v) > 128 || !strings.ContainsAny(v, "0123456789") || strings.Trim(v, "0123456789") == "" || strings.Contains(v, "://") || strings.Contains(v, ".") && strings.Contains(v, "/") || v[0] == '$' || v[0] == '/' {
		return false
	}
	return c.add(Secret, i, end)
}

// looksRandom reports whether a value looks random: mixed letters and digits or only short runs of small letters, many
// different bytes, not a path or a name.
func looksRandom(v string) bool {
	if len(v) < 16 {
		return false
	}
	digits, letters, turns, slashes, small, longest := 0, 0, 0, 0, 0, 0
	for i := range len(v) {
		if small++; !is(v[i], letter) || upper(v[i]) {
			small = 0
		}
		longest = max(longest, small)
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
	return distinct(v) >= 8 && letters >= 3 && (digits >= 2 && turns >= 2 || len(v) >= 24 && turns >= 4 || turns >= 4 && (longest <= 5 && len(v) >= 18 || longest <= 4 && digits > 0 || longest <= 6 && digits > 0 && distinct(v) >= 14 && len(v) >= 20) || len(v) >= 20 && digits > 0 && turns >= 3 && longest <= 5) && slashes*8 <= len(v)
}

// accessKey matches an access key ID of a cloud service: 16 to 40 letters and digits.
func (c *scanner) accessKey(i int) bool {
	end := c.run(i, alnumChar, 41)
	v := c.s[i:end]
	return len(v) >= 16 && len(v) <= 40 && !is(c.next(end), wordChar) && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" &&
		strings.ContainsAny(v, "0123456789") && strings.Trim(v, "0123456789") != "" && c.add(APIKey, i, end)
}

// huawei handles the value after "AK" or "SK", which ends at i.
func (c *scanner) huawei(i int) bool {
	at := c.skip(i, " ：:=是为\"'", 4)
	if at > i && c.accessKey(at) {
		end := c.resumeAt
		return c.next(end) == '/' && c.secret(end+1) || c.advance(end) // AK/SK: …/…
	}
	return at > i && c.secrets(at)
}

// bearer handles the value after "Bearer", which ends at i.
func (c *scanner) bearer(i int) bool {
	at := c.skip(i, " \t\"'`：:=", 3)
	end := at + len(strings.TrimRight(c.s[at:c.run(at, tokenChar, 4096)], "."))
	if v := c.s[at:end]; at == i || len(v) < 16 || !strings.ContainsAny(v, "0123456789") && !looksRandom(v) || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return false
	}
	return c.add(Bearer, at, end)
}

// authorization matches the value of an Authorization header. The name of the scheme is kept.
func (c *scanner) authorization(i int) bool {
	at := i
	for _, w := range [...]string{"bearer ", "basic ", "token ", "digest ", "apikey ", "bot "} {
		if c.has(i, w) {
			at = c.run(i+len(w), blank, 3)
		}
	}
	end := c.run(at, tokenChar, 4096)
	if v := c.s[at:end]; len(v) < 8 || at == i && !looksRandom(v) || c.has(at, "your") || strings.HasPrefix(v, "eyJ") && strings.Count(v, ".") == 2 {
		return false
	}
	return c.add(Bearer, at, end)
}

// cookies matches the value of a Cookie header: pairs separated by ';'.
func (c *scanner) cookies(i int) bool {
	end := c.cookiePairs(i)
	if v := c.s[i:end]; len(v) < 8 || strings.IndexByte(v, '=') <= 0 || !strings.ContainsAny(v, "0123456789") {
		return false
	}
	return c.add(Cookie, i, end)
}

// sessionCookie matches a session cookie and the cookies after it. Its name is at i and its value at at.
func (c *scanner) sessionCookie(i, at int) bool {
	end := c.cookiePairs(i)
	if v := c.s[min(at, end):end]; len(v) < 8 || strings.IndexByte(v[:8], '/') >= 0 {
		return false
	}
	return c.add(Cookie, i, end)
}

// cookieValue matches the value of a session cookie in a list of fields: "sessionid": "…".
func (c *scanner) cookieValue(i int) bool {
	end := c.cookiePairs(i)
	return looksRandom(c.s[i:end]) && c.add(Cookie, i, end)
}

// cookiePairs returns the end of "name=value; name=value" at i.
func (c *input) cookiePairs(i int) int {
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

// sessionCookies are the names of session cookies.
var sessionCookies = []string{"SESSDATA", "bili_jct", "DedeUserID__ckMd5", "JSESSIONID", "jsessionid", "PHPSESSID", "ASP.NET_SessionId", "connect.sid", "pt_key", "p_skey", "skey", "pskey", "BDUSS", "BDUSS_BFESS", "STOKEN", "MUSIC_U", "z_c0",
	"sessionid", "session_id", "laravel_session", "wordpress_logged_in", "SUB", "passport_csrf_token", "sessionid_ss", "sid_tt", "wt2", "sid"}
