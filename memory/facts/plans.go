package facts

import (
	"strings"
)

// intentions begin a plan. weak ones need a time in the future or a decision.
var (
	intentions = setOf(" 备战 -备战状态 -小说好 -传说好 -听说好 心心念念要 心心念念想 报名参加 已经报名 报名 -报名表 -报名费 -报名时间 -报名截止 -报名链接 -报名人数 -报名的 -报名入口 有个计划是 计划就是 我的计划是 小目标是 小目标： 小目标: 小目标就是 今年的目标是 目标定为 目标定了： 拿定主意要 拿定主意 合计好了 盘算好了 核计着 筹划着 惦记上 打定主意要 打定主意 正儿八经准备 已经开始准备 着手准备 志在 说什么也要 无论如何要 死活要 flag： flag: FLAG： 的flag 嚷嚷着要 吵着要 嚷着要 闹着要 喊着要 惦记着要 想着要 忙着准备 在考虑 在计划 在准备 正在准备 正在计划 在打算 在筹备 在筹划 在盘算 在琢磨 在攒钱 在忙活 在规划 考虑着 考虑 打算着 打算要 打算 准备好要 准备要 准备着 准备 计划着 计划是 计划要 计划 决定要 决定了要 决定 想好了要 想好要 盘算着 盘算 琢磨着 琢磨 寻思着 寻思 合计着 合计 惦记着 预备 筹备着 筹备 筹划 规划着 规划 谋划着 下定决心要 下定决心 下决心要 下决心 立志要 立志 发誓要 发誓 定了要 铁了心要 铁了心 一心想 目标就是 目标是 目标： 目标: 新目标是 flag是 立flag要 立个flag 立flag 心愿是 愿望是 愿望就是 新计划是 报名了 报了名要 约好了要 约好要 约好了 约好 约了 说好了要 说好要 说好 商量好了要 商量好要 商量着 商量好 商量 张罗着 张罗 攒钱要 攒着钱 忙活 忙着 已经在准备 开始准备 着手 动身 争取 正打算 想着 是要 要准备 下一步是 下一步就是 提上日程 -考虑到 -没准备 -准备好了 -准备好 -计划生育 -计划赶不上 -准备工作 -考虑考虑 -准备了 -决定权 -不打算 -打算盘 -约好友 -在忙着 -打算啥 -争取早日")
	weak       = setOf(" 必须 非要 非得 真要 -真要是 -非要是 要去 要 想要 想去 想 会去 会 去 就 该 得 -要是 -要么 -要不 -要求 -要紧 -要命 -重要 -主要 -需要 -不要 -只要 -要死 -要疯 -快要 -想起 -想到 -想想 -想法 -想象 -想哭 -想死 -想你 -想吐 -想笑 -不想 -感想 -幻想 -回想 -想知道 -想问 -想说 -想看看 -想必 -去年 -去世 -过去 -出去 -失去 -回去 -机会 -开会 -一会 -会儿 -会员 -会议 -社会 -约会 -聚会 -会计 -就是 -就行 -就好 -就算 -成就 -就业 -就像 -应该 -该死 -觉得 -得了 -记得 -懂得 -值得 -获得 -得到 -不得 -舍得 -显得 -省得 -免得 -活该")
	decisions  = setOf(" 已经安排 安排好了 安排上 说定了 今年就搞 走起 搞起 整起 开整 开搞 拿定主意 打定主意 有个计划 有个想法 有个打算 年底之前 已经在做功课 在做功课 做功课 查攻略 钱都攒好了 钱攒够 存够钱 攒够钱 谁也别拦我 谁也别拦 别拦我 不拖了 认真的 这回是认真的 说到做到 这次来真的 来真的 立字为据 请监督 求监督 立下flag 姐妹一起 兄弟一起 有没有一起 有没有人一起 宝子一起 下决心 下了决心 什么建议 求推荐 求攻略 有一起的 有人一起 做个伴 结伴 组队 等忙完 等我忙完 忙完这 过完年 等这阵 等这个 等有时间 等放假 等孩子 等退休 立个帖 立帖 立贴 决定了 想好了 定了 商量好了 考虑好了 想通了 下定决心 铁了心 立flag 立个flag flag 立帖为证 新计划 年度计划 目标 计划 攒钱 请好假 请了假 票买好 机票买 票都买 报了名 说干就干 不犹豫了 冲了 拼了 豁出去 提上日程 -保定了 -一定了 -稳定了 -固定了 -肯定了 -否定了 -搞定了 -绑定了 -预定了")
	// stopped words call a plan off.
	stopped  = setOf(" 翻篇 翻篇了 不作数了 flag倒 的flag倒 暂缓 没必要 没必要了 不想了 没那个想法了 没想法了 没心思了 没那心思了 没那个心情了 没动力了 搁下了 寄了 歇菜 打住了 推掉了 叫停 喊停 泡了汤 没谱了 悬了 没指望了 无望 遥遥无期 没了下文 先放放 先缓缓 先搁着 停一停 半途而废 中途放弃 搞砸了 做罢 -悬了一 计划作废 作废 的计划取消 计划取消 取消 泡汤 黄了 黄掉 吹了 告吹 作罢 搁置 搁浅 流产 没戏 没下文 去不成 去不了 不成了 成不了 办不成 搞不成 做不了 没成 没去成 没办成 没批 没批假 没抢到 没钱了 没戏了 不折腾 不搞 不弄 不去 不办 不整 不考虑 先不 不了了之 无限期推迟 推迟 延期 延后 往后推 搁一边 放一边 放一放 缓一缓 缓缓 以后再说 再说吧 改天再说 打消 断了念头 没了念头 念头打消 算了 拉倒 罢了 没指望 夭折 翻车 凉了 胎死腹中 计划有变 计划改变 计划变了 改主意 变卦 反悔 放弃 退了 退票 退费 退钱 撤了 死心 不行了 没机会 没希望 没可能 鸽了 咕了 咕咕 放鸽子 打水漂 告一段落 没影 没影了 不作数 当我没说 怂了 认怂 打退堂鼓 退缩 拔草 打住 免了 终止 中止 停了 不干 -再说一遍 -退了群 -吹了会 -不去了吗 -停了电 -算了算")
	aborting = setOf(" 放弃了 放弃 取消了 取消 推掉了 推掉 推了 搁置了 搁置 退掉了 退掉 打消了 打消 暂停 不再考虑 不考虑 不打算 不准备 不计划 没打算 没准备 没想 不想 不再打算 不再想 不再准备 不再计划 决定不 还是不 先不 暂时不 不能 没法 去不了 没能 不会 不用 不 -不是 -不过 -不错 -不好意思 -不行 -不对 -不懂 -不知 -不喜欢 -不爱 -不养 -不住 -不在 -不和 -不跟 -不同 -不用谢 -不客气 -不见不散 -不管 -不但 -不仅 -不如 -不得 -不敢相信 -不舒服 -不然 -不断 -不久 -不小心 -不想说 -不会吧 -不会是 -差不多 -不可能 -不能忍 -不能接受 -来不及 -不至于 -不用了 -不愧 -不少 -不信 -不服 -不理解 -不明白 -不清楚 -不记得 -不想上班 -不想起 -不想动 -不玩了 -不吃了 -不干了 -不说了 -不聊了 -不看了 -不听了 -不行了")
	// trivial things need no plan.
	trivial = setOf(" 上菜 开饭 迎接 给自己放 放过 从今天 从明天 去趟 换头像 还钱 还款 还债 解放 开工 失业 开学 复工 生病 看看 转转 逛逛 问问 试试 通宵 复习 背书 赶作业 赶论文 赶报告 补作业 补课 值班 值夜班 体检 复诊 打疫苗 面试 早班 交作业 -复习考研 -赶海 -体检中心 写完 写代码 写检讨 早点 早睡 晚点 先 长住 常住 定居 睡 吃饭 吃 洗澡 洗 下班 上班 出门 起床 回家 上课 下课 写作业 好 怎 干 问 说 点外卖 关 收拾 刷 摸鱼 撤 溜 走 加班 打游戏 上线 下线 打卡 开会 开始 就 多 迟到 疯 死 哭 笑 吐 睡觉 休息 躺 躺平 摆烂 再 跟 和 看 听 做饭 叫 拿 取 接 买菜 买杯 买点 喝 点 开黑 上号 见 聊 发 打字 回 交 准备 你 我 他 她 一直 变 下雨 下雪 降温 涨价 过 完 炸 起 到 出发 忙 干活 搬砖 收 等 放弃 取消 辞 累 困 饿 热 冷 被 让 把作业 把饭 -叫醒 -走川藏 -走戈壁 -看极光 -看雪 -看海 -看日出 -看演唱会 -看展 -看漫展 -看话剧 -看牙 -看心理 -看球赛 -做近视 -做手术 -做副业 -做自媒体 -做生意 -做个 -做体检 -做矫正 -换工作 -吃素 -写小说 -写书 -写论文 -写个 -写毕业 -写博客 -开始减肥 -开始健身 -开始学 -开始跑步 -开始备考 -开始戒 -开始存 -开始找工作 -开始存钱 -开始写 -跟团 -和朋友去 -和对象去 -跟我对象去 -给自己 -给家里换 -给爸妈 -出国 -出去旅游 -出书 -出家 -到处旅游 -回老家 -回乡 -回家过年 -回家创业 -回村 -回国 -回学校 -干个副业 -干副业 -干票 -发论文 -点痣 -听演唱会 -变卖 -接爸妈 -接孩子 -接单 -收心 -起诉 -过司法考 -过四级 -过六级 -过英语 -过驾照 -出差 -买房 -睡到 -收养 -走长征 -拿驾照 -拿证 -写完论文 -叫上 -发展副业 -接私活 -洗牙 -打卡所有 -先把 -好好学 -好好减 -好好健 -好好备 -喝中药 -取环 -见家长 -见父母 -再生 -再读 -等 -做直播 -吃素一 -多肉 -点灯 -听写 -聊斋 -再考 -再战 -做医美 -做民宿 -做烘焙 -做个牙 -回去创业 -交社保 -见网友 -见偶像 -出摊 -出门旅游 -辞职 -买车")
)

