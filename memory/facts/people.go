package facts

import (
	"strings"
)

var (
	lovers      = setOf(" 老伴 老伴儿 -前男友 -前女友 -前对象 -前夫 -前妻 -前任 新对象 新女友 新男友 新男朋友 新女朋友 家那位 那位 意中人 女朋友 男朋友 女友 男友 对象 老婆 老公 媳妇 媳妇儿 爱人 未婚妻 未婚夫 那口子 另一半 女票 男票 妻子 丈夫 先生 太太 爱妻 内人 心上人 恋人 情侣 小女友 小男友 现任 新欢 男盆友 女盆友 cp CP 的人")
	roommates   = setOf(" 同屋的 同寝的 同宿舍的 同寝室的 隔壁床的 对床的 上铺的 下铺的 睡我上铺的 睡我下铺的 住我隔壁的 新室友是 合租室友是 隔壁床 对床 室友 舍友 合租室友 同屋 寝室长 上铺 下铺 合租的 合租对象 合租搭子 合租伙伴 室友之一 新室友")
	together    = setOf(" 搭伙过 搭伙过日子 办了喜事 办喜事 办了事 办了酒 锁了 锁死 办的婚礼 办了喜酒 一块儿了 搁一块 搁一起 看对眼 看对眼了 找着对象 找到对象 有主了 把证扯了 把证领了 把证办了 扯了结婚证 金婚 银婚 大半辈子 半辈子 过了一辈子 嫁给我 娶我 喜结连理 订了亲 下了聘 提亲 彩礼都 白头 处得挺好 -有主了意 奔现 奔现成功 两口子 夫妻 真情侣 男女朋友 喜结良缘 新婚 百年好合 结婚证 永结同心 情侣 摆酒 摆了酒 成亲 完婚 成婚 私定终身 处朋友 相亲成功 结了婚 领完证 领过证 谈着恋爱 谈起了恋爱 谈起恋爱 发展成恋人 成为恋人 成了恋人 成为情侣 变成情侣 天生一对 小两口 老夫老妻 恋人 修成正果了 定了亲 过门 -情侣装 -情侣头像 -情侣座 -情侣套餐 -情侣网名 -情侣酒店 -新婚快乐 -夫妻肺片 -夫妻店 -奔现翻车 -奔现失败 -恋人未满 有对象 有女朋友 有男朋友 名花有主 手拉手 手牵手 挽着手 搂在一起 表白成功 被我追到手 是一对 成一对 是情侣 成情侣 谈了 谈上了 谈上 在谈 谈着 谈起 处对象 谈对象 处着 处上 处了 在处 搞对象 搞上 在一起 谈恋爱 恋爱 拍拖 交往 结婚 领证 领了证 扯证 扯了证 登记了 办了婚礼 办婚礼 办酒 订婚 订了婚 定亲 好上了 好了 好上 走到一起 走到了一起 确定关系 确定了关系 确立关系 脱单 牵手 牵了手 复合 和好了 官宣 成了 结为夫妻 成家 见家长 见了家长 两情相悦 互相表白 秀恩爱 过日子 闪婚 奉子成婚 修成正果 -谈了个合 -谈了一下 -谈了下 -谈了点 -谈了笔 -谈了工作 -谈了价 -谈了谈 -好了吗 -处处 -说好了 -约好了 -商量好了 -谈好了 -定好了 -讲好了 -和好了 -成了朋友 -成了同事 -成了邻居 -成了室友")
	sharing     = setOf(" 搭伴 -搭伙过 一间 住进来 搬进来 住我家 住我这 住我那 住我旁边 住我屋 一张床 一个床 蹭住 搭伙 -一间店 -一间房子卖 -一间铺 租了个 租了一个 租了一套 租了套 租了间 租了一间 租房 租的房 租在一起 合租的 住隔壁 住对门 住对面 挤一间 挤一个 挤一屋 同一屋檐 一个屋檐 室友关系 当室友 做室友 成室友 成了室友 凑一块租 一起搬 AA房租 房租AA 平分房租 平摊水电 水电平摊 水电AA -租了个车 -租了一个车 -租了辆 合住 隔壁屋 隔壁床 上铺 下铺 对床 合租 合着租 一起租 一块租 一块儿租 拼租 搭伙住 一起住 一块住 一块儿住 住一起 住一块 住一块儿 住在一起 住在一块 住到一起 住一间 住一屋 住一个 住同一 住一套 同住 同居 一个宿舍 一个寝室 一个寝 一间宿舍 同宿舍 同寝 同屋 同一个宿舍 同一间 同一个寝 一个屋 一屋 一间屋 分到一 分在一 宿舍 次卧 主卧 隔壁间 上下铺 对铺 房租平摊 分摊房租 房租对半 平摊房租 室友 舍友 -宿舍楼下")
	courting    = setOf(" 表白 告白 迎娶 追求 嫁 追到了 追到手了 追到 追上了 追上 娶了 娶 嫁给了 嫁给 嫁了 拿下了 拿下 泡到了 泡到 牵手了 牵手 被我追到 答应了 搞定了 搞定 跟 和")
	accepting   = setOf(" 答应嫁给我 愿意嫁给我 同意嫁给我 答应娶我 嫁给我了 答应和我在一起 答应跟我在一起 答应我了 答应我的 答应跟我 答应和我 答应做我 接受了我 接受我 终于答应 点头了 成了我的 成我的 被我追到 被我拿下 跟我表白 和我表白 向我求婚 跟我求婚")
	breaking    = setOf(" 没对象了 be了 BE了 又成光棍 光棍了 又打光棍 光棍一条 变回一个人 又变回一个人 完犊子 不处了 不好了 不过了 不联系了 不来往了 没关系了 没有关系了 各过各的 离婚证领了 把离婚证领了 把婚离了 把离婚办了 没感情了 没缘分了 合不来 闹崩 翻脸了 -不好了吗 -没关系了吧 又是一个人了 又一个人了 又成一个人了 又变成一个人了 只剩一个人了 恢复单身 被甩了 过不下去 走不下去 处不下去 谈不下去 过不到一块 缘分已尽 缘分到头 缘份尽 到此为止 一刀两断 恩断义绝 形同陌路 没可能了 没有对象了 没女朋友了 没男朋友了 没老婆了 没老公了 对象没了 女朋友没了 男朋友没了 老婆没了 老公没了 对象跑了 女朋友跑了 男朋友跑了 老婆跑了 对象吹了 对象黄了 对象掰了 对象散了 办了离婚 离婚证 领了离婚 签了离婚 离掉了 离婚手续 分居 提了分手 提分手 说了分手 吹灯 掰掰 散伙 拆伙 拆了 撕了 退婚 婚离了 断开了 翻篇了 -没对象的 -没有对象的 -缘分到了 -离婚率 -离婚协议 -离婚证明怎 -分手厨房 -失恋博物馆 -失恋33天 -失恋三十三天 -单身狗粮 -分手大师 -被甩了一 -拆了个 -拆了快 -撕了个 -单身狗表示 -散伙饭 -没对象啊 没有在一起了 没在一起了 没有在一起 分啦 分咯 掰啦 离啦 吹啦 不再是一家人 不是一家人了 不再是夫妻 不是夫妻了 拉倒 玩完 完蛋 缘分尽 缘尽 分手 分的手 分了手 分了 分开了 分了吧 掰了 离婚 离了婚 离了 吹了 散了 崩了 闹掰 断了 断干净 断绝关系 结束了 黄了 完了 没戏了 不在一起 各走各 一拍两散 回归单身 重回单身 重返单身 变回单身 又单身 单身了 又成单身 成了单身 是单身 单身狗了 恢复自由身 被甩 甩了我 把我甩 我甩了 甩了 被绿 被踹 踹了 前任 前男友 前女友 前对象 前夫 前妻 孤家寡人 失恋 不谈了 谈崩 取消婚约 悔婚 拜拜了 桥归桥 好聚好散 和平分手 不爱我了 -分手费 -分手快乐 -闹分手 -想分手 -要分手 -别分手 -分手文案 -没分手 -不分手 -劝分手 -分手信 -分了组 -离了谱 -离了个 -散了吧 -散了散了 -完了完了 -吹了一 -吹了会 -吹了个 -不想离婚 -想离婚 -要离婚 -没离婚 -不会离婚 -分了个 -笑完了 -吃完了 -分了点 -离婚律师 -离婚冷静期 -分了红")
	conjunction = setOf(" 和 跟 与 同 & 还有 x -和平 -与其 -与众 -同时 -同样 -同学 -同事 -同居 -同住 -同屋 -同宿舍 -同寝 -跟着 -跟风 -和好 -和谐 -和气 -同一")
)

