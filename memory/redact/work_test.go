package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// worstCases maximize the work of a search: starts of values without ends.
var worstCases = map[string]string{
	"digits":         "1",
	"mobiles":        "13812345678 ",
	"near mobiles":   "138 1234 567 ",
	"singles":        "1 3 8 ",
	"spoken":         "一三八",
	"spoken spaced":  "一 三 ",
	"at":             "@",
	"a@":             "a@",
	"mails":          "a@b.c",
	"hosts":          "a@b.b.b.b.b.b.",
	"long local":     strings.Repeat("a", 64) + "@",
	"full width":     "１３８",
	"wide letters":   "ａ＠ｂ．",
	"zero width":     "1\u200b",
	"colons":         ":",
	"a:":             "a:",
	"hex colons":     "2a:",
	"ipv6":           "2001:db8:",
	"dots":           "1.",
	"ips":            "1.2.3.4.",
	"equals":         "=",
	"key=":           "key=",
	"keys":           "key=abcdefgh",
	"schemes":        "a://",
	"userinfo":       "a://b:c",
	"dsn":            "a:b@tcp(",
	"passwords":      "密码",
	"password:":      "密码：",
	"password value": "密码：abc1",
	"codes":          "验证码 ",
	"fillers":        "密码号码是",
	"filler words":   "code is my new id to ",
	"remarks":        "QQ（新）",
	"values before":  "abc123 是我微信",
	"table":          "| 密码 | 账号 |\n" + strings.Repeat("| abc1 | q123 |\n", 50),
	"table of codes": "|验证码|\n" + strings.Repeat("|验证码验证码 123|\n", 50),
	"table in JSON":  `|港澳通行证号码|\n` + strings.Repeat(`|C123|\n`, 50),
	"arguments":      `("key","`,
	"tags":           "<password>",
	"tokens":         "token key 1",
	"permits":        "通行证 C 1234 ",
	"passports":      "passport 1-2-",
	"local phones":   "电话 2345 ",
	"pickup codes":   "取件码 1-2-",
	"connections":    "Server=a;Password=abc1;",
	"jdbc":           "jdbc:mysql://h/d?password=abc1&",
	"oracle":         "jdbc:oracle:thin:a/b@",
	"flags":          "mysql -pabc1 ",
	"lanes":          "中山路1巷",
	"names":          "Kelvin13812345678",
	"pem":            "-----BEGIN PRIVATE KEY-----",
	"pem lines":      "-----BEGIN PRIVATE KEY-----\n",
	"pem body":       "-----BEGIN PRIVATE KEY-----\nAAAA\n-----BEGIN ",
	"begin":          "-----BEGIN ",
	"jwt":            "eyJhbGciOiJIUzI1NiJ9.",
	"jwt one":        "eyJ",
	"keys of sk":     "sk-abc ",
	"sk run":         "sk-",
	"address":        "路1号",
	"streets":        "中山路",
	"districts":      "市区",
	"rooms":          "中山路1号1号",
	"buildings":      "大厦",
	"plates":         "京A",
	"brackets":       "[",
	"cq":             "[CQ:",
	"placeholders":   "[手机号]",
	"cookies":        "cookie: a",
	"bearer":         "Bearer abcdefgh ",
	"uscc":           "91 11 ",
	"letters":        "ab ",
	"one word":       "a",
	"mixed":          "a1",
	"new lines":      "\n",
	"colon lines":    ":\n",
	"macs":           "aa:bb:cc:dd:ee:f",
	"at words":       " at a",
	"invalid":        "\xff\xe4",
	"chain":          "验证码 1234分钟路1号",
	"backslashes":    "\\",
	"escapes":        "\\n1",
	"json":           "\\u624b\\n138",
	"surrogates":     "\\ud835",
	"percents":       "%",
	"bytes of urls":  "%E6",
	"entities":       "&#49;",
	"near entities":  "&#1",
	"marks":          "1\u0301",
	"lookalikes":     "l38OO13 ",
	"emphasis":       "_1",
	"strong":         "**密码",
	"tables":         "|密码",
	"words":          "林小",
	"words spaced":   "林 ",
}

// TestRedact_IsLinear counts the examined bytes. Four times the text takes four times the work, within a fixed bound
// per byte.
func TestRedact_IsLinear(t *testing.T) {
	const each = 96 // maximum examined bytes per byte of text
	r, err := New(Options{Words: []string{"林小满", "林小林小林小林小林小林满", "zhangsan"}, PrivateIPs: true})
	assert.NoError(t, err)
	for name, piece := range worstCases {
		work := func(size int) int {
			c := scanner{privateIPs: true}
			r.find(&c, strings.Repeat(piece, size/len(piece)))
			return c.work
		}
		small, large := work(1<<14), work(1<<16)
		assert.LessOrEqual(t, large, each<<16, name)
		assert.LessOrEqual(t, large, 5*small, name)
		if testing.Verbose() {
			fmt.Printf("%-14s %5.1f %5.1f\n", name, float64(small)/(1<<14), float64(large)/(1<<16))
		}
	}
}
