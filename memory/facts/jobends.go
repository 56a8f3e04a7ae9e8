package facts

import (
	"strings"
)

// jobEnd reads 我离职了 and 我不在腾讯干了.
func (r jobReader) jobEnd(c *clause) bool {
	if strings.HasSuffix(c.before, "班") && (strings.HasPrefix(degrees.cutAll(c.rest), "不上了") || leftTail.begin(strings.TrimPrefix(degrees.cutAll(c.rest), "不"))) { // 那个班我不上了
		return r.add(c.subject, Job, "", true)
	}
	if before, w, after := leaving.find(c.rest); w != "" && c.near(before) {
		at, ok := leftTail.cutEnd(particles.cutEnds(after))
		leaves := strings.HasSuffix(c.rest, "了") || ok || strings.HasPrefix(w, "离开") || strings.HasPrefix(w, "告别") || strings.HasPrefix(w, "再见") || strings.HasPrefix(w, "拜拜")
		if w == "从" && !ok {
			leaves = false
		}
		at = strings.TrimSpace(at)
		for _, to := range [...]string{"去", "来", "到"} { // 离开腾讯去阿里了
			if from, next, ok := strings.Cut(at, to); ok && isFirm(firmName(next)) && firmName(from) != "" {
				return r.claim(c, Job, firmName(next), false)
			}
		}
		if at = value(particles.cutEnds(at), 10); leaves && runes(at) > 1 && !isDigits(at) && !cities.in(at) && !notHome.begin(at) {
			return r.add(c.subject, Job, at, true)
		}
	}
	if at := firmName(c.before); isFirm(at) && leftTail.begin(degrees.cutAll(fillers.cutAll(c.rest))) { // 腾讯那边我已经走了
		return r.add(c.subject, Job, at, true)
	}
	if at, ok := cutEndAny(c.rest, []string{"的最后一天了", "的最后一天", "最后一天"}); ok && (strings.HasSuffix(at, "上班") || isFirm(firmName(strings.TrimPrefix(strings.TrimPrefix(at, "是我"), "在")))) {
		return r.add(c.subject, Job, "", true)
	}
	if _, ok := cutEndAny(c.before, []string{"的工作", "的班", "那份工作", "这份工作"}); ok && leftTail.begin(strings.TrimPrefix(degrees.cutAll(c.rest), "不")) {
		return r.add(c.subject, Job, "", true)
	}
	before, w, after := jobEnds.find(c.rest)
	if w == "" {
		return r.noRole(c)
	}
	leaves := w == "跑路了" || w == "走人了" || w == "滚蛋了" // or only leaves the chat
	if strings.HasPrefix(after, "过") || strings.HasPrefix(before, "毕业") || almost.in(c.text) || wished.begin(after) || leaves && !r.aboutJob && !strings.Contains(c.text, "提桶") && !lastTimes.in(c.lead+before) {
		return false
	}
	if rest, ok := cutAny(strings.TrimLeft(after, "了"), []string{"之后", "以后", "后"}); ok { // 离职之后去了腾讯
		next := *c
		next.rest = strings.TrimSpace(rest)
		if r.worksAt(&next) || r.becomes(&next) {
			return true
		}
	}
	if strings.HasPrefix(after, "的") && !strings.HasPrefix(after, "的第") && particles.cutEnds(after) != "" {
		return false
	}
	if strings.HasPrefix(after, "了怎么办") || strings.HasPrefix(after, "怎么办") || (orgEnds.is(w) && !strings.Contains(c.text, "我") && !strings.Contains(c.text, "俺") && !strings.Contains(c.text, "咱") && !r.aboutJob) {
		return false
	}
	if c.future && strings.HasPrefix(w, "不") { // 明天不上班了
		return false
	}
	if !c.explicit && !quitTail(after) { // 辞职冲动又来了
		return false
	}
	if w == "不干了" && !c.explicit && !r.aboutJob && particles.cutEnds(after) == "" && before == "" {
		return false
	}
	if w == "辞了" && !c.explicit && !r.aboutJob {
		return false
	}
	if w == "辞了" || w == "gap" || w == "滚蛋了" || w == "退休" {
		if !c.explicit && before != "" || strings.HasPrefix(after, "后") && w == "退休" {
			return false
		}
	}
	if !c.near(before) && !strings.HasSuffix(before, "把") && !isFirm(value(strings.TrimSpace(leaving.cutAll(before)), 10)) && !(c.explicit && runes(before) <= 8) && adverbials.ends(before) == "" && !light(strings.TrimSuffix(before, "办了")) && !leadQuit.is(before) || wishing.in(before) && !strings.Contains(before, "不再") || strangers.in(before) || strings.Contains(before, "以前") {
		return false
	}
	if cities.in(after) || strings.HasPrefix(after, "去") || strings.HasPrefix(after, "到") { // 辞职去腾讯了
		rest := *c
		rest.rest = after
		if r.worksAt(&rest) || r.becomes(&rest) {
			return true
		}
	}
	return r.add(c.subject, Job, "", true)
}