// planEnd reads 我不打算考研了, 考研取消了 and 我不考研了.
func (r planReader) planEnd(c *clause) bool {
	text := c.before + c.rest
	if before, w, after := stopped.find(text); w != "" && before != "" {
		what := planText(before)
		over := strings.Contains(after, "了") || strings.HasSuffix(w, "了") || !strings.HasPrefix(w, "不") && runes(after) < 6
		if over && what != "" && runes(what) > 1 && !trivialPlan(what) && !noSubject.begin(what) && what != "计划" && what != "打算" {
			return r.stops(c, what)
		}
	}
	if what, ok := saidPlan.cut(c.rest); ok && (c.past || strings.HasPrefix(c.rest, "上次") || strings.HasPrefix(c.rest, "上回")) && stopped.beginsIn(what) == "" { // 上次说的考研，我反悔了
		r.planned = planText(what)
	}
	if _, w, what := forbidden.find(c.text); w != "" { // 我爸妈不让我考研，算了
		r.planned = planText(what)
	}
	if r.planned != "" && runes(text) < 14 { // 之前说要考研，算了
		if before, w, _ := stopped.find(c.text); w != "" && runes(before) < 7 {
			return r.stops(c, r.planned)
		}
	} else if r.object != "" && runes(text) < 10 { // 别问考公了，放弃了
		if before, w, _ := stopped.find(c.text); w != "" && runes(before) < 5 {
			r.stops(c, planText(r.object))
		}
	}
	if noun, verb, ok := strings.Cut(text, "不"); ok && runes(noun) > 1 && runes(noun) < 7 && runes(verb) == 2 && strings.HasSuffix(verb, "了") { // 驾照不考了
		r.stops(c, strings.TrimSuffix(verb, "了")+planText(noun))
	}
	before, w, after := aborting.find(c.rest)
	if w == "" || !c.near(before) && !strings.HasSuffix(before, "还是") && !strings.HasSuffix(before, "决定") && !strings.HasSuffix(before, "就") {
		return false
	}
	clear := len(w) > len("不") && w != "不会" && w != "不能" && w != "没法" && w != "不用" && w != "没想"
	done := strings.HasSuffix(particles.cutEnds(c.rest)+"了", c.rest) || strings.HasSuffix(c.rest, "了") || strings.HasSuffix(c.rest, "啦") || strings.HasSuffix(c.rest, "咯") || strings.HasSuffix(strings.TrimRight(c.rest, "吧"), "了")
	if !clear && !done || w == "没想" && !done || w == "不想" && !done {
		return false
	}
	what := planText(intentions.cutAll(strings.TrimPrefix(strings.TrimPrefix(after, "了"), "要")))
	if _, own := setOfOthers.begins(what); own > 0 || setOfOthers.begin(what) && !clear || runes(what) < 2 || trivialPlan(what) || isRole(cleanRole(what)) {
		return false
	}
	return r.stops(c, what)
}

