package facts

import (
	"strings"
	"unicode/utf8"
)

// A clause is a part of a message with the person that it is about.
type clause struct {
	text     string // without the words that only begin it
	subject  string // "": a person whom nobody knows
	explicit bool   // the clause names the subject
	lead     string // the words that only begin it
	before   string // what stands before a subject in the middle
	rest     string // what follows the subject
	future   bool   // it names a time in the future
	past     bool   // it tells of former times
	reported bool   // the subject has said so
	thing    bool   // its subject is no person
	carried  bool   // the clause before is its subject
	stressed bool   // words that only begin a clause stand before its verb
}

// clause applies the rules to a clause. The first rule that matches wins.
func (r *reader) clause(text string) {
	if (nameReader{r}).callsMe(text) {
		return
	}
	if (coupleReader{r}).couple(text) {
		return
	}
	c := r.findSubject(text)
	carried := r.carried
	r.carried = false
	switch {
	case c.explicit && !c.thing:
		r.subject = c.subject
		r.self = r.self || c.subject == r.speaker
		if c.subject != "" && c.before == "" && calledOut.cutEnds(c.rest) == "" && (c.rest != "" || c.subject == r.speaker || calledOut.ends(text) != "") { // 小王啊，香菜铁粉一个
			r.carried = true
			return
		}
	case carried && !c.explicit && r.subject != "":
		c.explicit, c.subject, c.carried = true, r.subject, true
	}
	r.clauseText = text
	r.endHeld(&c)
	pets, plans, jobs := petReader{r}, planReader{r}, jobReader{r}
	_ = nameReader{r}.alias(&c) || pets.petEnd(&c) || jobs.quits(&c) || plans.planEnd(&c) || plans.plan(&c) || pets.pet(&c) ||
		placeReader{r}.place(&c) || jobs.job(&c) || tasteReader{r}.likes(&c)
}

// calledOut words follow a subject that is a clause of its own.
var calledOut = setOf(" 啊 呀 嘛 呢 哈 吧 么 哦 欸 诶 嘿 这人 那人 这个人 这家伙 这货 同学")

// claim adds a claim about the subject of a clause, unless that is unknown or the clause tells of the past.
func (r *reader) claim(c *clause, relation Relation, value string, ends bool) bool {
	if c.subject == "" || c.past && !ends {
		return false
	}
	return r.add(c.subject, relation, value, ends)
}

var (
	reports   = setOf(" 听 听到 听见 据 看 看见 看到")
	saying    = setOf(" 放话说 放话 扬言 信誓旦旦说 拍胸脯说 发誓说 跟大家说 和大家说 在群里说 群里说 一直说 天天说 总说 老说 早说 早就说 刚还说 空间说 语音里说 昨晚说 说过了 在群里说过 空间里说 朋友圈说 发朋友圈 前天说 上周说 上个月说 亲口跟我说 跟我透露 跟我坦白 偷偷跟我说 悄悄跟我说 老早就说 嚷嚷着 嚷嚷 吵着 嚷着 喊着 念叨着 跟我说了 跟我说过 跟我说 和我说过 和我说 跟我讲 跟我提过 跟我们说 和我们说 给我说 告诉我们 告诉我 亲口说 自己说 说了 说过 说是 说 讲 透露 表示 宣布 官宣 发朋友圈说 私聊我说 私下说 昨天说 今天说 前几天说 刚说 上次说 刚跟我说 昨天跟我说 昨晚跟我说 之前说 之前跟我说 微信上说 打电话说 发消息说 发动态说")
	afterName = setOf(" 老弟 老哥 妹子 大姐 大哥 兄弟 姑娘 老兄 哥们 这人 那人 这家伙 那家伙 这货 那货 这小子 那小子 这丫头 同学 老师 大佬 大神 老板 师傅 总 自己 本人 两口子 小两口 夫妻俩 一家子 一家 全家 一家人 他 她 ta 他们家 她们家 那边 这边")
)

// isKin reports whether what follows a person is another person: 妈, 有个朋友.
func isKin(rest string) bool {
	for range 3 {
		if w, hidden := kin.begins(rest); w != "" {
			return true
		} else if hidden > 0 {
			return false
		}
		var ok bool
		if rest, ok = kinFillers.cut(rest); !ok {
			return false
		}
	}
	w, _ := kin.begins(rest)
	return w != ""
}

// titleVerbs follow a title by which speakers call themselves: 哥现在是包工头.
var titleVerbs = setOf(" 现在 也 就 最近 终于 已经 今天 从今天 早就 是")

// cutDuration removes 三年 and the like from the start of a text.
func cutDuration(text string) string {
	n := 0
	for _, c := range text {
		if !isDigit(c) && c != '两' && c != '几' && c != '半' && c != '多' && c != '好' {
			break
		}
		n += utf8.RuneLen(c)
	}
	if rest, ok := cutAny(text[n:], []string{"年多的", "年多", "年的", "年", "个多月", "个月的", "个月", "天的", "天"}); ok && n > 0 {
		return rest
	}
	return text
}

// cutPossessive removes 的 after a subject.
func cutPossessive(c string) string { return strings.TrimPrefix(c, "的") }

// light reports whether a text has no other words than those that only begin a clause.
func light(lead string) bool {
	for before := ""; before != lead; {
		before = lead
		lead = future.cutAll(degrees.cutAll(fillers.cutAll(saying.cutAll(lead))))
	}
	return lead == ""
}

// near reports whether a cue belongs to the subject of a clause. lead stands between them.
func (c *clause) near(lead string) bool {
	for before := ""; before != lead; {
		before = lead
		lead = saying.cutAll(lead)
		lead = future.cutAll(degrees.cutAll(fillers.cutAll(lead)))
	}
	switch {
	case lead == "" || lead == "是":
		return true
	case strings.Contains(lead, "的") || strings.Contains(lead, "你") || strings.Contains(lead, "他") || kin.in(lead):
		return false
	case c.explicit:
		return runes(lead) <= 8
	}
	return runes(lead) <= 8 && adverbials.ends(lead) != ""
}

// adverbials end what tells of a time or place and is no subject.
var adverbials = setOf(" 后 时 时候 就 完 下来 以来 起 天 年 月 晚 里 上 下 边 地 前 中 着")

// value cleans the value of a clause. It is "" if the text is none.
func value(v string, most int) string {
	v = strings.Trim(particles.cutEnds(strings.TrimLeft(v, " ：:“\"「『《【@、")), " ")
	if w, _ := badStarts.begins(v); w != "" || runes(v) > most {
		return ""
	}
	return v
}
