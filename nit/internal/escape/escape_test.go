package escape_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/escape"
	"github.com/stretchr/testify/assert"
)

func TestUnicode(t *testing.T) {
	for _, tt := range []struct {
		in string
		r  rune
		n  int
	}{
		{``, 0, 0},
		{`624`, 0, 0},
		{`62 b`, 0, 0},
		{`g24b`, 0, 0},
		{`624G`, 0, 0},
		{`62/b`, 0, 0},
		{`62:b`, 0, 0},
		{"62`b", 0, 0},
		{`62@b`, 0, 0},
		{`0000`, 0, 4},
		{`09af`, 0x9af, 4},
		{`90FA`, 0x90fa, 4},
		{`624b0`, '手', 4},
		{`d83d`, '\uFFFD', 4},
		{`d83d\u`, '\uFFFD', 4},
		{`d83d\ude0`, '\uFFFD', 4},
		{`d83d\nde00`, '\uFFFD', 4},
		{`d83dude00`, '\uFFFD', 4},
		{`d83d\u0041`, '\uFFFD', 4},
		{`d83d\ud83d\ude00`, '\uFFFD', 4},
		{`de00\ud83d`, '\uFFFD', 4},
		{`d83d\ude00`, '😀', 10},
		{`D83D\uDE00x`, '😀', 10},
	} {
		r, n := escape.Unicode(tt.in)
		assert.Equal(t, tt.n, n, tt.in)
		assert.Equal(t, tt.r, r, tt.in)
	}
}

// Every UTF-16 unit, alone and before each half of a pair, decodes as in encoding/json.
func TestUnicode_MatchesEncodingJSON(t *testing.T) {
	for u := range 0x10000 {
		for _, behind := range []string{"", `\ude00`, `\ud83d`} {
			in := fmt.Sprintf("%04x", u) + behind
			var want string
			if json.Unmarshal([]byte(`"\u`+in+`"`), &want) != nil {
				t.Fatal(in)
			}
			first, _ := utf8.DecodeRuneInString(want)
			if r, n := escape.Unicode(in); r != first || n != 4 && (n != 10 || r < 0x10000) {
				t.Fatal(in, r, n)
			}
		}
	}
}
