package statement

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// texts returns the texts of tokens, with a mark after those with a mask.
func texts(text string, tokens []Token) (all []string) {
	for _, t := range tokens {
		all = append(all, text[t.Begin:t.End]+[...]string{"", "(name)", "(day)"}[t.Mask])
	}
	return all
}

// mask finds the name 小王 and the day 3月5日.
func mask(text string) (Mask, int) {
	for m, part := range map[Mask]string{Name: "小王", Day: "3月5日"} {
		if strings.HasPrefix(text, part) {
			return m, len(part)
		}
	}
	return Plain, 0
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"我在成都。":                "我 在 成 都",
		"　哈，小王 3月5日生！":         "哈 ， 小王(name)   3月5日(day) 生",
		"I don’t LIKE C++, ok": "I don’t LIKE C + + ,  ok",
		"买4090显卡吗？":            "买 4090 显 卡 吗 ？",
		"考研 不考了":               "考 研   不 考 了",
		"offer 到手":             "offer 到 手",
		"\xff我":                "\xff 我",
	} {
		assert.Equal(t, want, strings.Join(texts(text, Tokens(nil, text, mask)), " "), text)
	}
	assert.Len(t, Tokens(nil, strings.Repeat("我", 1000), nil), MaxTokens)
	assert.Equal(t, Tokens(nil, "Don't", nil)[0].key, Tokens(nil, "dON’T", nil)[0].key)
	assert.Equal(t, Tokens(nil, "吗？", nil)[1].key, Tokens(nil, "吗?", nil)[1].key)
}

func FuzzTokens(f *testing.F) {
	f.Add("I live in 成都, 3月5日 小王")
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 1<<16-1)]
		end := uint16(0)
		for _, token := range Tokens(nil, text, mask) {
			if token.Begin < end || token.End <= token.Begin || int(token.End) > len(text) {
				t.Fatal(text, token)
			}
			end = token.End
		}
	})
}

func examples() (all []Example) {
	add := func(text, value string, kinds ...string) {
		e := Example{Tokens: Tokens(nil, text, mask), Kinds: kinds, Weight: 1}
		for i := range e.Tokens {
			for j := i + 1; j <= len(e.Tokens) && value != ""; j++ {
				if text[e.Tokens[i].Begin:e.Tokens[j-1].End] == value {
					e.Values = append(e.Values, Value{Sort: "place", Kind: kinds[0], Span: Span{i, j}})
				}
			}
		}
		all = append(all, e)
	}
	for _, c := range [...]string{"成都", "北京", "武汉", "南京", "石家庄", "广州"} {
		for range 8 {
			add("我搬到"+c+"了", c, "place")
			add("小王住在"+c+"呢", c, "place other")
			add("我辞职了，在家", "", "job ends")
			add("谁去过"+c, "")
			add(c+"今天下雨", "")
			add("今天好累", "")
		}
	}
	return all
}

func TestTrain(t *testing.T) {
	data := Train(examples(), TrainOptions{Note: "a test", Sparse: .5, Sources: 1})
	assert.Equal(t, data, Train(examples(), TrainOptions{Note: "a test", Sparse: .5, Sources: 1}), "the same examples give the same model")
	m, err := Parse(string(data))
	require.NoError(t, err)
	assert.Equal(t, "a test", m.Note())
	assert.Equal(t, []string{"job ends", "place", "place other"}, m.Kinds())
	for text, want := range map[string]string{
		"我搬到鹤壁了": "place 鹤壁", "小王住在鹤岗呢": "place other 鹤岗", "我辞职了，在家躺着": "job ends", "谁去过鹤壁": "", "今天好困": "", "": "",
	} {
		tokens := Tokens(nil, text, mask)
		scores, got := m.Read(tokens), ""
		best := float32(0)
		for i, kind := range m.Kinds() {
			if scores[i] > best {
				best, got = scores[i], kind
			}
		}
		if strings.HasPrefix(got, "place") {
			value, _, ok := m.Value(tokens, "place", nil)
			require.True(t, ok)
			got += " " + text[tokens[value.Begin].Begin:tokens[value.End-1].End]
		}
		assert.Equal(t, want, got, text)
	}
	tokens := Tokens(nil, "我搬到鹤壁了", nil)
	_, _, ok := m.Value(tokens, "job", nil)
	assert.False(t, ok, "an unknown sort")
	_, _, ok = m.Value(tokens, "place", func(Span) bool { return false })
	assert.False(t, ok, "nothing may be a value")
	one, _, ok := m.Value(tokens, "place", func(s Span) bool { return s.End == s.Begin+1 })
	assert.True(t, ok)
	assert.Equal(t, one.Begin+1, one.End)
}

func TestParse_Errors(t *testing.T) {
	data := string(Train(examples(), TrainOptions{Sparse: .5, Sources: 1}))
	_, err := Parse(data)
	require.NoError(t, err)
	for _, bad := range []string{"", "something else", data[:len(magic)], data[:len(data)/2], data[:len(data)-1], data + "x", strings.Replace(data, "unit ", "unit x", 1), strings.Replace(data, "bits 14", "bits 25", 1)} {
		_, err := Parse(bad)
		assert.Error(t, err, bad[:min(len(bad), 60)])
	}
}
