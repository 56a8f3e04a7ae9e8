package mention

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/stretchr/testify/assert"
)

func TestSplit(t *testing.T) {
	at, say := onebot.At, onebot.Text
	for text, want := range map[string]onebot.Message{
		"@111222 你好":               {at(111222), say(" 你好")},
		"你好 @111222":               {say("你好 "), at(111222)},
		"@111222 @111333，在吗":       {at(111222), say(" "), at(111333), say("，在吗")},
		"（@111222）":                {say("（"), at(111222), say("）")},
		"写信给 a@123456.com":         {say("写信给 a@123456.com")},
		"见 @12345.com 的":           {say("见 @12345.com 的")},
		"说得对 @12345.":              {say("说得对 "), at(12345), say(".")},
		"@1234 太短，@012345 不是":      {say("@1234 太短，@012345 不是")},
		"@123456789012 太长 @12345a": {say("@123456789012 太长 @12345a")},
		"@全体成员 @all":               {say("@全体成员 @all")},
	} {
		assert.Equal(t, want, Split(text), text)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("@111222 你好 a@123456.com\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		var all strings.Builder
		for _, p := range Split(s) {
			if id, _, ok := p.Mention(); ok {
				fmt.Fprint(&all, "@", id)
			} else {
				all.WriteString(p.Param("text"))
			}
		}
		if all.String() != s {
			t.Errorf("%q became %q", s, all.String())
		}
	})
}
