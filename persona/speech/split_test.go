package speech

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// every splits at each boundary and drops nothing.
var every = SplitOptions{SplitChance: 1, MaxParts: -1, DropPeriod: -1}

func TestSplit_Boundaries(t *testing.T) {
	for _, want := range [][]string{
		// Chinese, English, and both.
		{"你好。", "我是小炉！", "你呢？"},
		{"He left. ", "Did he? ", "Yes! ", "OK"},
		{"好的!", "走吧?", "嗯"},
		{"it works.", "真的"},
		{"真的？！", "不会吧!?", "啊"},
		{"等等；我看看，好像、不对：是这样"},
		{"第一行\n", "第二行\r\n", "\r\n", "第四行"},
		// Full stops inside sentences.
		{"圆周率是3.14，涨了1,000.5元，v1.2.3 和 main.go 见 12:30。", "好"},
		{"Mr. Smith, e.g. this one, etc. and J. Doe vs. me. ", "Right"},
		{"So am I. ", "Me too"},
		{"a.b 和 x!y 和 a?b 都不是句子"},
		// Ellipses.
		{"嗯……让我想想…不对"},
		{"我不知道。。。你说呢...还是算了"},
		{"好吧…… ", "走了"},
		{"wait... ", "what"},
		// Tildes.
		{"好呀～", "我来了"},
		{"在吗~ ", "来玩~~", "快"},
		{"3~5 天，周一～周五，~/bin"},
		// Quotations and brackets are not cut. Closing ones belong to the sentence.
		{"他说：“走吧。真的！”然后走了。", "好"},
		{"（小声。真的。）你看。", "「是吗？好。」他说"},
		{"她写了\"Hi. Bye. ok\"才走。", "完"},
		{"他问 (why? how?) 好吗。", "不好"},
		{"“" + strings.Repeat("长", 70) + "。”", "太长的引号不算"},
		{"没有关上的（括号。", "照样断句"},
		{"多出来的括号。）", "也算前面的"},
		// Code.
		{"用 `a. b! c` 就行。", "懂了吗"},
		{"看这段：\n", "```go\nfmt.Println(\"好。\")\n\n// x! y\n```\n", "就这样"},
		{"``a ` b. c`` 也是。", "对"},
		{"没关上的 ` 不算。", "对"},
		// URLs, mentions.
		{"看https://a.example/b.c?d=e.f!g，对吧。", "嗯"},
		{"见 https://a.example/x. ", "Then (see http://b.example/y_(z)). ", "ok"},
		{"www.example.com. ", "邮箱 a.b-c@d.example.org。", "好"},
		{"@小明.a b 你看。", "@all 走"},
		// Emoji and faces belong to the sentence before them.
		{"好呀！😊👍🏽", "走"},
		{"收到。 👨‍👩‍👧‍👦 🇨🇳🇯🇵", "哈‼️", "好"},
		{"来了！(´・ω・`) ", "等我。（｡･ω･｡)ﾉ", "好"},
		{"(´。＿。｀) 好难。", "ヽ(✿ﾟ▽ﾟ)ノ"},
		{"不要！(T_T)", "走开。（笑）", "嗯。", "(1) 第一"},
		{"1️⃣ 好。", "2️⃣ 行"},
		{"e\u0301a\u0308。\u0301", "b"},
		// Lists stay together with the line before them.
		{"要买：\n1. 牛奶。要脱脂的！\n2. 面包\n3、蛋。\n", "走吧。", "快"},
		{"步骤：\n\n1. 一。二\n2. 二\n\n", "行了"},
		{"- 一。二。\n- 三\n  还是三。\n* 四\n", "完"},
		{"好。\n", "1) 一\n2) 二\n(3) 三\n\n（4）四。四\n\n", "不是"},
		{"2026. ", "年份不是列表。", "好"},
		{"1.5 倍。", "好"},
		// Only punctuation.
		{"。。。"}, {"？？？"}, {"……"}, {"？！\n好的。", "走"},
	} {
		text := strings.Join(want, "")
		var parts []string
		for _, w := range want {
			if w = strings.TrimSpace(w); w != "" {
				parts = append(parts, w)
			}
		}
		assert.Equal(t, parts, Split(text, every), "%q", text)
	}
	assert.Empty(t, Split("", SplitOptions{}))
	assert.Empty(t, Split(" \n\t", SplitOptions{}))
}

func TestSplit_Clauses(t *testing.T) {
	o := every
	o.SplitClauses = true
	assert.Equal(t, []string{"嗯", "我看看", "用 Go 写的", "hello", "world", "1,000 块；", "好", "的"},
		Split("嗯，我看看，用 Go 写的，hello, world， 1,000 块；好 的", o))
	assert.Equal(t, []string{"，"}, Split("，", o))
	assert.Equal(t, []string{"要买", "这些：\n1. 牛奶，要 脱脂的。\n2. 蛋", "好"}, Split("要买，这些：\n1. 牛奶，要 脱脂的。\n2. 蛋\n好", o))
	assert.Equal(t, []string{"안녕하세요 반갑습니다.", "네"}, Split("안녕하세요 반갑습니다. 네", o))
}