// setOfOthers begin what other rules read after 不.
var setOfOthers = setOf(" 感冒 来电 痴迷 喜欢 爱 再 养 住 在 干 玩了 行 对 好 和 跟 是 吃 喝 看 听 追 粉 迷 碰 感兴趣 上班 工作 谈 单身 想 知道 用 要 会 能 算 够 太 怎么 那么 像 如 见 稀罕 上头 沉迷 觉得 认识 管 说 聊 折腾 着急 急 理 装傻 困 饿 累 疼 痛 难受 香 馋")

// noSubject begin texts that are no plans.
var noSubject = setOf(" 工作 计划 计划有变 有变 项目 下次 事情 行程 会 flag 会议 课 今天的课 比赛 活动 订单 外卖 快递 航班 演唱会门票 这个 那个 节目 直播 你 他 她 它 老板 公司 学校 天")

// stops adds the end of a plan.
func (r planReader) stops(c *clause, what string) bool {
	subject := c.subject
	if subject == "" && !c.explicit {
		subject = r.speaker
	}
	r.object = what
	return subject != "" && r.add(subject, Plan, what, true)
}

// planText cleans a plan that was called off.
func planText(v string) string {
	for again := true; again; {
		v = strings.TrimSpace(v)
		v, again = planHeads.cut(v)
	}
	for again := true; again; {
		v = strings.TrimSpace(particles.cutEnds(v))
		v, again = planTails.cutEnd(v)
	}
	v = strings.TrimSpace(v)
	if runes(v) > 18 {
		return ""
	}
	return v
}

