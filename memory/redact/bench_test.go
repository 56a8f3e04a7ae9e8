package redact_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

// patterns are a regular expression for each kind, for comparison.
var patterns = []string{
	`(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}`,
	`0\d{2,3}[- ]?\d{7,8}|400[- ]?\d{3}[- ]?\d{4}`,
	`[1-6]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]`,
	`(?:62|4\d|5[1-5])\d{2}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}(?:[ -]?\d{1,3})?`,
	`[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·]?[A-HJ-NP-Z0-9]{5,6}`,
	`[EGDSP][A-Z]?\d{7,8}`,
	`[CWHMTL][A-Z]?\d{7,10}`,
	`[1-9ANY][1-9]\d{6}[0-9A-HJ-NPQRTUWXY]{10}`,
	`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`,
	`(?:\d{1,3}\.){3}\d{1,3}`,
	`(?:[0-9a-fA-F]{1,4}:){2,7}[0-9a-fA-F]{1,4}`,
	`(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}`,
	`\p{Han}{2,12}(?:路|街|大道|巷)\d+号`,
	`(?i)(?:微信|wx|vx)[号:： ]*[a-z][a-z0-9_-]{5,19}|wxid_\w+`,
	`(?i)qq[号:： ]*\d{5,11}`,
	`验证码\D{0,6}\d{4,8}`,
	`(?i)(?:密码|password|pwd)[是为:：= ]+\S{4,}`,
	`[a-z][a-z0-9+.-]*://[^\s/@:]+:[^\s/@]+@`,
	`(?:mysql|postgres(?:ql)?|mongodb|redis|amqp)://\S+@\S+`,
	`eyJ[\w-]+\.[\w-]+\.[\w-]+`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
	`sk-[\w-]{20,}|AKIA[0-9A-Z]{16}|LTAI\w{12,}|gh[pousr]_\w{36}|glpat-[\w-]{20}|xox[baprs]-[\w-]+|AIza[\w-]{35}|hf_\w{30,}|npm_\w{36}`,
	`(?i)bearer\s+[\w.~+/-]{16,}`,
	`(?i)cookie:\s*\S+`,
	`(?i)[\w-]*(?:key|token|secret)["' ]*[:=]["' ]*[\w+/-]{16,}`,
}

func BenchmarkRedact(b *testing.B) {
	chat, err := os.ReadFile("testdata/chat.txt")
	require.NoError(b, err)
	var planted strings.Builder
	for _, kind := range redact.Kinds() {
		for _, p := range plant(b, kind) {
			planted.WriteString(p.text + "\n")
		}
	}
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	lines := strings.Split(string(chat), "\n")
	texts := []struct{ name, text string }{
		{"chat", string(chat)},
		{"line", "湖人昨晚 108-102 赢了，加时赛最后一秒绝杀，看得我一晚上没睡着"},
		{"english", fill("the quick brown fox jumps over the lazy dog and asks whether version 2 is any better than it was. ")},
		{"planted", planted.String()},
		{"digits", fill("1234567890")},
		{"at", fill("@")},
		{"wide", fill("全角１３８是ＡＢＣ，还有别的字。")},
		{"wideDigits", fill("１")},
	}
	var re []*regexp.Regexp
	for _, p := range patterns {
		re = append(re, regexp.MustCompile(p))
	}
	require.Len(b, re, 25)
	words, err := redact.New(redact.Options{Words: []string{"林小满", "炉边科技有限公司", "zhangsan1990", "Ember Ltd", "小满", "杭州西溪", "Mia", "老林"}})
	require.NoError(b, err)
	run := func(name, text string, redact func(string) string) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				redact(text)
			}
		})
	}
	var r redact.Redactor
	for _, t := range texts {
		run(t.name, t.text, r.Redact)
		run(t.name+"/patterns", t.text, func(s string) string {
			for _, p := range re {
				s = p.ReplaceAllLiteralString(s, "[…]")
			}
			return s
		})
	}
	run("chat/words", string(chat), words.Redact)
	run("chat/eachLine", string(chat), func(string) string {
		for _, l := range lines {
			r.Redact(l)
		}
		return ""
	})
}
