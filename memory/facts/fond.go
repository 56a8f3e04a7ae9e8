package facts

import (
	"strings"
)

// Frames for what somebody likes, whose object may be any text.
var (
	fondCues  = setOf(" 把 给的 爱好 兴趣 坑 圈 ： : 对 一天不 一天没 一日不 几天不 几天没 三天不 两天不 一周不 一顿不 每天不 无 谁再 还得是 非 可爱 好 拒绝 只要有 除了 是我最 我最")
	fondness  = setOf(" 的爱 的热爱 的喜欢 的喜爱 的兴趣 的热情 的感情 的执念 的新鲜感 的瘾 的好感 的痴迷 的热度 的感觉")
	vanishing = setOf(" 消失 没了 没有了 淡了 变淡 退了 退去 消退 减退 散了 耗尽 用完 磨没 磨光 冷了 冷却 过去了 过去 死了 停了 归零 清零 不在了 不见了 无影无踪 殆尽 到头 结束 戛然而止 止步 说没就没 越来越淡 荡然无存")
	lacking   = setOf(" 一天不 一天没有 一天没 一日不 几天不 几天没 三天不 两天不 一周不 一顿不 每天不")
	needing   = setOf(" 浑身 心里 手就 嘴就 我就 就 我都 都 会 我")
	suffering = setOf(" 难受 不行 不舒服 心慌 浑身 睡不着 手痒 没精神 活不 不自在 不得劲 想得慌 不踏实 没劲 发慌 受不了 会死 会疯 嘴馋 少了点什么")
	again     = setOf(" 谁再跟我提 谁再和我提 谁再给我推 谁再给我 谁再跟我安利 谁再安利 谁再推荐 谁再提 谁再说 谁再叫我吃 谁再叫我 谁再让我 谁再约我 谁再让我碰")
	threats   = setOf(" 我跟谁急 我就跟谁急 跟谁急 我拉黑 我就拉黑 拉黑 我跟他绝交 绝交 友尽 我就翻脸 翻脸 我打 我骂 我就打 我就骂 我退群 退群 我揍")
	bestIs    = setOf(" 要说爱好 说到爱好 爱好嘛 唯一的爱好 最大的爱好 说起爱好 我的爱好 喜欢什么 最喜欢什么 最爱什么 爱好什么 最喜欢的 最爱的 最爱吃的 最爱喝的 最爱玩的 最爱看的 最喜欢吃的 最喜欢玩的 最喜欢看的 喜欢的东西 最上头的 最馋的")
	isBest    = setOf(" 那肯定是 那必须是 那当然是 那绝对是 那就是 那还得是 那还是 那非 那得是 那必然是 肯定是 必须是 当然是 绝对是 还得是 还是 就是 非 当属 莫过于 得是 要数 首推 是")
)