// quitTail reports whether a text after 辞职 and the like still tells that the job is over.
func quitTail(after string) bool {
	rest := degrees.cutAll(fillers.cutAll(strings.TrimLeft(after, " 了")))
	return rest == "" || strings.HasPrefix(after, "了") && rest == strings.TrimLeft(after, " 了") && runes(rest) < 5 && !quitNo.begin(rest) || overTail(after) || quitAfter.begin(rest)
}

var (
	lastTimes = setOf(" 上个月 上月 上周 上礼拜 昨天 前天 去年 年初 月底")
	almost    = setOf(" 差点 差一点 险些 几乎 假装 梦见 以为")
	wished    = setOf(" 还早 还有 的念头 的概率 的心 的冲动 信都 信怎 申请怎 流程怎 补偿怎 证明怎 老板没批 没批 不成 的梦 的朋友 的同事 的人 率")
	quitAfter = setOf(" 拿 老头 老太 大爷 大妈 大叔 办 批 走完 搞定 交了 交上 到手 一身轻 在家 回家 求 第 中 状态 人员 青年 快 有一阵 后 之后 以后 去 到 自由 解放 好几 几个月 半年 一个月 两个月 仨月 至今 大军 一员 预备 成功 的第 那边 手续 生效 通过 下来 收拾 走人 回老家 来着")
	quitNo    = setOf(" 睡 打 吃 玩 喝 还 又 怎 会")
)

var (
	// leadQuit words stand before the end of a job without a subject.
	leadQuit = setOf(" 等于 相当于 变相 进入 正式进入 开启 开始 今天起 从今天起 提的 工作 喜提 光荣 被 又 正 办完 刚办 提了 手续办好 主动 被动 惨遭 今儿 昨儿 目前处于 处于 目前 一直 无奈 被迫 合同 把 给 遭 遭遇 不幸 集体 全员 干脆 当场 直接 果断 愤而 怒而 一气之下 年纪到了 到龄 到点 身体原因 因病 上个月底 上月底 月底 上个月 刚刚被 给我 那就")
	// orgEnds tell of the end of a firm, which may be that of others.
	orgEnds = setOf(" 公司倒闭 公司黄了 厂子倒闭 厂里倒闭 店倒闭 单位解散 部门解散 单位倒闭 单位黄了 公司没了 公司解散 倒闭")
)

// noRole reads 我不当老师了.
func (r jobReader) noRole(c *clause) bool {
	if strings.HasPrefix(c.rest, "不是") && !strings.Contains(c.text, "已经") && !strings.Contains(c.text, "早") && !strings.HasSuffix(c.rest, "了") {
		return false
	}
	what, ok := cutAny(c.rest, []string{"不再当", "不再做", "不再是", "不做", "不当", "不干", "不是"})
	if !ok {
		return false
	}
	if what, ok = cutAny(rolePrefix.cutAll(what), nil); !ok {
		what = cleanRole(what)
	}
	return isRole(what) && r.add(c.subject, Job, what, true)
}
