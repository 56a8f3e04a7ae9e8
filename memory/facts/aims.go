package facts

import (
	"strings"
	"unicode/utf8"
)

var (
	// soon words name a time at which people run errands.
	soon = setOf(" 今晚 今天 明天 明儿 明早 明晚 后天 周一 周二 周三 周四 周五 周六 周日 周末 下周 下班后 马上 待会 等会 一会 晚上 早上 中午 下午")
	// journeys are what one travels for.
	journeys = setOf(" 旅游 旅行 旅居 自驾 玩 徒步 度假 极光 看海 看雪 看日出 演唱会 支教 留学 读书 发展 创业 生活 打工 滑雪 潜水 露营 爬山 骑行 追星 散心 过冬 避暑 音乐节 环游 朝圣 转山 看展")
	// smallAims are no plans, although they are counted.
	smallAims = setOf(" 打个 发个 吃个 睡个 洗个 喝个 问个 上个 剪个 取个 拿个 点个 请个假 补个 充个 说个 做个饭 做个梦 做个核酸 改个 看个 开个会 开个黑 开一把 打一把 来个 来一 吃一 喝一 睡一 等一 看一 说一 打一 买个菜 买一杯 买杯 拍个照 找个 找一 听一 歇一 躺一 坐一 做一下 学一下 试一下 考一下 问一下 写个作业 写个检讨 查一下 办个事 办一下 改一 换个衣服 换个头像 换一 跑个腿 买个水 -找个对象 -找个班 -看一场 -找一份 -换一台 -换一辆 -换一份 -换一个城市 -来一场 -打一个耳洞 -找个工作")
	counted   = setOf(" 个 一 台 辆 套 间 家 本 只 场 次 趟 门 份 张")
	// timely words begin a time after which somebody does something: 等发工资了就买车.
	timely     = setOf(" 等我忙完 等我考完 等我毕业 等我攒够 等我放假 等我休假 等 过完 过了 忙完 攒够 攒完 存够 凑够 考完 毕业 放了假 一放假 放假 退休 发工资 发了工资 拿到 到了 年底 年后 开春 下学期 等到 有了钱 有钱了 -等会 -等下 -等一下 -等等 -等我 -到了就 -过了就")
	settled    = setOf(" 合计好了 盘算过了 寻思好了 琢磨好了 计划之一 目标之一 心愿之一 商量过了 报名了 报了名 说干就干 决定好了 考虑过了 交了定金 钱攒够了 存款够了 盘算好了 说定了 谈好了 打听好了 研究过了 决定了 想好了 考虑好了 考虑清楚了 商量好了 说好了 定了 定好了 安排上了 下定决心 下决心 下了决心 拿定主意 拿定主意了 打定主意 豁出去了 有个计划 有个想法 有个打算 有个小目标 有个心愿 有个大计划 铁了心 铁了心了 就这么定了 就这么决定了 思考再三 计划好了 规划好了 安排好了 定下来了 -稳定了 -一定了 -肯定了")
	planLabels = setOf(" 计划中 近期计划 人生计划 计划之一 目标 小目标 计划 flag FLAG 打算 心愿 愿望 新计划 年度计划 大计划 下一步")
	saidPlan   = setOf(" 上次说的 上次讲的 上次提的 上次说要 上回说的 说的 讲的 提的 定的 约的 约好的 说好的 计划的 上次说好的 说要 讲要 提过的 说过的")
	nouns      = setOf(" 的打算 的计划 的想法 的念头 的心思 的意向")
	companions = setOf(" 朋友 对象 家人 室友 同学 闺蜜 同事 兄弟 老公 老婆 媳妇 男朋友 女朋友 男友 女友 爸妈 我妈 我爸 孩子 老伴 姐妹 哥们 发小 几个朋友 他们 她 他 群友 小伙伴 爱人 家里人 我妹 我姐 我哥 我弟 妹妹 姐姐 哥哥 弟弟 女儿 儿子 闺女")
	jointly    = setOf(" 一起去 一起 一块儿 一块 合伙 结伴 组队")
)

// aims reports whether what follows a word for a wish is a plan even without a time.
func aims(w, what string) bool {
	if strings.HasSuffix(w, "去") && !strings.HasPrefix(what, "去") {
		what = "去" + what
	}
	what = strings.TrimSpace(what)
	switch {
	case lasting.begin(what):
		return true
	case smallAims.begin(what) || trivialPlan(what):
		return false
	case strings.HasPrefix(what, "去") || strings.HasPrefix(what, "到") || strings.HasPrefix(what, "回"):
		return journeys.in(what) && runes(what) > 3
	}
	_, size := utf8.DecodeRuneInString(what)
	return counted.begin(what[size:]) && runes(what) > 3
}

