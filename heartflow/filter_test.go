package heartflow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/fold"
)

func TestFilter_Banned(t *testing.T) {
	f, err := NewFilter([]string{"赌博", "Casino", "!!"}, []string{`\d{3}-\d{4}`, `(?i)free\s+money`})
	require.NoError(t, err)
	for text, want := range map[string]string{
		"来赌博吗": "赌博", "来赌\u200b博吗": "赌博", "ＣＡＳＩＮＯ！": "casino", "https://casino.example/": "casino", "@casino hi": "casino",
		"casinos are fine": "", "xcasino": "", "赌一把": "", "call 555-1234": `\d{3}-\d{4}`, "FREE\n money": `(?i)free\s+money`, "wow!!": "!!", "": "",
		strings.Repeat("长", 1<<16) + "赌博": "赌博",
	} {
		what, banned := f.Banned(text)
		assert.Equal(t, want, what, "%.40q", text)
		assert.Equal(t, want != "", banned, "%.40q", text)
	}
	_, banned := (*Filter)(nil).Banned("赌博")
	assert.False(t, banned)
	_, banned = new(Filter).Banned("赌博")
	assert.False(t, banned)
}

func TestNewFilter_Invalid(t *testing.T) {
	for _, bad := range []struct {
		words, patterns []string
		say             string
	}{
		{[]string{""}, nil, "no visible character"}, {[]string{"\u200b"}, nil, "no visible character"}, {[]string{"\xff"}, nil, "UTF-8"},
		{nil, []string{"("}, "missing closing"}, {nil, []string{" "}, "empty"},
	} {
		_, err := NewFilter(bad.words, bad.patterns)
		assert.ErrorContains(t, err, bad.say)
	}
}

// Filter finds the same banned words as a slow search.
func FuzzFilter(f *testing.F) {
	f.Add("来赌博吗 casino", "casino")
	f.Add("ＡaAａ", "aa")
	f.Fuzz(func(t *testing.T, text, word string) {
		filter, err := NewFilter([]string{word}, nil)
		if err != nil {
			return
		}
		_, got := filter.Banned(text)
		folded, want := string(fold.Append(nil, text)), false
		for w := range strings.SplitSeq(strings.TrimSpace(string(fold.Append(nil, word)))+"\x00"+widePunctuation.Replace(strings.TrimSpace(string(fold.Append(nil, word)))), "\x00") {
			for i := range folded {
				if !strings.HasPrefix(folded[i:], w) {
					continue
				}
				before, after := []rune(folded[:i]), []rune(folded[i+len(w):])
				first, last := []rune(w)[0], []rune(w)[len([]rune(w))-1]
				joined := len(before) > 0 && fold.Spaced(first) && fold.Spaced(before[len(before)-1]) || len(after) > 0 && fold.Spaced(last) && fold.Spaced(after[0])
				want = want || !joined
			}
		}
		require.Equal(t, want, got, "%q in %q", word, text)
	})
}
