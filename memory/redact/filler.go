package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fillerMarks are the marks that may be between a keyword and its value.
const fillerMarks = " \t\n:：=\"'“”‘’「」『』【】《》[（(*`|>→~#-"

// fillerWords are the Chinese words that may be between a keyword and its value. A longer word comes before its start.
var fillerWords = []string{
	"号码", "號碼", "号碼", "号", "號", "码", "碼", "账号", "帐号", "賬號", "帳號", "账户", "账戶", "帳戶", "编号", "編號", "数字",
	"是", "为", "為", "係", "系", "就", "也", "都", "叫", "做", "用的", "用", "如下", "在这", "以下", "仍", "还", "還", "现在", "現在", "目前", "暂时", "统一", "一直",
	"改成", "改为", "改為", "改到", "改回", "改", "换成", "换为", "換成", "换", "換", "变成", "變成", "变更", "更新", "重置", "设成", "设为", "設為", "設成", "设置", "設定", "设的", "写的", "填的", "填", "输入", "輸入", "输",
	"成", "为", "了", "咗", "到", "作", "我", "你", "您", "他", "她", "的", "嘅", "这个", "這個", "这", "個", "个", "小", "大", "新", "收到", "收", "发给", "发你", "發給", "发", "给", "給", "呢", "啦", "哈", "吧", "啊", "哦",
}

// fillerFirst are the first characters of fillerWords.
var fillerFirst = func() *runeSet {
	var set runeSet
	for _, w := range fillerWords {
		set.add([]rune(w)[0])
	}
	return &set
}()

// fillerLatin are the English words that may be between a keyword and its value.
var fillerLatin = []string{"is", "are", "was", "number", "num", "no", "nr", "id", "account", "acct", "code", "value", "now", "still", "to", "changed", "set", "reset", "updated", "be", "here", "my", "your", "the", "uid"}

const maxFiller = 72 // bytes

// filler returns the end of the marks, words and remarks in brackets between a keyword that ends at i and its value. More marks
// may be given.
func (c *input) filler(i int, more string) int {
	start, limit := i, min(len(c.s), i+maxFiller)
	for n := 0; n < 12 && i < limit; n++ {
		from := i
		if k := c.remark(i); k > i {
			i = k
		}
		switch b := c.s[min(i, len(c.s)-1)]; {
		case i >= len(c.s):
		case is(b, letter):
			i = c.fillerLatin(i)
		case 0xE4 <= b && b <= 0xE9:
			if r, _ := utf8.DecodeRuneInString(c.s[i:]); fillerFirst.has(r) {
				i += prefix(c.s[i:], fillerWords...)
			}
		default:
			if i = c.skip(i, fillerMarks, 6); more != "" {
				i = c.skip(i, more, 2)
			}
		}
		if i == from {
			break
		}
	}
	c.work += i - start
	return i
}

// fillerLatin returns the end of one of the English words at i, or i.
func (c *input) fillerLatin(i int) int {
	k := c.run(i, letter, 9)
	if n := c.next(k); n < utf8.RuneSelf && strings.IndexByte(" :.\"'=#)`*", n) < 0 || k-i > 8 {
		return i
	}
	if k-i == 3 && strings.EqualFold(c.s[i:k], "for") { // "for the NAS is"
		w := c.after(k, 28)
		if e := strings.Index(w, " is "); e > 0 && count(w[:e], alnumChar|blank|local) == e {
			return k + e + len(" is ")
		}
	}
	for _, w := range fillerLatin {
		if len(w) == k-i && strings.EqualFold(c.s[i:k], w) {
			if c.next(k) == '.' {
				k++
			}
			return k
		}
	}
	return i
}

// remark returns the end of a remark in brackets at i, such as "（新）" or "(ID)", or i. A value in brackets is not a remark.
func (c *input) remark(i int) int {
	from, closing := i, "）"
	switch {
	case strings.HasPrefix(c.s[i:], "（"):
		i += len("（")
	case c.next(i) == '(':
		i++
	default:
		return i
	}
	w := c.s[i:min(len(c.s), i+30)]
	end := strings.Index(w, closing)
	if k := strings.IndexByte(w, ')'); k >= 0 && (end < 0 || k < end) {
		end, closing = k, ")"
	}
	if end < 0 || strings.IndexByte(w[:end], maskByte) >= 0 || count(w[:end], digit) > 1 || count(w[:end], letter) > 4 {
		return from
	}
	return i + end + len(closing)
}

// isAssignment reports whether the text between a keyword and its value is an assignment.
func isAssignment(between string) bool {
	return strings.ContainsAny(between, "：:=是为為係系成】→叫") || hasWord(between, "is") || hasWord(between, "to")
}

// hasWord reports whether one of the words that are separated by blanks is w.
func hasWord(s, w string) bool {
	for {
		k := strings.Index(strings.ToLower(s), w)
		if k < 0 {
			return false
		}
		e := k + len(w)
		if (k == 0 || !is(s[k-1], letter)) && (e == len(s) || !is(s[e], letter)) {
			return true
		}
		s = s[e:]
	}
}

// isDate reports whether eight digits are a date of the last or the next years.
func isDate(s string) bool {
	return len(s) == 8 && (s[:2] == "19" || s[:2] == "20") && s[4:6] >= "01" && s[4:6] <= "12" && s[6:] >= "01" && s[6:] <= "31"
}

// oneOf reports whether w is one of the words, in any case.
func oneOf(w string, words ...string) bool {
	return slices.ContainsFunc(words, func(x string) bool { return strings.EqualFold(x, w) })
}

// isName reports whether a name is w, or ends with it, with or without "_" and "-" between its words. l is the name in small letters.
func isName(name, l, w string) bool {
	i := len(l)
	for k := len(w) - 1; k >= 0; k-- {
		for i > 0 && (l[i-1] == '_' || l[i-1] == '-') {
			i--
		}
		if i == 0 || l[i-1] != w[k] {
			return false
		}
		i--
	}
	return i == 0 || l[i-1] == '_' || l[i-1] == '-' || l[i-1] == '.' || upper(name[i]) && !upper(name[i-1]) && is(name[i-1], letter)
}
