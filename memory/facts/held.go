package facts

import (
	"strings"
)

// Cues that something is over. They are weaker than those of the other rules, because they count only beside a value that holds:
// 想考研的念头没了 ends the plan 考研 of somebody who has it.
var (
	overLikes = setOf(" 腻 厌 戒 退坑 退圈 退游 弃 脱粉 脱坑 够了 再见 拜拜 告别 卸载 卸了 下头 无感 祛魅 淡了 过劲 过了 过去式 吐了 毕业 断了 放下 放弃 倦 讨厌 无聊 凉了 冷了 醒了 清醒 分手 缘分 累了 伤了 没兴趣 没感觉 没意思 没劲 没热情 没反应 没动力 没瘾 没了 没有了 不香 不爱 不喜欢 不迷 不追 不碰 不玩 不吃 不看 不听 不喝 不想 不感兴趣 不再 不沉迷 不稀罕 不好这口 不上头 提不起 翻篇 从良 收手 消失 消退 出来了 爬出来 吃灰 落灰 转手 出掉 取关 爬墙 移情 变心 免疫 没吸引力 没以前 看淡 戒断 回不去 结束 到头 封坑 没那么 一般般 平平无奇 索然无味 脱离" +
		" -不腻 -吃不腻 -玩不腻 -看不腻 -听不腻 -喝不腻 -都不腻 -不厌 -离不开 -停不下来 -不会腻 -舍不得 -戒不掉 -戒不了 -放不下 -忍不住 -没够 -不够 -不能没有 -不再犹豫 -百吃不厌 -百看不厌 -百听不厌 -百玩不厌 -不会放弃 -不放弃 -绝不放弃 -永远不会 -永不 -没有了就 -没了就 -没有了会 -没了会 -不爱别的 -不喜欢别的 -不看别的 -不玩别的 -不吃别的 -没那么多 -过了一把 -不想停 -不想走 -不想睡 -不想上班 -不想干活 -不想学习 -不想写 -没了你 -没了它 -没毕业 -大学毕业 -毕业后 -没吃够 -没玩够 -没看够 -没听够 -戒过 -没累")
	overPlans = setOf(" 算了 取消 黄了 黄掉 泡汤 放弃 没戏 推迟 延期 延后 改主意 改变主意 变卦 作罢 作废 搁置 搁浅 搁一边 搁下 放一放 没成 不成了 没法 吹了 反悔 怂了 认怂 退了 退票 鸽了 咕了 寄了 不弄 不搞 不去 不办 不整 不折腾 不打算 不准备 不考虑 不想 不再 不了了之 没下文 再说吧 以后再说 缓缓 缓一缓 去不了 去不成 搞不成 办不成 做不成 没钱 没时间 没了 没有了 打消 死心 断了 夭折 流产 凉了 撤回 往后放 往后推 拉倒 打住 劝退 无望 停了 终止 中止 暂停 不现实 条件不允许 没批 不批 请不到假 家里不同意 反对 搞砸 来不及 没影 -没时间观念 -不想拖 -不想等 -不去不行 -不打算拖 -放弃一切 -算了算 -没法不 -没问题 -没钱也 -没时间也 -没了退路 -不考虑别的 -不再犹豫 -不再拖 -不想再拖 -没法拒绝 -取消了游戏 -不反对 -没反对 -取消了年假")
	overPets  = setOf(" 死 走了 没了 没有了 不在了 送人 送走 送养 送给 送回 送到 去世 过世 离世 离开 丢了 跑丢 走丢 飞走 跑了 不见 找不到 找不回 喵星 汪星 星星 天使 彩虹桥 天堂 埋 火化 葬 没救 没抢救 没挺 没熬 没撑 没留住 没扛 安乐 病逝 夭折 领养走 抱走 接走 领走 带走 拿走 卖 转让 转手 过继 退养 寄养 别人养 不养 没养 养不了 养不起 给别人 给了 新主人 找了人家 好人家 告别 永别 放生 咽气 闭眼 被偷 被车 寿终 老死 生前 -走了过来 -走了一圈 -跑了一 -给了我 -死皮赖脸 -死活 -笑死 -气死 -累死 -烦死 -可爱死 -吓死 -爱死 -睡死 -馋死 -懒死 -丑死 -困死 -急死 -萌死 -吵死 -怕死 -埋头 -埋汰 -不见外 -不养生 -卖萌 -卖相 -外卖 -买卖 -没有了解 -埋屎 -埋猫砂 -送到医院 -送去医院 -带走散步 -不在家 -走了两步 -给了个 -给了一")
	overJobs  = setOf(" 离职 辞 离开 走人 走了 裁 不干 不做 不待 不在 没在 倒闭 再见 拜拜 告别 毕业 炒 开除 开了我 把我开 退休 退下来 跑路 滚蛋 最后一天 没关系 关系了 扔了 失业 下岗 交接 解约 优化 撤了 溜了 出来了 没续 不续 到期 苦海 脱离 逃离 黄了 散了 解散 劝退 淘汰 清退 裸辞 n+1 N+1 不伺候 缘分 -不在乎 -不在意 -不做梦 -不辞 -没辞 -想辞 -要辞 -裁判 -裁缝 -炒菜 -炒股 -走了一 -离职率 -不离开 -不做人 -不在话下 -不在家 -不干不净 -没裁 -不会裁 -会被裁 -大学毕业")
	overLoves = setOf(" 分了 分手 分开 分的 散 掰 离了 离婚 断了 断干净 吹了 黄了 甩 踹 绿 结束 前任 前男友 前女友 前夫 前妻 没关系 不要我 不爱 完了 不处 不好了 不谈 不过了 缘 各走各 各过各 闹掰 闹崩 不在一起 没在一起 没走到 拜拜 再见 到此为止 走不下去 过不下去 处不下去 单身 一个人 陌路 拉黑 提分手 成不了 没成 不合适 合不来 -分开睡 -分开住 -没分 -不会分 -不分手 -不离婚 -没离 -缘分到了 -有缘 -姻缘 -散步 -散会 -分手后又 -不要我管 -不合适的话")
	overAny   = unionOf(overLikes, overPlans, overPets, overJobs, overLoves)
)

