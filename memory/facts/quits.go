package facts

import (
	"strings"
)

// Frames that tell of the end of a job at a firm, which may have any name where the frame is clear.
var (
	quitCues = setOf(" 闹翻 闹掰 闹僵 撕破 那活 那差事 走的人 不要我 不留我 不用去 走了 解脱 撂挑子 伺候 饭碗 我辞 编制 到期 期满 这班 那班 工作黄 工作吹 裁到我 不是 不上了 裁 开了 开除 辞 优化 毕业 劝退 炒 拜拜 再见 告别 两清 分手 缘分 脱离 逃离 逃出 不干 不做 不待 不呆 下去 最后一天 离职 跑路 走人 没我 清退 扫地出门 踢")
	firedBy  = setOf(" 裁了 裁员 裁掉 裁 开了 开除 开掉 辞退 辞了 优化 毕业 劝退 炒了 炒鱿鱼 炒 解雇 清退 扫地出门 赶出来 踢出来 踢了 放弃了 -裁缝 -开了个会 -开了罚单 -炒菜")
	partings = setOf(" 闹翻 闹掰 闹僵 撕破脸 说拜拜 说再见 说了再见 说了拜拜 拜拜 再见 缘分已尽 缘分尽 缘尽 缘分到 两清 两不相欠 分道扬镳 江湖再见 和平分手 分手 说声再见 挥手告别 告别 没关系了 没有关系了 无关了 解约 解除合同 终止合同")
	escapes  = setOf(" 再见 脱离了 脱离 逃离了 逃离 逃出了 逃出 跑出了 走出了 离开了 离开 告别了 告别 别了 再见了 拜拜了 炒了 炒掉了 炒掉")
	hardship = setOf(" 的苦海 苦海 的魔爪 魔爪 的火坑 火坑 的鱿鱼 鱿鱼 这个坑 这个火坑 大坑 这破地方")
	endless  = setOf(" 不上了 干不下去 待不下去 呆不下去 混不下去 做不下去 熬不下去 干到头 干够了 待够了 呆够了 干不动 不干了 不做了 不待了 不呆了 待不住")
	works    = setOf(" 那工作 那活 那个班 那班 那个工作 的班 的工作 的活儿 的活 的岗 的职 的饭碗 工作 的差事 那份工作 这份工作 的")
	resigned = setOf(" 辞了 辞掉 给辞 辞 推了 丢了 炒了 炒掉 扔了")
)

var (
	// walksOut words tell of the end of a job in any place of a clause.
	walksOut = setOf(" 说不干就不干了 今天走的人 那活儿不干了 那活不干了 这活不干了 这活儿不干了 那活我不干 那活儿我不干 这活我不干 那差事不干 撂挑子 不伺候了 裁到我头上 裁员裁到我 轮到我被裁 铁饭碗我给扔 饭碗我给扔 工作我辞 工作我给辞 工作我不要 编制我不要 合同到期 合约到期 合同期满 这班我不上 那班我不上 工作黄了 工作吹了")
	resigns  = setOf(" 辞了 辞掉了 辞掉 辞去了 辞去 推掉了")
)

// partingsHow words stand between a firm and a farewell.
var partingsHow = setOf(" 的 体面 友好 和平 正式 彻底 终于 好聚好散 说")

// quits reads 我被腾讯裁了, 跟腾讯说拜拜了, 把腾讯的班辞了 and 终于脱离腾讯的苦海了.
func (r jobReader) quits(c *clause) bool {
	if c.subject == "" || !quitCues.in(c.text) {
		return false
	}
	text := c.before + c.rest
	if walksOut.in(c.text) && !strings.Contains(c.text, "想") && !isQuestion(c.text) && (c.explicit || light(c.lead) && !kin.begin(c.text) && !strangers.begin(c.text)) {
		return r.add(c.subject, Job, "", true)
	}
	if what, ok := resigns.cut(c.rest); ok && (works.ends(particles.cutEnds(what)) != "" || isFirm(firmName(what))) { // 辞了腾讯的工作
		return r.add(c.subject, Job, "", true)
	}
	if w, at, ok := strings.Cut(c.rest, "去"); ok && strings.HasSuffix(w, "不用") && strings.HasSuffix(c.rest, "了") { // 再也不用去腾讯上班了
		if at, ok := cutEndAny(particles.cutEnds(at), []string{"上班", "打卡", "工作", "受气", "受罪", "报到"}); ok && firmName(at) != "" {
			return r.add(c.subject, Job, "", true)
		}
	}
	if w, _ := escapes.begins(c.rest); w != "" && isFirm(firmName(c.rest[len(w):])) { // 再见腾讯
		return r.add(c.subject, Job, r.atWork(firmName(c.rest[len(w):])), true)
	}
	if _, with, what := conjunction.find(text); with != "" {
		if at, w, _ := partings.find(what); w != "" {
			if at = firmName(partingsHow.cutEnds(strings.TrimSpace(degreesEnd(at)))); isFirm(at) { // 跟腾讯说拜拜
				return r.add(c.subject, Job, r.atWork(at), true)
			}
		}
	}
	if at, ok := strings.CutPrefix(c.rest, "从"); ok { // 从腾讯辞了
		if at, ok := cutEndAny(at, []string{"辞了", "辞职了", "裸辞了", "离了", "退了", "撤了", "溜了", "走人了", "跑路了", "滚蛋了", "滚了", "出来了", "不干了", "解脱了", "回家歇着了", "退下来了", "走了", "离开了", "脱身了"}); ok && isFirm(firmName(at)) {
			return r.add(c.subject, Job, "", true)
		}
	}
	return r.hasLeft(c, text) && !isQuestion(c.text) && r.add(c.subject, Job, "", true)
}