// perceiving words tell how the speaker knows of others.
var perceiving = setOf(" 瞅见 瞧见 撞破 见证 认识 赌 敢说 就说 以为 猜 怀疑 听 看 发现 记得 记着 知道 觉得 感觉 碰见 碰到 撞见 遇见 遇到 刷到 翻到 见过 见到 问了")

// couple reads partners and roommates: 我和小王在一起了, 小王是我对象, 我分手了.
func (r coupleReader) couple(c string) bool {
	if !r.announced && r.waits == "" && !r.over && r.courted == "" && !coupleWords.in(c) {
		for _, m := range r.mentions(c) {
			r.noteName(c, m)
		}
		return false
	}
	all := r.mentions(c)
	if r.pair(c, all) {
		return true
	}
	if len(all) == 1 && !all[0].self && r.waits != "" && strings.TrimSpace(particles.cutEnds(c)) == all[0].name { // 我有女朋友了，小王
		waits := r.waits
		r.waits = ""
		return r.add(waits, Partner, all[0].name, false)
	}
	if r.over && len(all) == 2 && all[0].self && all[0].at == 0 && !all[1].self && conjunction.is(strings.TrimSpace(c[all[0].end:all[1].at])) && strings.TrimSpace(particles.cutEnds(c[all[1].end:])) == "" { // 结束了，我和小王
		return r.add(r.speaker, Partner, "", true)
	}
	r.over = len(all) == 0 && breaking.begin(fillers.cutAll(c)) && runes(c) < 7
	if len(all) == 2 && !all[0].self && all[1].self && lovesNot.is(strings.TrimSpace(particles.cutEnds(c[all[0].end:all[1].at]))) && particles.cutEnds(c[all[1].end:]) == "" { // 小王不要我了
		return r.add(r.speaker, Partner, "", true)
	}
	if head, ok := cutAny(c, []string{"就是", "是", "跟", "和", "对象", "@"}); r.waits != "" && ok && len(all) == 1 && !all[0].self && strings.TrimSpace(particles.cutEnds(head)) == all[0].name { // 我脱单了，是小王
		waits := r.waits
		r.waits = ""
		return r.add(waits, Partner, all[0].name, false)
	}
	for i, m := range all {
		if m.self {
			continue
		}
		r.noteName(c, m)
		if courts.in(c) || asksOut.ends(c[:m.at]) != "" && (strings.Contains(c, "表白") || strings.Contains(c, "告白") || strings.Contains(c, "求婚")) {
			r.courted = m.name
		}
		r.homely = i == 0 && strings.HasSuffix(c[:m.at], "我家") || i == 1 && all[0].self && strings.TrimSpace(c[all[0].end:m.at]) == "家"
		r.praised = r.praised || strings.Contains(c, "恭喜") || strings.Contains(c, "祝")
		if i > 0 && !all[i-1].self && strings.HasSuffix(strings.TrimSpace(c[all[i-1].end:m.at]), "喜欢的人是") { // 小王喜欢的人是李四，两个人在一起了
			r.recent, r.recentWith = all[i-1], m
			break
		}
		if i > 0 && !all[i-1].self && conjunction.is(strings.TrimSpace(c[all[i-1].end:m.at])) {
			r.recent, r.recentWith = all[i-1], m
			break
		}
	}
	switch {
	case r.leaves(c):
		return true
	case past.in(c):
		return false
	}
	return r.isLover(c, all) || r.isWith(c, all) || r.wins(c, all)
}