// lossless checks that the parts are the text without white space around them and single 。 at their ends.
func lossless(text string, parts []string, o SplitOptions) error {
	rest := text
	for i, p := range parts {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		var ok bool
		if rest, ok = strings.CutPrefix(rest, p); !ok {
			return fmt.Errorf("part %d, %q, is not next in %q", i, p, rest)
		}
		dropped := func(marks ...string) {
			next := strings.TrimLeftFunc(rest, unicode.IsSpace)
			for _, mark := range marks {
				if strings.HasPrefix(next, mark) && (i == len(parts)-1 || !strings.HasPrefix(next, parts[i+1])) {
					rest = next[len(mark):]
					return
				}
			}
		}
		if o.DropPeriod >= 0 {
			dropped("。")
		}
		for n := -1; o.SplitClauses && n != len(rest); {
			n = len(rest)
			dropped("，", ",")
		}
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		return fmt.Errorf("%q is lost", rest)
	}
	return nil
}

// check checks the properties of the parts of any text.
func check(text string, o SplitOptions) error {
	parts := Split(text, o)
	if again := Split(text, o); strings.Join(again, "\x00") != strings.Join(parts, "\x00") {
		return fmt.Errorf("%q, then %q", parts, again)
	}
	o = o.withDefaults()
	if err := lossless(text, parts, o); err != nil {
		return fmt.Errorf("%q: %w", parts, err)
	}
	for _, p := range parts {
		if n := utf8.RuneCountInString(p); o.MaxRunes > 0 && n > o.MaxRunes {
			return fmt.Errorf("a part of %d runes", n)
		}
		if p == "" || p != strings.TrimSpace(p) {
			return fmt.Errorf("%q has white space around it", p)
		}
		if utf8.ValidString(text) && !utf8.ValidString(p) {
			return fmt.Errorf("%q is cut within a rune", p)
		}
	}
	// If there are more than MaxParts, any two neighbors are too long to be merged.
	most := o.MaxParts
	if o.MaxRunes > 0 {
		most = max(most, 2*utf8.RuneCountInString(text)/o.MaxRunes+1)
	}
	if o.MaxParts > 0 && len(parts) > most {
		return fmt.Errorf("%d parts", len(parts))
	}
	return nil
}

// bits are the elements of random texts.
var bits = []string{
	"你好", "我", "今天天气", "a", "word", "3.14", "https://a.example/b?c=d.e", "a@b.example", "@小明", "👨‍👩‍👧", "😊", "(´・ω・`)", "“好。”",
	"。", "！", "？", "……", "...", "，", "、", ", ", ". ", "! ", "~", "～", "\n", "\n\n", " ", "　", "1. ", "- ", "`x. y`", "```", "\n```\n", "（", "）", "\"", "“", "🇨🇳", "é", "\xff", "\u200d",
}

// rounds returns a smaller number with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

func TestSplit_Properties(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range rounds(4000) {
		var b strings.Builder
		for range dice.IntN(40) {
			b.WriteString(bits[dice.IntN(len(bits))])
		}
		o := SplitOptions{
			MaxParts:     []int{0, 1, 2, -1}[dice.IntN(4)],
			MaxRunes:     []int{0, 1, 2, 10, 30}[dice.IntN(5)],
			SplitClauses: dice.IntN(2) == 0,
			SplitChance:  []float64{0, 1, -1}[dice.IntN(3)],
			DropPeriod:   []float64{0, 1, -1}[dice.IntN(3)],
			Seed:         uint64(i),
		}
		require.NoError(t, check(b.String(), o), "%q %+v", b.String(), o)
	}
}

// TestSplit_KeepsTokensWhole: tokens are not cut if they fit.
func TestSplit_KeepsTokensWhole(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	whole := []string{"3.14", "1,000.50", "https://a.example/b.c?d=e!f", "a.b@c.example", "👨‍👩‍👧‍👦", "👍🏽", "🇨🇳", "1️⃣", "(´・ω・`)", "“好。走！”", "`a. b`", "main.go", "T.T"}
	for range rounds(2000) {
		one := whole[dice.IntN(len(whole))]
		var b strings.Builder
		for range dice.IntN(20) {
			b.WriteString([]string{"你好", "吗？", "好。", "a ", "，", "嗯 "}[dice.IntN(6)])
		}
		b.WriteString(" " + one + " ")
		for range dice.IntN(20) {
			b.WriteString([]string{"你好", "吗？", "好。", "a ", "，", "嗯 "}[dice.IntN(6)])
		}
		for _, o := range []SplitOptions{every, {MaxRunes: 40, MaxParts: -1, SplitClauses: true, SplitChance: 1}} {
			parts := Split(b.String(), o)
			assert.True(t, containsWhole(parts, one), "%q in %q", one, parts)
		}
	}
}

