package redact

import (
	"strings"
	"unicode/utf8"
)

// A vendor describes an API key: its prefix and the length of the rest.
type vendor struct {
	prefix string
	minLen int
	maxLen int // 0: only the general limit
	upper  bool
	plain  bool // the rest is letters and digits, with at most one other character
}

const maxKeyLen = 512

var vendors = [256][]vendor{
	'1': {{prefix: "1//0", minLen: 40}},
	'A': {{prefix: "AKIA", minLen: 16, maxLen: 16, upper: true}, {prefix: "ASIA", minLen: 16, maxLen: 16, upper: true}, {prefix: "AKID", minLen: 16, maxLen: 48}, {prefix: "AKLT", minLen: 20, maxLen: 60}, {prefix: "AIza", minLen: 35, maxLen: 35}, {prefix: "AGE-SECRET-KEY-1", minLen: 50, maxLen: 60},
		{prefix: "ATATT3", minLen: 40}, {prefix: "ATCTT3", minLen: 40}, {prefix: "AC", minLen: 32, maxLen: 32}},
	'C': {{prefix: "CCIPAT_", minLen: 20}, {prefix: "CFPAT-", minLen: 30}},
	'E': {{prefix: "EAACEdEose0cBA", minLen: 16}, {prefix: "EAA", minLen: 60}},
	'G': {{prefix: "GOCSPX-", minLen: 20}},
	'L': {{prefix: "LTAI", minLen: 12, maxLen: 28}},
	'N': {{prefix: "NRAK-", minLen: 20}},
	'P': {{prefix: "PMAK-", minLen: 40}},
	'S': {{prefix: "SG.", minLen: 40}, {prefix: "SEC", minLen: 64, maxLen: 64}, {prefix: "SK", minLen: 32, maxLen: 32}},
	'a': {{prefix: "app-", minLen: 24, maxLen: 24, plain: true}},
	'b': {{prefix: "bce-v3/ALTAK-", minLen: 16}},
	'c': {{prefix: "cr_", minLen: 60, plain: true}, {prefix: "csk-", minLen: 40, plain: true}},
	'd': {{prefix: "dop_v1_", minLen: 40}, {prefix: "doo_v1_", minLen: 40}, {prefix: "dckr_pat_", minLen: 20}, {prefix: "dapi", minLen: 32, maxLen: 36}, {prefix: "dp.pt.", minLen: 40}, {prefix: "dp.st.", minLen: 40}},
	'e': {{prefix: "eyJ", minLen: 1}, {prefix: "e2b_", minLen: 40, plain: true}},
	'f': {{prefix: "figd_", minLen: 30}, {prefix: "fc-", minLen: 32, maxLen: 32, plain: true}, {prefix: "fw_", minLen: 20, maxLen: 40, plain: true}, {prefix: "fastgpt-", minLen: 30}},
	'g': {{prefix: "ghp_", minLen: 30}, {prefix: "gho_", minLen: 30}, {prefix: "ghu_", minLen: 30}, {prefix: "ghs_", minLen: 30}, {prefix: "ghr_", minLen: 30}, {prefix: "github_pat_", minLen: 40}, {prefix: "glpat-", minLen: 16}, {prefix: "gldt-", minLen: 16}, {prefix: "gsk_", minLen: 30},
		{prefix: "glsa_", minLen: 30}, {prefix: "glc_", minLen: 40}, {prefix: "glptt-", minLen: 30}, {prefix: "glrt-", minLen: 20}, {prefix: "glcbt-", minLen: 20}, {prefix: "glft-", minLen: 20}},
	'h': {{prefix: "hf_", minLen: 28, maxLen: 60}, {prefix: "hooks.slack.com/services/", minLen: 30}, {prefix: "hvs.", minLen: 24}, {prefix: "hvb.", minLen: 24}},
	'j': {{prefix: "jina_", minLen: 40}},
	'k': {{prefix: "key-", minLen: 32, maxLen: 32, plain: true}},
	'l': {{prefix: "lin_api_", minLen: 30}, {prefix: "lsv2_", minLen: 40}},
	'n': {{prefix: "npm_", minLen: 30, maxLen: 60}, {prefix: "nvapi-", minLen: 40}, {prefix: "ntn_", minLen: 40}, {prefix: "nfp_", minLen: 36, plain: true}},
	'o': {{prefix: "open-apis/bot/v2/hook/", minLen: 30}, {prefix: "ops_", minLen: 40, plain: true}},
	'p': {{prefix: "pypi-AgE", minLen: 40}, {prefix: "pplx-", minLen: 30}, {prefix: "pat_", minLen: 40}, {prefix: "pk_live_", minLen: 16}, {prefix: "pk_test_", minLen: 16}, {prefix: "phc_", minLen: 40}, {prefix: "phx_", minLen: 40}, {prefix: "pul-", minLen: 40, maxLen: 40, plain: true}, {prefix: "pscale_", minLen: 30}},
	'r': {{prefix: "rk_live_", minLen: 16}, {prefix: "rk_test_", minLen: 16}, {prefix: "r8_", minLen: 30}, {prefix: "re_", minLen: 24, maxLen: 40, plain: true}, {prefix: "rpa_", minLen: 36}, {prefix: "rubygems_", minLen: 40}},
	's': {{prefix: "sk-", minLen: 20}, {prefix: "sk_live_", minLen: 16}, {prefix: "sk_test_", minLen: 16}, {prefix: "sk_", minLen: 40, plain: true}, {prefix: "shpat_", minLen: 24}, {prefix: "shpca_", minLen: 24}, {prefix: "shppa_", minLen: 24}, {prefix: "shpss_", minLen: 24}, {prefix: "sq0csp-", minLen: 30}, {prefix: "sq0atp-", minLen: 20},
		{prefix: "sbp_", minLen: 36}, {prefix: "sntrys_", minLen: 40}, {prefix: "sntryu_", minLen: 40}, {prefix: "sgp_", minLen: 36}, {prefix: "secret_", minLen: 40, maxLen: 60, plain: true}},
	't': {{prefix: "tvly-", minLen: 20}, {prefix: "tp-", minLen: 40, plain: true}, {prefix: "tskey-", minLen: 24}, {prefix: "tgp_v1_", minLen: 30}},
	'v': {{prefix: "vercel_", minLen: 20}},
	'w': {{prefix: "wxid_", minLen: 8, maxLen: 24}, {prefix: "whsec_", minLen: 20}},
	'x': {{prefix: "xoxb-", minLen: 16}, {prefix: "xoxp-", minLen: 16}, {prefix: "xoxa-", minLen: 16}, {prefix: "xoxr-", minLen: 16}, {prefix: "xoxs-", minLen: 16}, {prefix: "xoxe-", minLen: 16}, {prefix: "xoxe.", minLen: 16}, {prefix: "xoxc-", minLen: 16}, {prefix: "xoxd-", minLen: 16}, {prefix: "xapp-", minLen: 20}, {prefix: "xai-", minLen: 40}, {prefix: "xkeysib-", minLen: 40}, {prefix: "xsmtpsib-", minLen: 40}},
	'y': {{prefix: "ya29.", minLen: 20}},
}