// coupleWords are all words of the rules for partners and roommates.
var coupleWords = unionOf(setOf(" 不要我了 不爱我了 不理我了 离开我了 是我的了 表白 告白 求婚"), lovers, roommates, together, sharing, accepting, courting, breaking)

// pair reads what a clause says of two people whom the clause before named: 小王答应我了，我们在一起了.
func (r coupleReader) pair(c string, all []mention) bool {
	if r.recent.id == "" || len(all) > 1 || len(all) == 1 && !all[0].self || isQuestion(c) {
		return false
	}
	if len(all) == 0 && r.recentWith.id != "" && (r.praised || surely.in(c)) && together.in(c) && !strings.Contains(c, "没") { // 恭喜小王和李四，今天订婚了
		return r.add(r.recent.id, Partner, r.recentWith.name, false)
	}
	if head := degreesEnd(fillers.cutAll(c)); len(all) == 0 && r.recentWith.id == "" && r.self && (sharing.begin(head) || roommates.begin(head)) && runes(head) < 7 { // 我跟小王住对门，合租的
		return r.add(r.speaker, Roommate, r.recent.name, false)
	}
	if r.courted != "" && len(all) <= 1 && accepted.in(c) { // 小王跟我表白了，我答应了
		name := r.courted
		r.courted = ""
		return r.add(r.speaker, Partner, name, false)
	}
	if r.recent.id != r.speaker && luckyMatch.in(c) && r.homely { // 我家小王又给我煲汤了，嫁对人了
		return r.add(r.speaker, Partner, r.recent.name, false)
	}
	rest, ours := oursWords.cut(fillers.cutAll(c))
	if !ours {
		if rest, ours = theirsWords.cut(fillers.cutAll(c)); !ours || r.recentWith.id == "" {
			return false
		}
	}
	subject, with := r.speaker, r.recent
	if theirsWords.begin(fillers.cutAll(c)) {
		subject, with = r.recent.id, r.recentWith
	}
	switch {
	case sharing.in(rest):
		return r.add(subject, Roommate, with.name, false)
	case together.in(rest) && !strings.Contains(rest, "没"):
		return r.add(subject, Partner, with.name, false)
	}
	return false
}

