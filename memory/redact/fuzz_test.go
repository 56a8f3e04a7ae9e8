package redact_test

import (
	"iter"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

// staff is a custom matcher.
type staff struct{ re *regexp.Regexp }

func (s staff) Kind() redact.Kind { return "工号" }

func (s staff) Match(line string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, m := range s.re.FindAllStringIndex(line, -1) {
			if !yield(m[0], m[1]) {
				return
			}
		}
	}
}

var staffNumbers = staff{regexp.MustCompile(`HX-\d{4}`)}

func full(t testing.TB) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Options{Words: []string{"林小满", "炉边科技", "Ember Ltd", "Mia", "柚", "zhangsan"}, Matchers: []redact.Matcher{staffNumbers}, PrivateIPs: true})
	require.NoError(t, err)
	return r
}

// check checks the invariants for any text.
func check(t *testing.T, r *redact.Redactor, text string) {
	found, at := r.Find(text), 0
	for _, f := range found {
		require.True(t, at <= f.Start && f.Start < f.End && f.End <= len(text), "%v in %q", found, text)
		at = f.End
	}
	out := r.Redact(text)
	require.Equal(t, len(found) == 0, out == text, "%q", text)
	require.Equal(t, out, r.Redact(out), "not idempotent: %q", text)
	require.Empty(t, r.Find(out), "not idempotent: %q", text)
	if utf8.ValidString(text) {
		require.True(t, utf8.ValidString(out), "%q", text)
	}
}

// FuzzRedact: for any text there is no panic, findings are in range and do not overlap, redaction is idempotent, and
// valid UTF-8 stays valid.
func FuzzRedact(f *testing.F) {
	for _, kind := range redact.Kinds() {
		for i, p := range plant(f, kind) {
			if i < 3 {
				f.Add(p.text)
			}
		}
	}
	for _, s := range []string{
		"[CQ:at,qq=12345] [手机号] [手机号#2] 林 小\u200b满 HX-1234 ＭＩＡ", "密码：\nhunter2\n", "-----BEGIN PRIVATE KEY 0000000a0000a012789A 000-----", "-----BEGIN PRIVATE KEY-----\nMIIB\n\nx", "1 3 8 1 2 3 4 5 6 7 8 9", "a@b.cn@c.cn", "密码[CQ:", "\xff１３８", "验证码\n：\n1234",
		"一三八一二三四五六七八九", "http://a:b@c:d@e/", "key=[密钥]abcdefgh12345678", "文三路12号3栋4单元5室6号7号", "0 0 0 0 0 0 0 0", "mysql://a:b@", "Cookie: a=1; b=2; [Cookie]", "e@q.cn1", "::1:::2001:db8::", `{"a":"\u624b\n138\\n12345678"}`, "%E5%AF%86%E7%A0%81=a%40b1&#49;&nbsp;", "_138_1234_5678_ l38OO13OOOO **密码**：`x1y2`",
	} {
		f.Add(s)
	}
	plain, all := &redact.Redactor{}, full(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		check(t, plain, text)
		check(t, all, text)
	})
}