func containsWhole(parts []string, one string) bool {
	for _, p := range parts {
		if strings.Contains(p, one) {
			return true
		}
	}
	return false
}

// TestSplit_LongText: too long text is cut at a comma, otherwise at a space, otherwise at any rune.
func TestSplit_LongText(t *testing.T) {
	o := SplitOptions{MaxRunes: 10}
	assert.Equal(t, []string{"一二三四五六，", "七八九十一二三四五六", "七八"}, Split("一二三四五六，七八九十一二三四五六七八", o))
	assert.Equal(t, []string{"a，bcd efg", "hij klm"}, Split("a，bcd efg hij klm", o), "a comma in the first half is too early")
	assert.Equal(t, []string{"one two", "three four"}, Split("one two three four", o))
	assert.Equal(t, []string{"abcdefghij", "klmnopqrst", "uv"}, Split("abcdefghijklmnopqrstuv", o))
	assert.Equal(t, []string{"👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"}, Split("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", o))
	long := strings.Repeat("这句话有十个字的样子。", 300)
	parts := Split(long, SplitOptions{})
	assert.Less(t, len(parts), 10)
	require.NoError(t, lossless(long, parts, SplitOptions{}.withDefaults()))
}

// TestSplit_Chance: the chance of a split depends on the length of the text. A 。 is dropped nine times in ten.
func TestSplit_Chance(t *testing.T) {
	for _, v := range []struct {
		text  string
		split float64
	}{
		{"好的。走吧。", .2},
		{"这一句有十来个字长。那一句也有十来个字长。", .6},
		{"这一句话说得要比刚才更加长一点才好呢。那一句也说得要比刚才更加长一点才好呢。", .7},
	} {
		const n = 4000
		two, stops := 0, 0
		for seed := range uint64(n) {
			parts := Split(v.text, SplitOptions{Seed: seed})
			if len(parts) == 2 {
				two++
			}
			if strings.HasSuffix(parts[len(parts)-1], "。") {
				stops++
			}
		}
		assert.InDelta(t, v.split, float64(two)/n, .03, v.text)
		assert.InDelta(t, .1, float64(stops)/n, .02, v.text)
	}
	assert.Equal(t, []string{"好"}, Split("好。", SplitOptions{DropPeriod: 1}))
	assert.Equal(t, []string{"好。。。"}, Split("好。。。", SplitOptions{DropPeriod: 1}))
	assert.Equal(t, []string{"。"}, Split("。", SplitOptions{DropPeriod: 1}))
	assert.Equal(t, []string{"“好。”"}, Split("“好。”", SplitOptions{DropPeriod: 1}))
}

func TestSplit_MaxParts(t *testing.T) {
	text := "一。二二。三三三。四。五五五五五。六。七。"
	assert.Equal(t, []string{"一。二二。", "三三三。四。", "五五五五五。", "六。七。"}, Split(text, SplitOptions{SplitChance: 1, DropPeriod: -1}))
	assert.Len(t, Split(text, SplitOptions{SplitChance: 1, MaxParts: 1}), 1)
	assert.Len(t, Split(text, every), 7)
	assert.Equal(t, []string{text}, Split(text, SplitOptions{SplitChance: -1, DropPeriod: -1}))
}

// TestSplit_LinearTime: no text takes more than linear time.
func TestSplit_LinearTime(t *testing.T) {
	for _, unit := range []string{"。", "(", "“", "`", "a", "好。", "，", " ", "\n", "1. ", "https://", "@", "(´", "😊", "\u200d", "~", "a.", "\xff"} {
		text := strings.Repeat(unit, rounds(100_000)/len(unit))
		require.NoError(t, lossless(text, Split(text, SplitOptions{}), SplitOptions{}.withDefaults()), "%q", unit)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"你好。我是小炉！(´・ω・`) 3.14 https://a.example/x. 好", "1. 一。\n2. 二\n```\na. b\n```\n“好。”他说……", "@a b~ 👨‍👩‍👧 \xff。", "He said hi. Mr. X left!"} {
		f.Add(s, uint64(1), int8(0), int8(0), true)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, parts, runes int8, clauses bool) {
		if len(text) > 2000 {
			return
		}
		if err := check(text, SplitOptions{Seed: seed, MaxParts: int(parts), MaxRunes: int(runes), SplitClauses: clauses}); err != nil {
			t.Fatal(err)
		}
	})
}