var (
	surely      = setOf(" 在一起了 是一对 谈上了 领证了 结婚了 订婚了 好上了 官宣了 真成了 在一起 处对象")
	lovesNot    = setOf(" 不要 不爱 离开 不理 抛弃 不喜欢 不想要")
	asksOut     = setOf(" 表白了 告白了 向 跟 追 约 对")
	accepted    = setOf(" 答应了 同意了 接受了 点头了 从了 没拒绝")
	luckyMatch  = setOf(" 嫁对人 娶对人 嫁对了 娶对了 没嫁错 没娶错 嫁给他真 嫁给她真 娶到她 嫁到他 有对象真好 有老公真好 有老婆真好")
	courts      = setOf(" 向我表白 跟我表白 和我表白 对我表白 给我表白 向我告白 跟我告白 向我求婚 跟我求婚")
	oursWords   = setOf(" 我们两个人 我们两个 我们俩 我俩 我们就 我们")
	theirsWords = setOf(" 两个人 小两口 这两个人 这两口子 那俩 他们俩 她们俩 他们两个 他俩 她俩 俩人 两人 这俩 这对 他们")
)

var ownedLover = setOf(" 了 的了 的人了")

// openLovers also mean things that somebody likes, so that they need a known name.
var openLovers = setOf(" 新欢 意中人 心上人 的人 cp CP 情侣 那位 恋人")