// vendorKey looks for an API key at i.
func (c *scanner) vendorKey(i int) bool {
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
		if c.matchVendor(i, v) {
			return true
		}
	}
	return false
}

func (c *scanner) matchVendor(i int, v *vendor) bool {
	at := i + len(v.prefix)
	class := wordChar
	if !v.upper && v.maxLen == 0 || v.prefix == "AIza" || v.prefix == "wxid_" {
		class |= tokenChar
	}
	end := c.run(at, class, maxKeyLen)
	if class&tokenChar != 0 { // exclude punctuation of the sentence or path
		cutset := "+=%~"
		if !strings.ContainsAny(v.prefix, "/.") {
			cutset += "/."
		}
		if k := strings.IndexAny(c.s[at:end], cutset); k >= 0 {
			end = at + k
		}
		end = at + len(strings.TrimRight(c.s[at:end], "./"))
	}
	n := end - at
	if n < v.minLen || v.maxLen > 0 && n > v.maxLen || v.upper && strings.ToUpper(c.s[at:end]) != c.s[at:end] {
		return false
	}
	if v.plain && (count(c.s[at:end], alnumChar) < n-1 || count(c.s[at:end], digit) < 3 && !looksRandom(c.s[at:end])) {
		return false
	}
	if v.prefix == "wxid_" {
		return c.add(WeChat, i, end)
	}
	return (v.upper || isMixed(c.s[at:end])) && (len(v.prefix) > 3 || strings.IndexByte("+/=", c.next(end)) < 0) && c.add(APIKey, i, end)
}