// hasLeft reports whether a text tells that its subject has left a job.
func (r jobReader) hasLeft(c *clause, text string) bool {
	if at := firmName(works.cutEnds(strings.TrimSpace(c.before))); at != "" && isFirm(at) && (endless.in(c.rest) && strings.Contains(c.rest, "了") || leftTail.begin(strings.TrimPrefix(degrees.cutAll(c.rest), "不"))) { // 腾讯那边我不干了
		return true
	}
	if before, by, ok := strings.Cut(text, "被"); ok && (c.near(before) || light(before)) {
		if at, w, after := firedBy.find(by); w != "" && runes(at) < 10 && len(r.mentions(at)) == 0 && (overTail(after) || strings.HasPrefix(after, "了") || strings.HasPrefix(after, "成")) && r.employs(at, w) { // 被腾讯裁了
			return true
		}
	}
	if before, w, what := escapes.find(text); w != "" && (c.near(before) || plainLead(before)) {
		if at, hard, _ := hardship.find(what); hard != "" && isFirm(firmName(at)) { // 脱离腾讯的苦海
			return true
		}
	}
	if _, at, ok := strings.Cut(text, "不是"); ok && strings.HasSuffix(text, "了") { // 已经不是腾讯的人了
		if at, ok := cutEndAny(particles.cutEnds(at), []string{"的人", "的员工", "的一员", "员工", "的打工人", "的社畜", "人"}); ok && isFirm(firmName(at)) {
			return true
		}
	}
	if at, ok := cutEndAny(particles.cutEnds(c.text), []string{"不要我", "不留我", "辞了我", "开了我", "炒了我", "裁了我", "不用我"}); ok && (isFirm(firmName(degreesEnd(at))) || bosses.is(strings.TrimSpace(degreesEnd(at)))) {
		return true
	}
	for _, by := range [...]string{"让", "叫", "给"} { // 我让腾讯给开了
		if before, what, ok := strings.Cut(text, by); ok && (c.near(before) || light(before)) {
			if at, w, after := firedBy.find(what); w != "" && overTail(after) && isFirm(firmName(strings.TrimSuffix(at, "给"))) {
				return true
			}
		}
	}
	if at, by, ok := cutMe(c.text); ok && firedBy.begin(strings.TrimPrefix(by, "给")) && (isFirm(firmName(at)) || bosses.is(strings.TrimSpace(degreesEnd(at)))) { // 腾讯把我辞了
		return true
	}
	if before, what, ok := strings.Cut(text, "把"); ok && (c.near(before) || plainLead(before)) {
		if at, w, after := works.find(what); w != "" && (resigned.begin(after) || resigned.begin(strings.TrimPrefix(after, "给"))) && (w != "的" || isFirm(firmName(at))) { // 把腾讯的班辞了
			return true
		}
		if at, w, _ := resigned.find(what); w != "" && isFirm(firmName(at)) {
			return true
		}
	}
	if before, what, ok := strings.Cut(text, "在"); ok && (c.near(before) || plainLead(before) || before == "是") {
		if at, w, _ := endless.find(what); w != "" && firmName(at) != "" && strings.Contains(c.text, "了") { // 在腾讯干不下去了
			return true
		}
		if at, ok := cutEndAny(particles.cutEnds(what), []string{"的最后一天", "最后一天", "的最后一班", "的最后一个班"}); ok && isFirm(firmName(at)) {
			return true
		}
	}
	return false
}

// cutMe splits a text at 把我 or 给我.
func cutMe(text string) (before, after string, ok bool) {
	for _, me := range [...]string{"把我", "给我", "将我"} {
		if before, after, ok = strings.Cut(text, me); ok {
			return before, after, true
		}
	}
	return "", "", false
}

// bosses dismiss people.
var bosses = setOf(" 公司 单位 老板 领导 厂里 店里 人事 HR hr 老东家 资本家 部门 那边 他们 这破公司 破公司")

// atWork returns "" for the end of any job, if the message tells of work, or else the firm, to which a customer may say goodbye, too.
func (r jobReader) atWork(firm string) string {
	if r.aboutJob {
		return ""
	}
	return firm
}

// employs reports whether a text before a word for a dismissal is an employer, or nothing.
func (r jobReader) employs(at, w string) bool {
	at = strings.TrimSuffix(strings.TrimSpace(degreesEnd(at)), "给")
	switch at {
	case "", "公司", "单位", "老板", "领导", "厂里", "店里", "人事", "HR", "hr", "老东家", "学校", "公司给", "资本家", "部门", "组里":
		return w != "开了" && w != "踢了" && w != "放弃了" && w != "毕业" || at != ""
	}
	return isFirm(firmName(at)) || strings.HasPrefix(w, "裁") || w == "优化" || w == "辞退"
}
