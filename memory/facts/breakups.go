package facts

import (
	"strings"
)

// leaves reads the end of a love: 我分手了, 我跟小王离婚了.
func (r coupleReader) leaves(c string) bool {
	if r.dumped(c) {
		return true
	}
	before, w, after := breaking.find(c)
	if w == "" || strings.Contains(c, "东家") || strings.Contains(c, "公司") || strings.HasPrefix(after, "过") || strings.HasPrefix(after, "的话") {
		return false
	}
	all := r.mentions(c)
	head := strings.TrimSpace(before)
	subject := r.subject
	clear := strings.Contains(w, "分手") || strings.Contains(w, "单身") || strings.Contains(w, "离婚") || strings.HasPrefix(w, "前") || strings.Contains(w, "分的手") || w == "失恋" || strings.HasPrefix(w, "被甩") || strings.HasPrefix(w, "被绿") || strings.Contains(w, "光棍") || strings.HasPrefix(w, "变回") || strings.HasPrefix(w, "又") || strings.HasSuffix(w, "一个人了") || strings.Contains(w, "对象") || strings.Contains(w, "朋友") || strings.Contains(w, "老婆") || strings.Contains(w, "老公") || strings.Contains(w, "离") || strings.Contains(w, "不下去")
	switch {
	case len(all) > 0 && all[0].at < len(before)+len(w):
		subject = all[0].id
		with := conjunction.ends(strings.TrimRight(c[:all[0].at], " ")) != "" && !all[0].self
		if with {
			subject = r.subject // 跟小王分了
		}
		for _, m := range all { // 小王已经是我前任了
			if m.self && m.at < len(before)+len(w) {
				subject = r.speaker
				if isKin(c[m.end:]) && !lovers.begin(cutPossessive(c[m.end:])) && !strings.HasPrefix(w, "前") {
					return false
				}
			} else if !m.self && isKin(cutPossessive(c[m.end:])) && !lovers.begin(cutPossessive(c[m.end:])) && !strings.HasPrefix(w, "前") {
				return false
			}
		}
		if !clear && !r.pairOnly(before, w, all) {
			return false
		}
		if kin.in(before) && !lovers.in(before) && len(all) == 1 && all[0].self && all[0].at > 0 { // 你学长把我甩了
			return false
		}
		alone := len(all) == 1 && all[0].self && overTail(after) && (clear || !strings.Contains(before[min(len(before), all[0].end):], "完"))
		pair := alone || len(all) > 1 || with || strings.HasSuffix(before, "把我") || strings.Contains(w, "我") || strings.Contains(before, "俩") || strings.Contains(before, "我们")
		if !clear && !pair {
			return false
		}
		if !clear && !with && len(all) > 1 && !strings.Contains(before, "把") && !strings.Contains(before, "被") && conjunction.ends(strings.TrimRight(c[:all[1].at], " ")) == "" {
			return false
		}
	case strings.HasPrefix(w, "前") || !overTail(after):
		return false
	case lovers.begin(w) && head == "": // 对象吹了
	case conjunction.begin(fillers.cutAll(head)) && lovers.ends(degreesEnd(head)) != "": // 跟对象分了
	case r.recent.id != "" && r.self && len(all) == 0 && apartWords.is(particles.cutEnds(fillers.cutAll(c))): // 我和小王不合适，分开了
		subject = r.speaker
	default:
		head = degrees.cutAll(future.cutAll(fillers.cutAll(head)))
		if !clear || runes(head) > 8 || strings.ContainsAny(head, "他她它你那这") || strangers.in(head) || kin.in(head) {
			return false
		}
	}
	if with := conjunction.ends(strings.TrimRight(before, " ")); with == "" && r.farewell(c, before, w) {
		return false
	}
	if subject == "" || strings.HasPrefix(w, "前") && !strings.Contains(before, "是") && !strings.Contains(before, "成") {
		return false
	}
	if strings.HasPrefix(after, "吧") || strings.HasPrefix(after, "算了") || strings.HasPrefix(after, "率") || strings.HasPrefix(after, "的心") {
		return false
	}
	head = strings.TrimSpace(before)
	for _, no := range [...]string{"没", "不会", "别", "想", "打算", "要", "可能", "可能会", "会", "差点", "差点就", "准备", "闹", "怕", "劝", "不可能"} {
		if strings.HasSuffix(head, no) {
			return false
		}
	}
	if r.waits == subject {
		r.waits = ""
	}
	return r.add(subject, Partner, "", true)
}