var (
	planHeads = setOf(" 我 想了想 之前说要 之前说 之前打算 之前想 之前计划 原计划 原本要 原本打算 原定 本来要 本来打算 本来想 本来说要 本来 说好的 说好要 说好 说要 说 打算 准备 计划 想要 想 要 去年说要 年初说要 上次说要 上次说的 之前 还是 关于 至于 对于 原来 原先 以前想 心心念念的 所谓的 已经 正式 决定 宣布 也 都 就 暂时 可能 应该 估计 真的 唉 哎 算了 好吧 行吧 下个月 下周 年底 国庆 明年 今年 周末 暑假 不 跟大家说一声 通知一下 -说唱 -说相声 -要饭 -想想办法")
	planTails = setOf(" 的计划 这个计划 计划 的事儿 的事 这事儿 这事 这件事 的事情 这个事 的打算 的想法 这想法 的念头 这念头 的心思 的心 的安排 的行程 的活动 这个念头 这个想法 我 我是 我不 我还是不 我还是 我先 也 都 是 又 已经 可能 估计 怕是 恐怕 看来 应该 只能 只好 算是 就 还是 先 暂时 真的 彻底 又双叒叕 这块 那边 不 给 被 被我 我给 我们 咱 咱们 要 得 怕 是真的 目前 现在 的 了 着 这 那")
)

