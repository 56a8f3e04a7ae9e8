package redact

import "strings"

// A vendor's keys begin with its prefix and go on with at least so many characters.
type vendor struct {
	prefix string
	least  int
	most   int // 0: no bound but that of all
	upper  bool
}

const longestKey = 512

var vendors = [256][]vendor{
	'A': {{prefix: "AKIA", least: 16, most: 16, upper: true}, {prefix: "ASIA", least: 16, most: 16, upper: true}, {prefix: "AKID", least: 16, most: 48}, {prefix: "AKLT", least: 20, most: 60}, {prefix: "AIza", least: 35, most: 35}, {prefix: "AGE-SECRET-KEY-1", least: 50, most: 60}},
	'E': {{prefix: "EAACEdEose0cBA", least: 16}},
	'G': {{prefix: "GOCSPX-", least: 20}},
	'L': {{prefix: "LTAI", least: 12, most: 28}},
	'S': {{prefix: "SG.", least: 40}},
	'b': {{prefix: "bce-v3/ALTAK-", least: 16}},
	'd': {{prefix: "dop_v1_", least: 40}, {prefix: "dckr_pat_", least: 20}},
	'e': {{prefix: "eyJ", least: 1}},
	'g': {{prefix: "ghp_", least: 30}, {prefix: "gho_", least: 30}, {prefix: "ghu_", least: 30}, {prefix: "ghs_", least: 30}, {prefix: "ghr_", least: 30}, {prefix: "github_pat_", least: 40}, {prefix: "glpat-", least: 16}, {prefix: "gldt-", least: 16}, {prefix: "gsk_", least: 30}},
	'h': {{prefix: "hf_", least: 28, most: 60}, {prefix: "hooks.slack.com/services/", least: 30}, {prefix: "hvs.", least: 24}},
	'n': {{prefix: "npm_", least: 30, most: 60}, {prefix: "nvapi-", least: 40}},
	'o': {{prefix: "open-apis/bot/v2/hook/", least: 30}},
	'p': {{prefix: "pypi-AgE", least: 40}, {prefix: "pplx-", least: 30}, {prefix: "pat_", least: 40}},
	'r': {{prefix: "rk_live_", least: 16}, {prefix: "rk_test_", least: 16}, {prefix: "r8_", least: 30}},
	's': {{prefix: "sk-", least: 20}, {prefix: "sk_live_", least: 16}, {prefix: "sk_test_", least: 16}, {prefix: "shpat_", least: 24}, {prefix: "sq0csp-", least: 30}},
	't': {{prefix: "tvly-", least: 20}, {prefix: "tp-", least: 40}},
	'w': {{prefix: "wxid_", least: 8, most: 24}, {prefix: "whsec_", least: 20}},
	'x': {{prefix: "xoxb-", least: 16}, {prefix: "xoxp-", least: 16}, {prefix: "xoxa-", least: 16}, {prefix: "xoxr-", least: 16}, {prefix: "xoxs-", least: 16}, {prefix: "xapp-", least: 20}, {prefix: "xai-", least: 40}},
	'y': {{prefix: "ya29.", least: 20}},
}

// prefixed looks for a key that begins at i. The token there is of letters up to k, and ends at end.
func (c *scanner) prefixed(i, k, end int) bool {
	if p := c.prev(i); is(p, wordChar) || p == '-' {
		return false
	}
	list := vendors[c.s[i]]
	for n := range list {
		v := &list[n]
		if !strings.HasPrefix(c.s[i:], v.prefix) {
			continue
		}
		if v.prefix == "eyJ" {
			return c.jwt(i)
		}
		if c.key(i, v) {
			return true
		}
	}
	return false
}

func (c *scanner) key(i int, v *vendor) bool {
	at := i + len(v.prefix)
	class := wordChar
	if !v.upper && v.most == 0 || v.prefix == "AIza" || v.prefix == "wxid_" {
		class |= tokenChar
	}
	end := c.run(at, class, longestKey)
	if class&tokenChar != 0 { // what a sentence or a path goes on with is no part of it
		cutset := "+=%~"
		if !strings.ContainsAny(v.prefix, "/.") {
			cutset += "/."
		}
		if k := strings.IndexAny(c.s[at:end], cutset); k >= 0 {
			end = at + k
		}
		end = at + len(strings.TrimRight(c.s[at:end], "./-"))
	}
	n := end - at
	if n < v.least || v.most > 0 && n > v.most || v.upper && strings.ToUpper(c.s[at:end]) != c.s[at:end] {
		return false
	}
	if v.prefix == "wxid_" {
		return c.add(WeChat, i, end)
	}
	return (v.upper || mixed(c.s[at:end])) && c.add(APIKey, i, end)
}

