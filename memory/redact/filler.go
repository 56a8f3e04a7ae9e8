package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fillerMarks are the marks that may be between a keyword and its value.
const fillerMarks = " \t\r\n:：=\"'“”‘’「」『』【】《》[*`|>…·👇→➡👉~#-"

// opening are the round brackets that may be there, unless they enclose a remark.
const opening = "（("

// looseMarks are marks that may also be before a QQ number of at least seven digits and before a secret.
const looseMarks = "，,、。.;；/_?？！!<"

// listMarks may be between the values of a list, which has at most maxList more.
const (
	listMarks = " \"'、，,/;；|-和或及跟与"
	maxList   = 8
)

// fillerWords are the Chinese words that may be between a keyword and its value. A longer word comes before its start.
var fillerWords = []string{
	"号码", "號碼", "号碼", "号", "號", "码", "碼", "的值", "值", "多少", "搜索", "搜", "上搜", "上找", "上加", "加", "找", "联系", "聯繫", "可以加", "可以搜", "的话", "同号", "同", "不变", "没变", "那栏", "一栏", "账号", "帐号", "賬號", "帳號", "账户", "账戶", "帳戶", "编号", "編號", "数字",
	"是", "为", "為", "係", "系", "就", "也", "都", "叫", "做", "用的", "用", "如下", "在这里", "在這裡", "在这", "以下", "仍然", "仍", "还", "還", "现在", "現在", "目前", "暂时", "统一", "一直",
	"改成", "改为", "改為", "改到", "改回", "改", "换成", "换为", "換成", "换", "換", "变成", "變成", "变更", "更新", "重置", "设成", "设为", "設為", "設成", "设置", "設定", "设的", "写的", "填的", "填写", "填", "输入", "輸入", "输", "已经", "已經", "已", "修改", "重设", "重設", "记一下", "记下", "记好", "記一下", "抄一下", "报一下", "见下", "嘛", "应该", "應該", "好像", "大概", "可能", "临时", "先", "要", "请", "請", "帮我记", "帮我填", "帮我",
	"发过来", "發過來", "贴", "在此", "放这", "记",
	"成", "了", "咗", "到", "作", "我", "你", "您", "他", "她", "的", "嘅", "这个", "這個", "这", "個", "个", "小", "大", "新", "收到", "收", "发给", "发你", "發給", "发", "给", "給", "呢", "啦", "哈", "吧", "啊", "哦",
}

// fillerByRune are the fillerWords by their first character.
var fillerByRune = func() map[rune][]string {
	m := map[rune][]string{}
	for _, w := range fillerWords {
		r, _ := utf8.DecodeRuneInString(w)
		m[r] = append(m[r], w)
	}
	return m
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
			r, _ := utf8.DecodeRuneInString(c.s[i:])
			i += prefix(c.s[i:], fillerByRune[r]...)
		default:
			if i = c.skip(i, fillerMarks, 6); i == from {
				i = c.skip(i, opening, 1)
			}
			if more != "" {
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
	if oneOf(c.s[i:k], "for", "of") { // "for the NAS is", "of the bot:"
		w := c.after(k, 28)
		for _, link := range [...]string{" is ", ":", "："} {
			if e := strings.Index(w, link); e > 0 && count(w[:e], alnumChar|blank|local) == e {
				return k + e + len(link)
			}
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

// isName reports whether a name is w, or ends with it as a word of its own, in any case, with or without "_" and "-" between
// its words.
func isName(name, w string) bool {
	i := len(name)
	for k := len(w) - 1; k >= 0; k-- {
		for i > 0 && (name[i-1] == '_' || name[i-1] == '-') {
			i--
		}
		if i == 0 || name[i-1]|0x20 != w[k] {
			return false
		}
		i--
	}
	return i == 0 || !is(name[i-1], alnumChar) || upper(name[i]) && !upper(name[i-1]) || strings.HasPrefix(w, "qq")
}