// plan reads 我打算考研 and 下周我要去云南玩.
func (r planReader) plan(c *clause) bool {
	if particles.ends(c.text) == "吧" && proposing.in(c.text) { // 我们一起去爬山吧
		return false
	}
	if r.settledPlan(c) {
		return true
	}
	if !c.explicit && institutions.begin(c.rest) { // 村里计划修路
		return false
	}
	if c.future && !c.explicit && strings.HasSuffix(strings.TrimSpace(c.lead), "必须") && (aims("", c.rest) || planVerbs.begin(c.rest)) { // 下个月必须考研
		return r.intends(c, "", c.rest)
	}
	if rest := r.alone(c.rest); rest != c.rest { // 和朋友约好了考研
		own := *c
		own.rest = rest
		c = &own
	}
	before, w, what := intentions.find(c.rest)
	if w != "" && (c.near(before) || plainPlan(before)) && !(strings.HasPrefix(what, "过") && !timely.begin(what) && !future.begin(what)) && !(w == "计划是" && future.begin(what)) {
		if neg := negators.ends(degreesEnd(before)); neg != "" {
			return false
		}
		return r.intends(c, w, what)
	}
	before, w, what = weak.find(c.rest)
	other := c.explicit && c.subject != r.speaker && (strings.HasPrefix(w, "要") || strings.HasPrefix(w, "想") || w == "真要" || w == "非要")
	intent := c.future || r.decided || c.reported || other || future.begin(what) || w != "" && (c.explicit || c.stressed || future.begin(what)) && aims(w, future.cutAll(what))
	for _, soon := range [...]string{"等", "趁", "完", "后"} { // 等忙完这阵我就考研
		if strings.Contains(c.before, soon) && strings.Contains(strings.TrimSuffix(c.text, c.rest), "就") {
			return r.intends(c, "", c.rest)
		}
	}
	rest := c.rest
	switch {
	case (w == "去" || w == "就") && strings.HasSuffix(strings.TrimRight(c.text, "呢啊呀哦吧啦哈"), "了") && !r.decided: // 毕业后就去腾讯了
		return false
	case c.past && w != "" && c.near(before) && !intent: // 之前说要考研，算了
		if strings.HasSuffix(w, "去") {
			what = "去" + what
		}
	case strings.Contains(strings.TrimSuffix(planTail(what)+"了", "了"), "了") && len(w) <= len("想要"): // 周末去杭州玩了两天
		return false
	case w == "必须" && !aims(w, what):
		return false
	case w != "" && !c.explicit && !r.decided && soon.in(c.lead) && !aims(w, what), w == "去" && c.explicit && c.subject == r.speaker && !r.decided && soon.in(strings.TrimSuffix(c.text, c.rest)) && !aims(w, what): // 今晚要写作业
		return false
	case w != "" && (light(before) || plainPlan(before)) && intent && (c.explicit || c.future || r.decided || (c.stressed || future.begin(what)) && aims(w, future.cutAll(what))):
		if w == "去" || w == "要去" || w == "想去" || w == "会去" {
			what = "去" + what
		}
		if (w == "会" || w == "就" || w == "该" || w == "得") && !c.explicit {
			return false
		}
	case c.future && (r.decided || c.reported) && (before == rest || !c.near(before)): // 商量好了，过阵子考研
		before, w, what = "", "", rest
	case c.explicit && c.future && w == "" && lasting.begin(c.rest): // 小王下个月结婚
		what = c.rest
	case c.explicit && strings.HasPrefix(w, "要") && c.near(before): // 我说我要考研，后来没办成
		if v := planTail(what); !trivialPlan(v) && runes(v) < 16 {
			r.planned = v
		}
		return false
	default:
		return false
	}
	if calling.in(what) {
		return false
	}
	if negators.ends(degreesEnd(before)) != "" {
		return false
	}
	return r.intends(c, w, what)
}

