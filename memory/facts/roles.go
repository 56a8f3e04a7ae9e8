package facts

import (
	"strings"
	"unicode/utf8"
)

var (
	// ownRoles stand before the occupation of the speaker.
	ownRoles = setOf(" 本 -本来 -本人 -本周 -本月 -本地 -本科 -本质 -本子 -本身 -本该 -本以为 -本群 -本店 作为一个 作为一名 作为一枚 作为 身为一个 身为一名 身为 像我这种 像我这样的 像我们这种 我这种 我这样的 我一个 我这个 我们这种 我们这些 我们这帮 我们做 我们当 我们干 我们搞 咱们做 咱们当 咱们干 咱做 咱干 俺们做 俺们干 俺们当 我好歹是个 我好歹一个 我好歹也是个 我堂堂")
	// roleNext words follow such an occupation.
	roleNext = setOf(" 的 哪 也 都 就 能 会 真 太 每 天天 一 表示 来 最 没 不 还 只 怎 要 又 最近 这 可 是 得 经常 平时 今天 过年 节假日 周末 啊 呀 呢 嘛 吧 压力 命苦 太难 加班 值班 的命 实在 有")
	// madeOf words frame an occupation that no list has: 我是做电商的.
	madeOf  = setOf(" 是做 是干 是搞 是当 是开 就是做 就是干 就是搞")
	noCraft = setOf(" 什么 啥 饭 这 那 哪 你 我 他 她 了 过 梦 题 作业 完 不 错 对 给 好 为 得 人 主 着 家务 菜 爱 事 坏 空 视频的 一件 一个 法 -人事 -人力 -人资 -家教 -家电 -家装 -家纺 -好物")
)

// ownRole reads 我一个程序员哪懂这些 and 作为程序员.
func (r jobReader) ownRole(c *clause) string {
	if c.subject != r.speaker {
		return ""
	}
	w, _ := ownRoles.begins(c.text)
	if w == "" {
		if w, _ = ownRoles.begins(c.rest); w == "" || !strings.HasPrefix(w, "作") && !strings.HasPrefix(w, "身") {
			return ""
		}
		return roleAtStart(c.rest[len(w):])
	}
	role := roleAtStart(c.text[len(w):])
	if role != "" && (w == "我们" || w == "我这" || w == "咱们") && (bareRoles.ends(role) != "" || !strongRole(role)) {
		return ""
	}
	return role
}

// roleAtStart returns the occupation that begins a text.
func roleAtStart(text string) string {
	text = rolePrefix.cutAll(text)
	ends := make([]int, 0, 7)
	for i := 0; i < len(text) && len(ends) < 7; {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		ends = append(ends, i)
	}
	for i := len(ends) - 1; i > 0; i-- {
		role, rest := text[:ends[i]], strings.TrimSpace(text[ends[i]:])
		if isRole(role) && (rest == "" || roleNext.begin(rest)) {
			return role
		}
	}
	return ""
}

// madeRole reads 我是做电商的, with an occupation that no list has.
func (r jobReader) madeRole(c *clause) string {
	if !c.explicit || c.subject == "" || c.past {
		return ""
	}
	before, w, what := madeOf.find(c.text)
	if w == "" || !light(strings.TrimSuffix(before, c.text[:max(0, len(c.text)-len(c.rest))])) && !strings.HasSuffix(c.text, c.rest) {
		return ""
	}
	what, ok := strings.CutSuffix(particles.cutEnds(what)+"的", "的")
	if !ok || !strings.Contains(c.text[len(before)+len(w):], "的") || runes(what) < 2 || runes(what) > 6 || noCraft.begin(what) || strings.ContainsAny(what, "的了我你他她不在") {
		return ""
	}
	return what
}