var settledCues = unionOf(settled, nouns, timely, planLabels, setOf(" 不可"))

// settledPlan reads 我决定了，考研 and 今年的小目标：考研.
func (r planReader) settledPlan(c *clause) bool {
	was := r.settled
	r.settled = false
	if !was && !settledCues.in(c.text) {
		return false
	}
	r.settled = c.subject != "" && settled.ends(c.text) != ""
	if i := strings.IndexAny(c.text, "：:"); i > 0 {
		head, what := c.text[:i], strings.TrimPrefix(strings.TrimPrefix(c.text[i:], "："), ":")
		if planLabels.ends(strings.TrimSpace(head)) != "" {
			return r.intends(c, "目标：", what)
		}
	}
	if what, ok := strings.CutPrefix(c.rest, "非"); ok { // 今年非考研不可
		if what, ok := strings.CutSuffix(particles.cutEnds(what), "不可"); ok && (c.explicit || c.lead != "") {
			return r.intends(c, "非要", what)
		}
	}
	if what, ok := strings.CutPrefix(c.rest, "目标"); ok && !c.explicit && (aims("", what) || planVerbs.begin(what)) { // 目标考研，冲
		return r.intends(c, "目标", what)
	}
	if before, what, ok := strings.Cut(c.rest, "有"); ok && c.near(before) {
		if what, w, after := nouns.find(what); w != "" && particles.cutEnds(after) == "" && !negative(before) { // 最近有考研的打算
			return r.intends(c, "打算", what)
		}
	}
	if lead, what, ok := strings.Cut(c.rest, "就"); ok && timely.begin(lead) && !done(what) && (c.subject == r.speaker || c.explicit) && !strings.HasSuffix(c.text, "了") { // 等发工资了就买车
		return r.intends(c, "", what)
	}
	if !was || c.explicit && c.subject != r.subject || strings.HasSuffix(c.text, "了") && !strings.HasPrefix(c.rest, "把") {
		return false
	}
	what := c.rest
	if aims("", what) || planVerbs.begin(what) && !trivialPlan(what) && !smallAims.begin(what) && runes(what) < 11 {
		return r.intends(c, "", what)
	}
	return false
}

// planVerbs begin a plan that follows a decision.
var planVerbs = setOf(" 组个 转岗 申请 竞选 应聘 赴 游 请年假 翻新 翻修 粉刷 修 扩 合伙 承包 种植 试管 相亲 钩 织 跳槽 考研 考 学 买 去 换 开 做 办 跑 戒 减 养 装 写 拍 参加 组 搬 回 租 爬 坐 盘 割 拔 种 练 报 整 搞 辞职 结婚 生 带 给 把 出国 存 攒 留学 读 自驾 旅 环 骑 徒步 登 潜 滑 录 拿证 备考 备孕 创业 裸辞 转行 移民 -做完 -换个 -给你 -去吧 -去你 -回家 -开会 -学习 -买了 -写完 -带你 -读完 -换个工作 -报警 -考虑 -回复 -给我 -给他 -去不去 -生气")

// afterTime removes a time from the start of a plan: 打算天暖和了买车.
func afterTime(what string) string {
	for _, end := range [...]string{"了", "以后", "之后", "后", "的时候", "那天"} {
		if lead, rest, ok := strings.Cut(what, end); ok && runes(lead) > 1 && runes(lead) < 7 && (aims("", rest) || planVerbs.begin(rest) && runes(rest) > 1) && !planVerbs.begin(lead) && !strings.HasPrefix(lead, "把") {
			return rest
		}
	}
	return what
}

// done reports whether a text begins with a verb and 了: 毕业就当了老师.
func done(what string) bool {
	_, size := utf8.DecodeRuneInString(what)
	_, next := utf8.DecodeRuneInString(what[size:])
	return strings.HasPrefix(what[size:], "了") || strings.HasPrefix(what[size+next:], "了")
}

func negative(before string) bool { return negators.ends(degreesEnd(before)) != "" }

// alone removes the people with whom somebody intends to do something: 和朋友一起考研.
func (r planReader) alone(what string) string {
	rest, ok := cutAny(what, []string{"和", "跟", "同", "约上", "约", "拉上"})
	if !ok {
		return what
	}
	if id, name := r.names.prefix(rest); name != "" || id != "" {
		rest = rest[len(name):]
	} else if who, ok := companions.cut(rest); ok {
		rest = who
	} else {
		return what
	}
	return strings.TrimSpace(jointly.cutAll(rest))
}