// dumped reads 被小王甩了 and 小王把我甩了.
func (r coupleReader) dumped(c string) bool {
	before, w, after := leavingOne.find(c)
	if w == "" || !overTail(after) {
		return false
	}
	all := r.mentions(before)
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	by := strings.TrimSpace(degreesEnd(before[:last.at]))
	if strings.TrimSpace(degreesEnd(before[last.end:])) != "" {
		return false
	}
	switch {
	case strings.HasSuffix(by, "被") || strings.HasSuffix(by, "给"): // 我被小王甩了
		if len(all) > 1 {
			return r.add(all[0].id, Partner, "", true)
		}
		return !last.self && light(strings.TrimSuffix(by, "被")) && r.add(r.subject, Partner, "", true)
	case strings.HasSuffix(by, "把"):
		if len(all) > 1 || last.self && lovers.in(by) {
			subject := all[0].id
			if last.self || subject == "" {
				subject = last.id
			}
			return r.add(subject, Partner, "", true)
		}
		return !last.self && light(strings.TrimSuffix(by, "把")) && r.add(r.subject, Partner, "", true)
	}
	return false
}

// leavingOne words tell that one of two people leaves the other.
var leavingOne = setOf(" 甩了 甩 踹了 踹 蹬了 绿了 抛弃了 抛弃 分手了 休了 -甩锅 -甩卖 -甩干")

// pairOnly reports whether nothing but two people and adverbs stands before a word: 我跟小王完了, and not 我们做完了.
func (r coupleReader) pairOnly(before, w string, all []mention) bool {
	end := 0
	for _, m := range all {
		if m.end <= len(before) {
			end = m.end
		}
	}
	between := strings.TrimSpace(before[end:])
	for again := true; again; {
		between = strings.TrimSpace(degreesEnd(fillers.cutAll(between)))
		between, again = pairNouns.cut(between)
	}
	return between == "" || len(all) > 0 && !all[len(all)-1].self && adverbials.ends(between) != ""
}

// apartWords are a clause of their own after one with two people.
var apartWords = setOf(" 分开 分 散 掰 离 断 结束 黄 吹 分手 离婚 算")

// pairNouns stand between two people and the end of their love.
var pairNouns = setOf(" 对象 男朋友 女朋友 老公 老婆 媳妇 那口子 男友 女友 爱人 那位 跟那位 和那位 跟那谁 和那谁 跟那个人 和那个人 跟他 和他 跟她 和她 跟ta 跟对方 和对方 跟对象 和对象 跟男朋友 和男朋友 跟女朋友 和女朋友 跟老公 和老公 跟老婆 和老婆 跟媳妇 和媳妇 跟我对象 和我对象 跟那口子 俩 两个 两个人 两人 之间 的感情 的关系 的缘分 的缘份 缘分 感情 关系 这段感情 这段 的恋情 的事 的婚姻 的爱情 就 也 算是 给 把 被 性格 因为异地 异地 处了 谈了 在一起 和平 最后 到底 真的 没能 还是 都 彻底 今天 刚 跟我 和我 正式")

// overTail reports whether a text after 分手 and the like only ends a clause, or tells since when.
func overTail(after string) bool {
	rest := particles.cutEnds(strings.TrimSpace(after))
	rest = strings.TrimPrefix(rest, "了")
	return rest == "" || overSince.begin(rest) || cutDuration(rest) != rest
}

// overSince words tell since when something is over.
var overSince = setOf(" 好久 很久 有一阵 有段时间 以后 之后 后 一年 半年 的那种 第 快 没多久 不久 才 都 至今 到现在 于 求 勿扰 中 状态 生活 人士 一枚 贵族 汪 狗")

// farewell reports whether what somebody leaves is a thing: 我跟奶茶分手了.
func (r coupleReader) farewell(c, before, w string) bool {
	_, with, what := conjunction.findLast(before)
	if what = strings.TrimSpace(degreesEnd(what)); with == "" || what == "" || len(r.mentions(what)) > 0 || lovers.in(what) || runes(what) < 3 && len(c) > 0 {
		return false
	}
	return r.add(r.subject, Likes, likeable(what), true)
}
