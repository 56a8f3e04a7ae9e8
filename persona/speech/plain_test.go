package speech

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"# 标题\n\n正文":                    "标题\n\n正文",
		"### 第三级 ###":                   "第三级 ###",
		"#话题 和 C# 不变":                   "#话题 和 C# 不变",
		"这是**重点**内容":                    "这是重点内容",
		"**注意：**别忘了":                    "注意：别忘了",
		"***很***重要，*强调*一下":              "很重要，强调一下",
		"**运行 `go build` 就好**":          "运行 go build 就好",
		"**`x`**和*`y`*":                 "x和y",
		"*外 **里** 外*":                   "外 里 外",
		"2*3*4 = 24，a**b**c":            "2*3*4 = 24，a**b**c",
		"密码是 ****":                      "密码是 ****",
		"(*^▽^*) 好呀":                    "(*^▽^*) 好呀",
		"(*´▽`*)和(´・ω・`)":               "(*´▽`*)和(´・ω・`)",
		"好呀~~嗯~~":                       "好呀~~嗯~~",
		">_< 不要":                        ">_< 不要",
		"> 引用\n> 两行":                    "引用\n两行",
		"- 一\n- 二\n  * 三":               "• 一\n• 二\n  • 三",
		"1. 一\n2. 二":                    "1. 一\n2. 二",
		"-5 度，- ":                       "-5 度，-",
		"看[文档](https://go.dev/doc)吧":    "看文档 (https://go.dev/doc)吧",
		"![图](https://a.b/c.png \"名\")": "图 (https://a.b/c.png)",
		"[https://a.b](https://a.b)":    "https://a.b",
		"<https://a.b/c> 在这":            "https://a.b/c 在这",
		"[CQ:at] 数组[i](x)":              "[CQ:at] 数组[i](x)",
		"```python\n# 注释\nprint(\"**x**\")\n```\n就这样": "# 注释\nprint(\"**x**\")\n就这样",
		"好：\n```\na := `b`\n":                         "好：\na := `b`",
		"用 `rm -rf **` 删":                             "用 rm -rf ** 删",
		"```go run .```":                              "go run .",
		"上\n---\n下":                                   "上\n下",
		"| 名 | 值 |\n|---|:-:|\n| a | 1 |\n完":          "名 | 值\na | 1\n完",
		"a | b":                 "a | b",
		"一<br>二":                "一\n二",
		"```\n```":              "",
		"没有标记。":                 "没有标记。",
		"snake_case 和 __init__": "snake_case 和 __init__",
	} {
		assert.Equal(t, want, Plain(in), in)
	}
}

func TestCutNames(t *testing.T) {
	names := []string{"小炉", "炉子"}
	for in, want := range map[string]string{
		"小炉: 我在的":           "我在的",
		"小炉：我在的":            "我在的",
		" 小炉 ：我在":           "我在",
		"【小炉】我在":            "我在",
		"[小炉]: 我在":          "我在",
		"**小炉**：我在":         "我在",
		"**小炉：** 我在":        "我在",
		"小炉(10000)：我在":      "我在",
		"炉子: 在\n炉子: 呢":      "在\n呢",
		"小炉：小炉：在":           "在",
		"小炉在的":              "小炉在的",
		"小炉是我：对":            "小炉是我：对",
		"阿明：在":              "阿明：在",
		"我说\n小炉：在":          "我说\n小炉：在",
		"小炉：":               "",
		"[小炉](https://a.b)": "[小炉](https://a.b)",
	} {
		assert.Equal(t, want, CutNames(in, names...), in)
	}
	assert.Equal(t, ": x", CutNames(": x", ""))
}