// discord matches the token of a Discord bot: three parts with dots between them. The first part is from i to end.
func (c *scanner) discord(i, end int) bool {
	if n := end - i; n < 23 || n > 28 || strings.IndexByte("MNO", c.s[i]) < 0 || c.next(end) != '.' {
		return false
	}
	k := c.run(end+1, wordChar, 8)
	if k-end-1 != 6 && k-end-1 != 7 || c.next(k) != '.' {
		return false
	}
	e := k + 1
	for e < len(c.s) && e-k < 48 && (is(c.s[e], wordChar) || c.s[e] == '-') {
		e++
	}
	c.work += e - k
	return e-k-1 >= 27 && e-k-1 <= 40 && isMixed(c.s[k+1:e]) && c.add(APIKey, i, e)
}

// isMixed reports whether a value has at least six different bytes, and digits or both cases.
func isMixed(v string) bool {
	large := strings.ContainsFunc(v, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	small := strings.ContainsFunc(v, func(r rune) bool { return 'a' <= r && r <= 'z' })
	return distinct(v) >= 6 && (large && small || count(v, digit) > 0)
}

// jwt matches three parts of base64 separated by dots. The first one is a JSON header.
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
			return c.advance(k)
		}
		if at = k; n < 2 {
			if c.next(at) != '.' {
				return c.advance(at)
			}
			at++
		}
	}
	return c.add(JWT, i, at)
}

// telegram matches the token of a Telegram bot: digits from i to e, a colon and 35 characters.
func (c *scanner) telegram(i, e int) bool {
	if n := e - i; n < 8 || n > 10 || is(c.prev(i), wordChar) && !strings.HasSuffix(c.s[:i], "bot") {
		return false
	}
	end := c.run(e+1, wordChar|tokenChar, 48)
	if k := strings.IndexAny(c.s[e+1:end], "/.=+%~"); k >= 0 {
		end = e + 1 + k
	}
	n := end - e - 1
	return n >= 33 && n <= 37 && isMixed(c.s[e+1:end]) && c.add(APIKey, i, end)
}

// zhipu matches a Zhipu key: 32 hexadecimal digits from i to end, a dot, and 16 letters and digits.
func (c *scanner) zhipu(i, end int) bool {
	if end-i != 32 || c.next(end) != '.' || c.run(i, hexDigit, 33) != end {
		return false
	}
	e := c.run(end+1, alnumChar, 17)
	return e-end-1 == 16 && !is(c.next(e), wordChar) && isMixed(c.s[end+1:e]) && c.add(APIKey, i, e)
}

// pem handles "-----BEGIN " at i. A name has letters, digits and blanks. Otherwise a key in a name that is too long would be hidden
// first, and the shorter name would match when the text is redacted again.
func (c *scanner) pem(i int) bool {
	const begin, dashes, final = "-----BEGIN ", "-----", "-----END "
	at := i + len(begin)
	head := c.s[at:min(len(c.s), at+40)]
	k := strings.Index(head, dashes)
	c.work += len(head)
	if k < 0 || !strings.Contains(head[:k], "PRIVATE KEY") || strings.IndexFunc(head[:k], isNoPEMName) >= 0 {
		return c.advance(at)
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
		// The next line. In the first round there may be none; later at is the start of a line.
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

func isNoPEMName(r rune) bool { return r != ' ' && (r >= utf8.RuneSelf || !is(byte(r), alnumChar)) }

// pemRun returns the end of the content after the dashes of the first line: base64, line ends as "\n", and headers.
func (c *input) pemRun(i int) int {
	start := i
	headed := strings.Contains(c.s[i:min(len(c.s), i+16)], "Proc-Type:")
	for i < len(c.s) && (is(c.s[i], base64Char) || c.s[i] == '\\' || c.s[i] == ' ' ||
		headed && strings.IndexByte(":,-", c.s[i]) >= 0 && !strings.HasPrefix(c.s[i:], "-----")) {
		i++
	}
	c.work += i - start
	return i
}
