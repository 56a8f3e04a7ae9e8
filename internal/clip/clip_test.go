package clip

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s                      string
		n                      int
		bytes, runes, ellipsis string
	}{
		{"", 0, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "abc", "abc…"},
		{"你好呀", 3, "你", "你好呀", "你好呀"},
		{"你好呀", 5, "你", "你好呀", "你好呀"},
		{"你好呀", 2, "", "你好", "你好…"},
		{"a你", 1, "a", "a", "a…"},
		{"a", 0, "", "", "…"},
		{"你\xff\xfe好", 4, "你\xff", "你\xff\xfe好", "你\xff\xfe好"},
	} {
		assert.Equal(t, c.bytes, Bytes(c.s, c.n), "%q %d", c.s, c.n)
		assert.Equal(t, c.runes, Runes(c.s, c.n), "%q %d", c.s, c.n)
		assert.Equal(t, c.ellipsis, Ellipsis(c.s, c.n), "%q %d", c.s, c.n)
	}
}

func FuzzClip(f *testing.F) {
	f.Add("你好 abc", 4)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n, 0)
		b, r := Bytes(s, n), Runes(s, n)
		assert.True(t, strings.HasPrefix(s, b) && strings.HasPrefix(s, r))
		assert.LessOrEqual(t, len(b), n)
		assert.LessOrEqual(t, utf8.RuneCountInString(r), n)
		if utf8.ValidString(s) {
			assert.True(t, utf8.ValidString(b) && utf8.ValidString(r))
			assert.Greater(t, len(b)+utf8.UTFMax, min(n, len(s)))
		}
		assert.Equal(t, min(n, utf8.RuneCountInString(s)), utf8.RuneCountInString(r))
	})
}