// endings returns the cues for the end of a value.
func endings(r Relation) *wordSet {
	switch r {
	case Likes:
		return overLikes
	case Plan:
		return overPlans
	case Pet:
		return overPets
	case Job:
		return overJobs
	case Partner:
		return overLoves
	}
	return nil
}

// endHeld ends what the speaker has, if a clause says that it is over.
func (r *reader) endHeld(c *clause) {
	clause, text := r.clauseText, r.text
	if r.heldBy == nil || !overAny.in(clause) {
		return
	}
	if c.subject != r.speaker && !(c.subject == "" && (c.thing || !c.explicit)) {
		return
	}
	if r.held == nil {
		if r.held = r.heldBy(); r.held == nil {
			r.held = []Fact{}
		}
	}
	for i := range r.held {
		f := &r.held[i]
		cues := endings(f.Relation)
		if cues == nil || !cues.in(clause) || len(f.Value) < len("猫") || !mentioned(clause, text, f) {
			continue
		}
		if f.Relation == Likes && (negatedWish.in(clause) || loving.in(text) && !overLikes.in(clause)) {
			continue
		}
		r.add(r.speaker, f.Relation, f.Value, true)
	}
}

// mentioned reports whether a clause, or the message before a short clause, names the value of a fact.
func mentioned(clause, text string, f *Fact) bool {
	value := f.Value
	if f.Relation == Pet && runes(value) > 2 && !strings.Contains(text, value) { // 橘猫, and then 猫
		value = string([]rune(value)[runes(value)-1:])
	}
	return strings.Contains(clause, value) || runes(clause) < 12 && strings.Contains(text, value)
}

// negatedWish words keep what somebody likes: 没有香菜我活不下去.
var negatedWish = setOf(" 活不下去 活不了 不能没有 离不开 怎么活 咋活 没法活 会死 就难受 浑身难受 睡不着 死也不 打死也不 绝不 怎么可能不 谁能不")