// lasting verbs begin what is a plan even without a time: 我想学吉他.
var lasting = setOf(" 请年假去 换套 开早餐 开个早餐 换份工作 爬泰山 爬 拔牙 拔智齿 拔 割 盘下 盘个 坐邮轮 跑全马 跑半程 跑马 办展 办展览 办婚礼 拍婚纱 种牙 植发 带爸妈 带家人 带孩子去 带娃去 给爸妈 给老妈 给老爸 给家里 自己做 自己写 自己开 自己装 做独立 做副业 做自媒体 盖房 盖 翻修 翻新 搬家 瘦 练字 练琴 练车 学车 学开 写论文集 换房 换城市 环球 环岛 支教 参军 当兵 相亲 转行 转专业 考证 办签证 生娃 生孩子 要孩子 备婚 订婚 领证 把阳台 把房子 把老家 把车 把头发 录节目 录歌 出专辑 开直播 开公众号 开网店 开民宿 开咖啡 开奶茶 做个独立 攀岩证 骑车去 骑行去 徒步去 坐火车去 -爬楼 -爬起来 -爬山去了 -拔草 -盖被 -割草 -搬家公司 -割韭菜 -割肉 开始健身 开始减肥 开始学 开始跑步 开始备考 开始戒 开始存钱 健身 生二胎 结婚 备孕 备考 买相机 开一家 开家 钩 织 出一本 出本 出书 学 考 报 减肥 减二 减十 减掉 减个 戒 装修 申请 创业 读研 读博 读在职 组一 组台 组个 纹 染 整个 整容 整牙 参加 换台 换辆 换个手机 换手机 换电脑 换车 换工作 办张 办个 练 跑马拉松 跑个 跑半马 搞个副业 搞副业 开店 开个 摆摊 写个 写本 写书 写小说 写技术 拍套 拍个 种 攒钱 存钱 留学 出国 移民 搬去 搬到 回老家 自驾 徒步 环游 骑行 养只 养条 买房 买车 买台 买辆 领养 做手术 做近视 打耳洞 矫正 -学校 -学长 -学姐 -学生 -考虑 -报警 -报复 -报销 -报到 -练级 -种草 -学你 -学他 -学她 -考你 -报名表 -报告")

// plainPlan reports whether no other subject stands before a word for an intention.
func plainPlan(before string) bool {
	before = strings.TrimSpace(before)
	return !kin.in(before) && !strangers.in(before) && runes(before) < 8 && (adverbials.ends(before) != "" || strings.HasSuffix(before, "里") || strings.HasSuffix(before, "了") || strings.HasSuffix(before, "的") || conjunction.begin(before) && !selfWords.in(before))
}

// intends adds a plan.
func (r planReader) intends(c *clause, w, what string) bool {
	if timely.begin(what) { // 打算过完这个月就考研
		if _, next, ok := strings.Cut(what, "就"); ok {
			what = next
		}
	}
	what = afterTime(r.alone(what))
	if (strings.HasPrefix(w, "惦记") || strings.HasPrefix(w, "琢磨") || strings.HasPrefix(w, "忙")) && !aims("", what) && !planVerbs.begin(what) {
		return false
	}
	for again := true; again; {
		what = strings.TrimLeft(what, " ：:")
		if what, again = future.cut(what); !again {
			what, again = planLeads.cut(what)
		}
	}
	if w == "" && loving.begin(what) {
		return false
	}
	what = planTail(what)
	if verb, ok := strings.CutPrefix(what, "去"); ok && w == "" && lasting.begin(verb) {
		what = verb // 就去学吉他
	}
	if reporting.in(what) && strings.HasPrefix(what, "去") || strings.HasPrefix(what, "去") && (r.aboutJob && isFirm(firmName(strings.TrimPrefix(what, "去")))) { // 去腾讯报到
		return false
	}
	if trivialPlan(what) || smallAims.begin(what) || errands.is(strings.TrimPrefix(what, "去")) || strings.Contains(what, "的又") || strings.HasSuffix(strings.TrimSpace(c.lead), "又") {
		return len(w) > len("要") // nothing to remember, and no other rule applies
	}
	v := strings.TrimSpace(what)
	if runes(v) < 2 || runes(v) > 16 || noPlan.begin(v) || strings.HasPrefix(v, "的") {
		return false
	}
	if c.past || strings.Contains(c.text, "之前说") {
		r.planned = v
		return false
	}
	r.planned = v
	return r.claim(c, Plan, v, false)
}