// isLover reads 我对象是小王, 小王是我对象 and 我媳妇小王.
func (r coupleReader) isLover(c string, all []mention) bool {
	for _, kind := range [...]struct {
		words    *wordSet
		relation Relation
	}{{lovers, Partner}, {roommates, Roommate}} {
		before, w, after := kind.words.find(c)
		for w != "" && kind.words == lovers && w == "的人" && !strings.HasSuffix(before, "我") {
			w = ""
		}
		if w == "" {
			continue
		}
		before = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(before, " "), "的"), " ")
		before = strings.TrimSuffix(strings.TrimSuffix(before, "现在"), "的")
		owner, left := r.ownerAt(before, all) // whose lover it is
		if left >= 0 {                        // 小王是我对象
			if head, ok := cutEndAny(strings.TrimRight(before[:left], " "), []string{"是", "成了", "成", "当了", "做了", "成为", "成为了", "当", "做"}); ok && !strings.HasPrefix(after, "的") {
				if short, ok := cutEndAny(degreesEnd(head), []string{"肯", "愿意", "答应", "同意", "点头"}); ok { // 小王终于肯当我女朋友了
					head = short
				}
				if name := r.nameEnd(head, all); name != "" && !(openLovers.is(w) && r.names.Meant(name) == "") {
					return r.add(owner, kind.relation, name, false)
				}
			}
		} else if head := degreesEnd(before); head == "" || r.waits != "" || !r.hasMention(all, len(before)) && !kin.in(head) && !strangers.in(head) && runes(head) < 5 { // 对象是小王
			owner = r.subject
			if r.waits != "" {
				owner, r.waits = r.waits, ""
			}
		}
		if left == 0 && particles.cutEnds(after) == "" && r.bare != "" && owner == r.speaker { // 介绍一下 小王 我男朋友
			return r.add(owner, kind.relation, r.bare, false)
		}
		name := r.nameAfter(after, len(c)-len(after), all)
		if openLovers.is(w) && r.names.Meant(name) == "" { // 火锅是我的新欢
			name = ""
		}
		if name != "" && owner != "" && owner != r.names.Meant(name) {
			return r.add(owner, kind.relation, name, false)
		}
	}
	return false
}

// isWith reads 我和小王在一起了 and 跟小王合租.
func (r coupleReader) isWith(c string, all []mention) bool {
	before, w, after := conjunction.find(c)
	if w == "" {
		if len(all) == 2 && all[0].end == all[1].at && !all[0].self && !all[1].self && together.in(c[all[1].end:]) { // 小王李四在一起了
			return r.add(all[0].id, Partner, all[1].name, false)
		}
		return r.apart(c, all)
	}
	left, right := r.subject, strings.TrimLeft(after, " @")
	leftName := ""
	if len(all) > 0 && all[0].end <= len(before) {
		left, leftName = all[0].id, all[0].name
		tail := cutPossessive(before[all[0].end:])
		if isKin(tail) || all[0].self && strings.HasPrefix(tail, "家") || objectOf.ends(before[:all[0].at]) == "听" {
			return false
		}
	} else if head := fillers.cutAll(strings.TrimSpace(before)); strangers.begin(head) || kin.in(head) {
		return false
	} else if r.waits != "" {
		left = r.waits
	}
	name, rest, self := "", "", false
	if _, known := r.names.prefix(right); known != "" {
		name, rest = known, right[len(known):]
	} else if own, ok := selfWords.cut(right); ok {
		if self, rest = true, own; saidOnly.begin(own) { // 小王跟我说想领证
			return false
		}
		if isKin(own) {
			return false
		}
	}
	for _, kind := range [...]struct {
		words    *wordSet
		relation Relation
	}{{sharing, Roommate}, {together, Partner}} {
		switch {
		case self: // 小王和我合租
			if leftName == "" || !kind.words.in(rest) && !(kind.relation == Roommate && strings.HasPrefix(rest, "住")) {
				continue
			}
			return r.add(r.speaker, kind.relation, leftName, false)
		case name != "":
			tail := cutPossessive(rest)
			if isKin(tail) && !lovers.begin(tail) {
				return false
			}
			if head, verb, _ := kind.words.find(rest); verb != "" && (strings.HasSuffix(head, "不") || strings.HasSuffix(head, "没") || strings.HasSuffix(head, "没有") || strings.HasSuffix(head, "别")) {
				return false
			}
			in := kind.words.in(rest) || kind.relation == Roommate && strings.TrimSpace(particles.cutEnds(rest)) == "住" || kind.relation == Roommate && kind.words.in(before) || kind.relation == Partner && (r.waits != "" && r.waits == left || r.announced && particles.cutEnds(strings.TrimSpace(rest)) == "")
			if !in || kind.words == together && sharing.in(rest) {
				continue
			}
			if left != "" && left == r.names.Meant(name) {
				return false
			}
			if r.waits == left {
				r.waits = ""
			}
			return r.add(left, kind.relation, name, false)
		default: // somebody outside the chat
			who, verb, _ := kind.words.find(right)
			if who = personName(degreesEnd(strings.TrimRight(who, "也都正在已经刚 "))); verb != "" && who != "" && !looseTogether.is(verb) && (all != nil || before == "" || len(fillers.cutAll(before)) == 0) {
				return r.add(left, kind.relation, who, false)
			}
		}
	}
	return false
}

