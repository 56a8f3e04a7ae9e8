package facts

import (
	"strings"
)

var (
	topicEnds = setOf(" 的话")
	// condition words are in what is a condition, and no topic.
	condition = setOf(" 有 能 会 想 是 在 要 了 不 没 可以 得 到 敢 再 就 真 这样 那样 你 他 她 -没事")
	giftLeads = setOf(" 跟 和 要送 想送 想给 要给 想约 要约 要找 送 给 请 约 找 叫 喊 要说 说到")
	relatedTo = setOf(" 相关的东西 有关的东西 相关的 有关的 相关 有关 周边 的周边")
	giftVerbs = setOf(" 就送 送 给 买 就买 跟 和 准备 带 弄点 整点 来点 带点 就给 -送给 -送给我")
	giving    = setOf(" 聊 说 提 谈 准备 带 买 点 整 来 送 弄 安排 推荐 安利 搞 订 备 就送 就买")
	amounts   = setOf(" 点儿 点 份 些 个 了 一份 一点 一些 一个 几个 张 杯 盒 的 上 就")
)

// afterTopic removes a topic with 的话 from the start of a clause, and remembers it: 香菜的话喊小王. It is "" for a condition.
func (r *reader) afterTopic(c string) string {
	head, w, rest := topicEnds.find(c)
	if w == "" || runes(head) > 7 || conditions.in(head) {
		return ""
	}
	topic := giftLeads.cutAll(head)
	who, name := r.names.prefix(topic)
	for _, m := range r.mentions(head) {
		if !m.self && name == "" {
			who, name = m.id, m.name
		}
	}
	if r.object = ""; name != "" {
		r.named, r.name = who, name
	} else if condition.in(topic) {
		return ""
	} else {
		r.object = likeable(topic)
	}
	return strings.TrimSpace(calledOut.cutAll(rest))
}

// cutCall removes a call to ask somebody from the end of a text.
func cutCall(text string) (head string, ok bool) {
	return cutEndAny(strings.TrimSpace(text), []string{"你去找", "你得找", "你找", "你问", "你约", "你喊", "你叫", "要找", "就找", "找", "就喊", "就叫"})
}

// offers reads a thing that somebody would like: 送点香菜相关的，他喜欢 and 给小王准备香菜，他最爱了.
func (r tasteReader) offers(c string) bool {
	if before, w, _ := relatedTo.find(c); w != "" {
		if _, verb, what := giftVerbs.findLast(before); verb != "" {
			r.object = likeable(what)
			return true
		}
	}
	for _, m := range r.mentions(c) {
		if m.self || m.at == 0 {
			continue
		}
		if head, w := cutCall(c[:m.at]); w && runes(head) > 1 && runes(head) < 8 { // 香菜你找小王聊啊，他喜欢这个
			if r.object = likeable(head); r.object != "" {
				r.named, r.name = m.id, m.name
				return true
			}
		}
		if what, ok := giving.cut(c[m.end:]); ok && giftLeads.ends(c[:m.at]) != "" {
			r.object = likeable(amounts.cutAll(what))
			return true
		}
	}
	return false
}
