package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLooksOf(t *testing.T) {
	for text, want := range map[string]trait{
		"": 0, "今天天气不错": dated, "哈哈哈": 0, "昨天去的": dated, "上周三": dated, "天天吃": 0, "周杰伦": 0, "他五月搬的": dated,
		"我搬家了": ofItself, "咱家的猫": ofItself, "他搬家了": 0,
		"《三体》真好看": specific, "“三体”": specific, "三体": 0, "１２楼": specific, "住12楼": specific,
		"去吗": asks, "我昨天买的3号？": ofItself | dated | specific | asks,
		"Nice": 0, "nice, Thanks": 0, "So nice. Thanks": 0, "we met Bob": ofItself | specific, "so I'm in": ofItself, "OK": 0, "call it \"Rex\"": specific,
		"it was last week": dated, "the lasting weakness": 0, "In June": specific | dated, "it's mine": ofItself, "extraordinarily myself": 0,
	} {
		assert.Equal(t, want, looksOf(text), text)
	}
	assert.Equal(t, trait(7<<authorBits)|asks, traitOf(7, "去吗"))
	assert.Equal(t, uint32(7), traitOf(7, "去吗").author())
}

func TestWishOf(t *testing.T) {
	for text, want := range map[string]wish{
		"": {}, "小明搬家了": {}, "小明去吗": {answer: true}, "小明在哪里住": {answer: true}, "谁有猫": {answer: true}, "小明养了什么": {answer: true},
		"小明什么时候生日": {answer: true, time: true}, "哪天去": {answer: true, time: true}, "When did Ann go": {answer: true, time: true},
		"and when did Ann go?": {answer: true, time: true}, "it was hot when Ann came": {}, "What year was it": {answer: true, time: true}, "Where is it?": {answer: true},
	} {
		assert.Equal(t, want, wishOf(text), text)
	}
}

// A question prefers what names a time, or a number, a title or a name, and of a named person what it says of itself.
func TestLexicalIndex_Looks(t *testing.T) {
	score := func(query string, texts ...string) (scores []float64) {
		x := NewLexicalIndex(LexicalOptions{})
		for i, text := range texts {
			require.NoError(t, x.Put(t.Context(), Record{ID: text, Space: "s", Kind: KindFact, Person: "1", Name: "小明", Text: text, Importance: float64(i)}))
		}
		found := map[string]float64{}
		for _, c := range lookup(t, x, query, 9) {
			found[c.ID] = c.Score
		}
		for _, text := range texts {
			scores = append(scores, found[text])
		}
		return scores
	}
	s := score("什么时候爬山", "爬山在明处", "爬山在昨夜")
	assert.InEpsilon(t, datedFactor, s[1]/s[0], 1e-4)
	s = score("爬山", "爬山在明处", "爬山在昨夜")
	assert.InEpsilon(t, 1, s[1]/s[0], 1e-4, "nobody asks for a time")
	s = score("爬哪座山，爬山？", "爬山很累呀", "爬山很累“")
	assert.Greater(t, s[1]/s[0], 1.1)
	s = score("小明爬山", "爬山他很累", "爬山我很累")
	assert.InEpsilon(t, ofItselfFactor, s[1]/s[0], 1e-4)
	s = score("爬山", "爬山他很累", "爬山我很累")
	assert.InEpsilon(t, 1, s[1]/s[0], 1e-4, "nobody is named")
}

func TestBag_BaseForms(t *testing.T) {
	words := func(text string) []uint64 {
		var b bag
		b.terms(text, "")
		return b.words
	}
	for _, same := range [][2]string{{"went", "go"}, {"Bought", "buys"}, {"kids", "children"}, {"mom", "mother"}, {"pics", "photo"}, {"taught", "teaching"}} {
		assert.Equal(t, words(same[0]), words(same[1]), "%q", same)
	}
	for _, other := range [][2]string{{"wents", "go"}, {"find", "fund"}, {"кот", "go"}} {
		assert.NotEqual(t, words(other[0]), words(other[1]), "%q", other)
	}
}

// Where a character touches a word of another script, the two are a term.
func TestBag_Borders(t *testing.T) {
	common := func(a, b string) (n int) {
		var x, y bag
		x.terms(a, "")
		y.terms(b, "")
		for _, t := range x.words {
			for _, u := range y.words {
				if t == u {
					n++
				}
			}
		}
		return n
	}
	assert.Equal(t, 3, common("18号", "住18号"), "18, 号 and 18号")
	assert.Equal(t, 2, common("18号", "18 号"), "a blank is between them")
	assert.Equal(t, 2, common("穿T恤", "T恤"), "恤 and t恤; t alone is a stop word")
	assert.Equal(t, 3, common("第3", "看第3"), "第, 3 and 第3")
}