// proposing stands in what somebody proposes to others.
var proposing = setOf(" 我们 咱们 咱 一起 一块 一块儿")

// institutions have plans that are not those of the speaker.
var institutions = setOf(" 村里 群里 学校 公司 官方 国家 厂里 店里 社区 小区 单位 班里 镇上 县里 市里 政府 学院 学校里 公司里 系里 院里 组里 部门 物业 策划 老家那边 楼里 平台 剧组 球队 俱乐部")

// errands are no plans: 有空去看看.
var errands = setOf(" 一起去 看看 转转 逛逛 问问 试试 走走 吃 买 取 拿 看 玩 玩玩 办 弄 找 一趟 一下 那 那边 瞧瞧 瞅瞅")

var reporting = setOf(" 报到 入职 上班 出差 开会 面试 体检 复查")

var (
	planLeads = setOf(" 就 先 要 自己 也 一个人 我 正式 认真 好好 努力 抽空 抽时间 找时间 跟大家一起 重新 再次 一定要 一定 必须 真的要 真的 去报名 想 着手 着 了 请假 偷偷 也要 开始着手 老老实实 慢慢 狠狠 -开始 -在职考研 -好好学习 -重新装修 -重新考 -要饭 -想象 -自己创业 -自己开店 -自己组 -自己装 -自己做 -一个人去 -一个人旅 -再次考 -先把 -慢慢学 -也门 -我的世界 -在家办 -在老家 -在县城 -在网上 -了解")
	planEnds  = setOf(" 好久了 好久 很久了 很久 好几年了 好几年 的事 这事 这件事 的事儿 呢 了 啦 啊 呀 哈 吧 哦 嘛 来着 的 去了 这样 什么的 咯 喽")
)

// calling words ask people who have a plan.
var calling = setOf(" 的人 的记得 的举手 的报名 的签到 的同学 的朋友 的都 的来 的加 的私 的快 的可以 的扣 的+1 的话 的宝 的姐妹 的兄弟 的一起")

// noPlan begins texts that are no plans.
var noPlan = setOf(" 失败 成功 完成 书 表格 周五 周一 寻思 琢磨 合计 想想 长期养 养着 养它 今天 今晚 现在 等会 一会 待会 马上 先 早点 立刻 立马 惊喜 礼物 晚饭 年货 材料 答辩 简历 作废 取消 泡汤 的 了 你 他 她 它 这 那 谁 是 不 没 也 都 得 吗 死 有 很 太 着 过来 起来 啊 吧 考试 早起 交 期末 周末")

// forbidden words tell that others are against a plan.
var forbidden = setOf(" 不让我 不许我 不准我 反对我 不同意我 不支持我 不让俺")

// complements follow a verb, so that 了 is no part of a plan.
var complements = setOf(" 上 掉 好 完 出去 到 成 起来 过来 回来 干净 一下")

// planTail cuts what follows a plan.
func planTail(v string) string {
	if strings.HasPrefix(v, "把") && strings.HasSuffix(v, "了") && complements.ends(strings.TrimSuffix(v, "了")) == "" { // 把阳台封了
		return v
	}
	v = planEnds.cutEnds(particles.cutEnds(v))
	for _, after := range [...]string{"我要", "有没有", "求", "有人", "一起吗", "有一起"} {
		if i := strings.Index(v, after); i > 0 {
			v = v[:i]
		}
	}
	return strings.TrimSpace(v)
}

func trivialPlan(what string) bool { w, _ := trivial.begins(what); return w != "" }
