package speech

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestItemParser(t *testing.T) {
	for text, want := range map[string][]string{
		"":    nil,
		" \n": nil,
		"没有标签的一句话。第二句。":                       {"没有标签的一句话。第二句。"},
		"<item>早！</item><item>吃了吗</item>":     {"早！", "吃了吗"},
		"<item> 早！\n</item>\n<Item></ITEM>":   {"早！"},
		"先说一句 <item>早！</item> 再说一句":           {"先说一句", "早！", "再说一句"},
		"<item>一<item>二</item>":               {"一", "二"},
		"<item>没有关上":                          {"没有关上"},
		"多出来的</item>关":                        {"多出来的", "关"},
		"a < b <items> <item x> <it":          {"a < b <items> <item x> <it"},
		"<<item>a</item/></item>":             {"<", "a</item/>"},
		"<item>1 < 2 且 <b>3</b></item></item": {"1 < 2 且 <b>3</b>", "</item"},
	} {
		dice := rand.New(rand.NewPCG(1, 1))
		for _, size := range []func() int{func() int { return len(text) }, func() int { return 1 }, func() int { return 1 + dice.IntN(5) }} {
			var s ItemParser
			var items []string
			for rest := text; rest != ""; {
				n := min(size(), len(rest))
				items = append(items, s.Write(rest[:n])...)
				rest = rest[n:]
			}
			assert.Equal(t, want, append(items, s.Close()...), "%q", text)
			assert.Empty(t, s.Close())
		}
	}
}

// TestItemParser_ReturnsItemsWhenComplete: Write returns an item with its closing tag, in linear time.
func TestItemParser_ReturnsItemsWhenComplete(t *testing.T) {
	var s ItemParser
	assert.Empty(t, s.Write("<item>主人，"))
	assert.Empty(t, s.Write("记得喝水哦～</item"))
	assert.Equal(t, []string{"主人，记得喝水哦～"}, s.Write(">"))
	for range 100_000 {
		s.Write("<")
	}
	assert.Equal(t, []string{strings.Repeat("<", 100_000)}, s.Close())
}

// TestItemParser_Strict: after the first text outside of items, Close returns the rest in order.
func TestItemParser_Strict(t *testing.T) {
	for text, want := range map[string][2][]string{
		"": {nil, nil},
		" <item>早！</item>\n<item>吃了吗</item>":     {{"早！", "吃了吗"}, nil},
		"我先查一下<item>早！</item>":                   {nil, {"我先查一下", "早！"}},
		"<item>早！</item>再<item>吃了吗</item>走":      {{"早！"}, {"再", "吃了吗", "走"}},
		"<item>一<item>二</item>三":                 {{"一", "二"}, {"三"}},
		"<item>没有关上":                             {nil, {"没有关上"}},
		"多出来的</item>关":                           {nil, {"多出来的", "关"}},
		"[skip]":                                 {nil, {"[skip]"}},
		"<item>a</item>[{\"id\":\"1\",\"type\"]": {{"a"}, {"[{\"id\":\"1\",\"type\"]"}},
	} {
		for _, size := range []int{1, 2, 1 << 10} {
			s := ItemParser{Strict: true}
			var sure []string
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				sure = append(sure, s.Write(rest[:n])...)
				rest = rest[n:]
			}
			assert.Equal(t, want[0], sure, "%q", text)
			assert.Equal(t, want[1], s.Close(), "%q", text)
			assert.Empty(t, s.Close())
		}
	}
}