func TestWholeSentences(t *testing.T) {
	for in, want := range map[string]string{
		"今天很冷。记得多穿一点，不然会": "今天很冷。",
		"今天很冷。":      "今天很冷。",
		"一句也没有说完":    "",
		"先这样：\n第一步要": "",
		"好的！步骤如下：\n1. 打开\n2. 点击\n3. 然":   "好的！步骤如下：\n1. 打开\n2. 点击",
		"“走吧。”他说。然后":                     "“走吧。”他说。",
		"看代码：\n```go\nfunc main() {":     "",
		"看这个。\n```go\nx := 1\n```\n接着":   "看这个。\n```go\nx := 1\n```",
		"It costs 3.5 dollars. And then": "It costs 3.5 dollars.",
		"<item>早！</item><item>吃了":        "<item>早！</item>",
		"<item>早！</item><item>吃了吗？我还":    "<item>早！</item><item>吃了吗？</item>",
		"<item>早！</item>吃了吗？我还":          "<item>早！</item>吃了吗？",
		"<item>早！</item>吃了":              "<item>早！</item>",
		"</item>!":                       "</item>!",
		"<item>吃了":                       "",
		"":                               "",
	} {
		assert.Equal(t, want, WholeSentences(in), in)
	}
}

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// Plain makes no text longer. Without code it removes no word and changes its own result no more. Links and line breaks
// lose words by design.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"# 标题\n**重点** *斜* ***都***", "- 一\n> # 二\n* * *\n| a | b |\n|--|--|\n| **c** |", "```go\nx\n```\n`y` ``z`", "[a](https://b.c) <https://d.e>", "(*^▽^*) 2*3*4 ** a **",
		"小炉：【小炉】**小炉：**在", "\r\n\x00\xff\U000f0000`a`", "<item>a。b</item>c", "</item>!",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		in = strings.ToValidUTF8(in, "?")
		out := Plain(in)
		if n := utf8.RuneCountInString(out); n > utf8.RuneCountInString(in) {
			t.Fatalf("%q became longer: %q", in, out)
		}
		if !strings.Contains(in, "`") && !opensFenceAnywhere(in) {
			if again := Plain(out); again != out {
				t.Fatalf("%q: %q, then %q", in, out, again)
			}
			if !link.MatchString(in) && !lineBreak.MatchString(in) && !link.MatchString(out) && letters(out) != letters(in) {
				t.Fatalf("%q lost words: %q", in, out)
			}
		}
		cut := CutNames(in, "小炉", "a")
		if again := CutNames(cut, "小炉", "a"); again != cut {
			t.Fatalf("%q: %q, then %q", in, cut, again)
		}
		whole := WholeSentences(in)
		if utf8.RuneCountInString(whole) > utf8.RuneCountInString(in)+len("</item>") {
			t.Fatalf("%q became longer: %q", in, whole)
		}
		if strings.Contains(in, "<item>") {
			return
		}
		if !strings.HasPrefix(strings.TrimSpace(in), whole) && !strings.Contains(in, "</item>") {
			t.Fatalf("%q is no start of %q", whole, in)
		}
	})
}

// opensFenceAnywhere reports whether a line opens a code block.
func opensFenceAnywhere(text string) bool {
	for line := range strings.Lines(lineBreak.ReplaceAllString(text, "\n")) {
		if opensFence(strings.TrimLeft(lineStart.ReplaceAllString(strings.TrimRight(line, "\n"), ""), " \t")) {
			return true
		}
	}
	return false
}

// The time is linear in the length of the text, also for texts made to be slow.
func TestPlain_Linear(t *testing.T) {
	if testing.Short() {
		t.Skip("compares times")
	}
	texts := map[string]func(n int) string{"deep": func(n int) string { return strings.Repeat("*a **b ", n/2) + strings.Repeat("b** a* ", n/2) }}
	for name, unit := range map[string]string{
		"stars": "*a ", "nested": "*a **b ", "brackets": "[a](", "quotes": "> ", "backquotes": "`a``b", "pipes": "|-", "breaks": "<br", "heading": "# ", "links": "[a](http://b(c)",
	} {
		texts[name] = func(n int) string { return strings.Repeat(unit, n) }
	}
	for name, text := range texts {
		took := func(n int) time.Duration {
			long, best := text(n), time.Hour
			for range 4 {
				began := time.Now()
				Plain(long)
				best = min(best, time.Since(began))
			}
			return best
		}
		ratio := math.Inf(1)
		for tries := 0; ratio >= 80 && tries < 5; tries++ { // another load on the machine may slow one of them down
			ratio = min(ratio, float64(took(4_000))/float64(took(250)))
		}
		assert.Less(t, ratio, 80., "%s: 16 times the text; a quadratic time is 256 times as long", name)
	}
}