// looseTogether words also tell of things: 我和火锅锁死.
var looseTogether = setOf(" 锁死 锁了 成了 好了 好上了 好上 官宣")

var saidOnly = setOf(" 说 讲 提 聊 商量 抱怨 吐槽 打听 问 借 要 比 抢 吵 一样")

// apart remembers who has found a lover, whom the next clause may name: 小王脱单了 跟李四.
func (r coupleReader) apart(c string, all []mention) bool {
	if together.in(c) && len(all) > 0 && !strings.Contains(c, "没") && (!isKin(cutPossessive(c[all[0].end:])) || strings.HasPrefix(c[all[0].end:], "有")) {
		r.waits = all[0].id
	} else if together.in(c) && len(all) == 0 && runes(c) < 8 && !strangers.begin(fillers.cutAll(c)) {
		r.waits = r.subject
	}
	return false
}

var roomSides = setOf(" 隔壁屋 隔壁间 隔壁床 对床 上铺 下铺 对面床 旁边床 邻床 隔壁卧室")

// wins reads 我追到小王了 and 小王答应我了.
func (r coupleReader) wins(c string, all []mention) bool {
	if len(all) == 0 {
		return false
	}
	if accepting.in(c) {
		for _, m := range all {
			if !m.self {
				return r.add(r.speaker, Partner, m.name, false)
			}
		}
	}
	if len(all) == 1 && r.subject != "" && !all[0].self && courting.ends(strings.TrimRight(c[:all[0].at], " ")) != "" {
		if w := courting.ends(strings.TrimRight(c[:all[0].at], " ")); w != "跟" && w != "和" {
			return r.add(r.subject, Partner, all[0].name, false)
		}
	}
	if len(all) > 1 && all[0].self && !all[1].self && roomSides.begin(cutPossessive(c[all[1].end:])) && strings.TrimSpace(degreesEnd(c[all[0].end:all[1].at])) == "睡" { // 我睡小王上铺
		return r.add(r.speaker, Roommate, all[1].name, false)
	}
	if len(all) == 2 && !all[0].self && all[1].self && all[0].at == 0 && strings.TrimSpace(degreesEnd(c[all[0].end:all[1].at])) == "是" && ownedLover.is(particles.cutEnds(c[all[1].end:])+"了") { // 小王是我的了
		return r.add(r.speaker, Partner, all[0].name, false)
	}
	if len(all) > 1 && !all[0].self && all[1].self && roomSides.begin(cutPossessive(c[all[1].end:])) { // 小王睡我隔壁屋
		return r.add(r.speaker, Roommate, all[0].name, false)
	}
	if len(all) > 1 && !all[1].self && strings.HasSuffix(degreesEnd(c[all[0].end:all[1].at]), "把") && courting.begin(c[all[1].end:]) { // 小王把李四追到手了
		return r.add(all[0].id, Partner, all[1].name, false)
	}
	if len(all) > 1 && !all[1].self {
		between := strings.TrimSpace(c[all[0].end:all[1].at])
		between = degreesEnd(between)
		between = fillers.cutAll(between)
		if w := courting.ends(between); w != "" && w != "跟" && w != "和" && runes(between) < 8 {
			return r.add(all[0].id, Partner, all[1].name, false)
		}
	}
	return false
}
