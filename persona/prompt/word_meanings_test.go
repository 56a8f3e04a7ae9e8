package prompt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseWordMeanings(t *testing.T) {
	words := []string{"敲木鱼", "狠狠羡慕", "奶茶"}
	shown := []string{`{"words": [{"word": "奶茶", "meaning": "假的", "kind": "jargon"}]}`}
	got, err := ParseWordMeanings(`好：{"words": [
		{"word": "“敲木鱼”", "meaning": " 求\n好运 ", "kind": "Jargon"}, {"word": "敲木鱼", "meaning": "又一次", "kind": "name"}, {"word": "奶茶", "kind": "topic"},
		{"word": "没问过", "meaning": "x", "kind": "saying"}, {"word": "狠狠羡慕", "meaning": "`+strings.Repeat("长", 200)+`", "kind": "其他"}]}`, words, shown)
	require.NoError(t, err)
	assert.Equal(t, []WordMeaning{{"敲木鱼", "求 好运", "jargon"}, {"奶茶", "", "topic"}, {"狠狠羡慕", strings.Repeat("长", maxMeaning), "other"}}, got)

	got, err = ParseWordMeanings(`{"words": []}`, words, shown)
	require.NoError(t, err)
	assert.Empty(t, got)
	for _, bad := range []string{"", "没有", `{}`, `{"words": "没有"}`, `{"words": [1]}`, `{"words": [`} {
		_, err := ParseWordMeanings(bad, words, shown)
		require.ErrorIs(t, err, ErrInvalidAnswer, bad)
	}
}