// mixed tells whether a value has many different characters, and digits or both cases among them.
func mixed(v string) bool {
	large := strings.ContainsFunc(v, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	small := strings.ContainsFunc(v, func(r rune) bool { return 'a' <= r && r <= 'z' })
	return distinct(v) >= 6 && (large && small || count(v, digit) > 0)
}

// jwt: three parts of base64 with dots, the first of them the head of JSON.
func (c *scanner) jwt(i int) bool {
	if !strings.HasPrefix(c.s[i:], "eyJ") {
		return false
	}
	at := i
	for n := range 3 {
		k := at
		for k < len(c.s) && (is(c.s[k], wordChar) || c.s[k] == '-') {
			k++
		}
		c.work += k - at
		if n == 0 && k-at < 12 || n == 1 && k-at < 4 {
			return c.read(k)
		}
		if at = k; n < 2 {
			if c.next(at) != '.' {
				return c.read(at)
			}
			at++
		}
	}
	return c.add(JWT, i, at)
}

// telegram: digits from i to e, a colon and 35 characters: the token of a bot.
func (c *scanner) telegram(i, e int) bool {
	if n := e - i; n < 8 || n > 10 || is(c.prev(i), wordChar) && !strings.HasSuffix(c.s[:i], "bot") {
		return false
	}
	end := c.run(e+1, wordChar|tokenChar, 48)
	if k := strings.IndexAny(c.s[e+1:end], "/.=+%~"); k >= 0 {
		end = e + 1 + k
	}
	n := end - e - 1
	return n >= 33 && n <= 37 && mixed(c.s[e+1:end]) && c.add(APIKey, i, end)
}

// zhipu: 32 hexadecimal digits from i to end, a dot and 16 letters and digits.
func (c *scanner) zhipu(i, end int) bool {
	if end-i != 32 || c.next(end) != '.' || c.run(i, hexDigit, 33) != end {
		return false
	}
	e := c.run(end+1, alnumChar, 17)
	return e-end-1 == 16 && !is(c.next(e), wordChar) && mixed(c.s[end+1:e]) && c.add(APIKey, i, e)
}

// pem looks at "-----BEGIN " at i.
func (c *scanner) pem(i int) bool {
	const begin, dashes, final = "-----BEGIN ", "-----", "-----END "
	at := i + len(begin)
	head := c.s[at:min(len(c.s), at+40)]
	k := strings.Index(head, dashes)
	c.work += len(head)
	if k < 0 || !strings.Contains(head[:k], "PRIVATE KEY") {
		return c.read(at)
	}
	at = c.pemRun(at + k + len(dashes))
	end := at
	for {
		if strings.HasPrefix(c.s[at:], final) {
			end = at + len(final)
			if k := strings.Index(c.s[end:min(len(c.s), end+40)], dashes); k >= 0 {
				end += k + len(dashes)
			}
			break
		}
		// The next line. The first time there may be none, and that is its end; later on at is where a line begins.
		if at == end {
			if c.next(at) == '\r' {
				at++
			}
			if c.next(at) != '\n' {
				break
			}
			at++
		}
		line := nextLine(c.s[at:])
		c.work += len(line)
		if strings.HasPrefix(line, final) {
			continue
		}
		if line == "" || !pemLine(line) {
			break
		}
		if n := len(strings.TrimRight(line, pemTail)); n > 0 {
			end = at + n
		}
		at += len(line)
	}
	return c.add(PrivateKey, i, end)
}

// pemRun gives the end of what may stand behind the first line's dashes: base64, line ends that are written as "\n", and headers between them.
func (c *scanner) pemRun(i int) int {
	start := i
	headed := strings.Contains(c.s[i:min(len(c.s), i+16)], "Proc-Type:")
	for i < len(c.s) && (is(c.s[i], base64Char) || c.s[i] == '\\' || c.s[i] == ' ' ||
		headed && strings.IndexByte(":,-", c.s[i]) >= 0 && !strings.HasPrefix(c.s[i:], "-----")) {
		i++
	}
	c.work += i - start
	return i
}