// fond reads frames such as 我对香菜的爱已经消失了, 一天不喝奶茶就难受 and 无辣不欢.
func (r tasteReader) fond(c *clause) bool {
	text := c.before + c.rest
	if r.favors {
		r.favors = false
		if what, ok := isBest.cut(c.text); ok && !c.explicit || ok && c.thing { // 要说最喜欢的，那肯定是香菜
			what, _ = cutEndAny(particles.cutEnds(what), []string{"莫属", "无疑"})
			r.object = likeable(what)
			return r.add(r.subject, Likes, r.object, false)
		}
	}
	if c.subject == r.speaker && strings.Contains(c.text, "我") && r.mine(c) {
		return true
	}
	for _, m := range r.mentions(r.clauseText) { // 香菜是小王的最爱
		if m.self || m.at == 0 || !favorites.begin(r.clauseText[m.end:]) {
			continue
		}
		if head, is := cutEndAny(strings.TrimSpace(r.clauseText[:m.at]), []string{"一直是", "永远是", "就是", "可是", "是"}); is {
			r.object = r.left(c, head)
			return r.object != "" && r.add(m.id, Likes, r.object, false)
		}
	}
	if r.favors = r.object == "" && bestIs.ends(strings.TrimSpace(text)) != "" && c.subject != ""; r.favors {
		return true
	}
	if !fondCues.in(text) {
		return false
	}
	if i := strings.IndexAny(c.text, "：:"); i > 0 {
		head, what := c.text[:i], strings.TrimPrefix(strings.TrimPrefix(c.text[i:], "："), ":")
		if likeLabels.ends(strings.TrimSpace(head)) != "" { // 最近的新爱好：香菜
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if pit, w, after := pits.find(text); w != "" && (light(pit) || c.near(pit)) { // 入了香菜的坑
		if what, w, _ := pitEnds.find(after); w != "" {
			return r.taste(c, Likes, likeable(what), leavesPit.in(text))
		}
	}
	if _, what, ok := strings.Cut(text, "对"); ok { // 我对香菜的爱已经消失了
		if what, w, after := fondness.find(what); w != "" && vanishing.in(after) {
			return r.taste(c, Likes, likeable(what), true)
		}
	}
	if _, w, after := lacking.find(c.text); w != "" { // 一天不喝奶茶就难受
		if what, w, after := needing.find(after); w != "" && suffering.in(after) {
			what, _ = cutAny(what, []string{"吃", "喝", "碰", "玩"})
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if before, what, ok := strings.Cut(text, "把"); ok && (light(before) || c.near(before)) { // 我把香菜当命
		if what, w, _ := treasured.find(what); w != "" {
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if what, ok := strings.CutSuffix(particles.cutEnds(text)+"的", "给的"); ok { // 我的快乐全是香菜给的
		if _, w, what := givers.find(what); w != "" {
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if what, ok := cutAny(c.text, []string{"爱好", "兴趣"}); ok && !c.explicit && runes(what) > 1 && runes(what) < 7 && thing(what) && !strings.HasPrefix(what, "者") { // 爱好钓鱼
		return r.taste(c, Likes, likeable(what), false)
	}
	if _, after, ok := strings.Cut(text, "无"); ok { // 无辣不欢
		if what, end := cutEndAny(particles.cutEnds(after), []string{"不欢", "不活", "不可"}); end && runes(what) < 7 {
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if rest, ok := cutAny(strings.TrimLeft(c.rest, "她他"), []string{"可爱"}); ok && c.explicit && strings.HasSuffix(c.rest, "了") { // 她可爱香菜了
		if what := strings.TrimSuffix(rest, "了"); runes(what) > 1 && !cute.begin(what) {
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if rest, ok := strings.CutPrefix(c.rest, "好"); ok && c.explicit && strings.HasSuffix(strings.TrimSuffix(c.text, c.rest), "就") { // 我就好香菜这一口
		if what := likeable(rightTails.cutEnds(particles.cutEnds(rest))); runes(what) > 1 && !notGood.begin(rest) {
			return r.taste(c, Likes, what, false)
		}
		if this.is(particles.cutEnds(rest)) && r.object != "" { // 他就好这个
			return r.taste(c, Likes, r.object, false)
		}
	}
	if rest, ok := strings.CutPrefix(c.rest, "不好"); ok && (c.explicit || strings.Contains(rest, "这口") || strings.Contains(rest, "这一口")) && strings.HasSuffix(c.rest, "了") { // 我早就不好香菜了
		if what := likeable(rightTails.cutEnds(particles.cutEnds(rest))); runes(what) > 1 && !notGood.begin(rest) {
			return r.taste(c, Likes, what, true)
		}
	}
	if rest, ok := cutAny(c.rest, []string{"还得是"}); ok && c.subject != "" && c.before == "" && !c.explicit {
		if v := likeable(rest); runes(v) > 1 && runes(v) < 7 && r.names.Meant(v) == "" && !strings.Contains(v, "的") {
			r.object = v
		}
	}
	return false
}

var (
	charmsMe = setOf(" 是我的新欢 是我的新宠 是我的解药 是我的动力 是我的精神食粮 是我的精神寄托 是我的快乐 是我的解压神器 让我快乐 让我开心 让我幸福 令我着迷 治愈我 治愈了我 更让我快乐 更让我开心 戳我 戳中我 戳到我 击中我 打动我 深得我心 甚得我心 合我口味 对我胃口 对我的胃口 是我的菜 硬控我 治好了我 拯救了我 是我的命 是我的心头好 是我的快乐源泉 是我的本命 是我的真爱 是我最爱的 是我最喜欢的 是我的续命 拿捏了我 拿捏住我 捏住了我 让我上瘾 让我上头 让我着迷 让我停不下来 让我欲罢不能 把我迷住 把我迷")
	boresMe  = setOf(" 吸引不了我 吸引不到我 不再吸引我 打动不了我 满足不了我 伤透我的心 伤透了我的心 让我失望 提不起我的兴趣 提不起我兴趣 勾不起我 引不起我 入不了我 配不上我 让我没感觉 让我腻了 不配我")
	repelsMe = setOf(" 勿cue我 别cue我 别艾特我 勿扰我 给我钱都不要 倒贴钱都不要 白给都不要 白给我都不要 送我都不要 白送我都不要 给我我都不要 离我远点 离我远一点 不是我的菜 不是我的茶 是我最讨厌的 是我最不喜欢的 是我最烦的 是我的噩梦 是我的雷点 是我的雷 跟我无缘 和我无缘 与我无缘 不适合我 要我的命 要我命 劝退我 让我想吐 让我恶心 让我反胃 让我头疼 让我头大 跟我犯冲 和我犯冲 跟我八字不合 和我八字不合")
)

// favorites follow the person whose favorite something is.
var favorites = setOf(" 的最爱 的心头好 的命根子 的命 的本命 的真爱 的心头肉 的快乐源泉 最爱的 最喜欢的 最爱吃的 最爱玩的 最爱喝的 的心头爱")

// mine reads what a thing does to the speaker: 香菜真的戳我, 香菜已经吸引不了我了.
func (r tasteReader) mine(c *clause) bool {
	if before, w, _ := repelsMe.find(c.text); w != "" {
		return r.taste(c, Dislikes, r.objectOr(c, before), false)
	}
	if before, w, _ := boresMe.find(c.text); w != "" {
		return r.taste(c, Likes, r.objectOr(c, before), true)
	}
	if before, w, _ := charmsMe.find(c.text); w != "" && negators.ends(degreesEnd(before)) == "" {
		return r.taste(c, Likes, r.objectOr(c, before), false)
	}
	return false
}

// objectOr returns the object on the left of a word, or that of a clause before.
func (r tasteReader) objectOr(c *clause, before string) string {
	if object := r.left(c, before); object != "" && !noObject.in(object) {
		return object
	}
	return r.object
}

// notGood words follow 好 as an adjective or adverb.
var notGood = setOf(" 好 像 比 吃 看 听 玩 奇 办 说 意思 多 久 几 想 喜欢 爱 难 烦 了 的 啊 呀 吧 啦 过 受 用 使 写 做 学 走 找 笑 哭 心 人 事 运 评 友 转 感 处 在 歹 气 委屈 无聊 困 累 饿 冷 热 惨 穷 怕")

var (
	likeLabels = setOf(" 爱好 新爱好 兴趣 最爱 心头好 本命 快乐源泉 真爱 新欢 新宠 续命神器 兴趣爱好 最近的爱好 解压神器")
	pits       = setOf(" 入了 入 掉进了 掉进 掉 跌进 陷进 陷入 栽进 跳进 从 爬出了 爬出 走出 跳出 退出 退了 退 -退休 -退役 -从此 -从来 -从小 -入职")
	pitEnds    = setOf(" 的坑 的大坑 大坑 圈 坑")
	leavesPit  = setOf(" 从 爬出 走出 跳出 退")
)

var (
	treasured = setOf(" 当命 当宝 当饭吃 当信仰 当本命 当命根子 当成命 当精神支柱 当精神食粮 看得比命重")
	givers    = setOf(" 快乐全是 快乐都是 快乐是 幸福全是 幸福都是 快乐全靠 多巴胺全是 多巴胺都是")
)

// cute words follow 可爱 as an adjective.
var cute = setOf(" 死 到 极 多 得 的 啊 呀 吧 吗 爆 炸 惨 坏 太 很 好 啦 哭 又 一点 起来 程度")

// threatened reads 谁再跟我提香菜我跟谁急, which looks like a question.
func (r tasteReader) threatened(c string) bool {
	rest, ok := again.cut(c)
	if !ok {
		return false
	}
	if what, w, _ := threats.find(rest); w != "" {
		if what = likeable(strings.TrimSuffix(what, "我")); what != "" && !noObject.in(what) {
			r.object = what
			return r.add(r.speaker, Dislikes, what, false)
		}
		return false
	}
	r.object = likeable(rest)
	return true
}
