package facts

import (
	"strings"
)

var (
	// settling words stand before the place where somebody lives.
	settling = setOf(" 坐标已更新为 坐标更新为 坐标更新到 坐标变成 ip变成 ip变 IP变成 ip变成了 坐标变更为 挪去 挪来 现定居于 现定居 现居住于 现居于 现住于 -搁置 -搁浅 -搁哪 坐标是 坐标在 定位在 定位是 现居地是 现居住地 常住地是 所在地是 住上了 住上 落户于 安顿在 安顿到 栖身 客居 迁徙到 举家搬到 举家迁到 举家搬迁到 举家搬迁 落叶归根回 暂居 暂住 寄居 常居 久居 侨居 定在了 挪到 挪窝到 -回老家过 留在了 留在 搬迁到 迁移到 搬迁至 迁至 搬至 回老家 住在了 住在 住到了 住到 住进了 住进 住回 住 搬到了 搬到 搬去了 搬去 搬来了 搬来 搬回了 搬回 搬进了 搬进 搬家到了 搬家到 搬家去了 搬家去 搬家来 搬往 搬 迁到 迁去 迁往 迁居 迁回 定居在 定居到 定居于 定居 落户到 落户在 落户 移居 移民到 移民去 移民 坐标 现居 现居地 现住 常住 常驻 长居 长住 旅居 base在 base base: Base 人在 人就在 人现在在 人已经在 人到了 家在 家就在 家住 家安在 把家安在 把家搬到 安家在 安家 新家在 新家 扎根在 扎根 落脚在 落脚 租在 租到 买在 漂在 漂到 嫁到 嫁去 窝在 蹲在 待在 呆在 猫在 户口落在 户口迁到 生活在 现在在 一直在 回流到 回流 投奔 调到了 调到 调去了 调去 调来 调回 派到了 派到 派去 派驻 外派到 外派去 外派 转到 转去 分到 分配到 发配到 换到 转战 逃离到 润到 润去 润 跑到 杀回 杀到 回到 迁户口到 落了户 长期在 以后就在 以后在 -搬砖 -搬运 -搬东西 -住院 -住校 -住宿 -搬家公司 -搬起 -搬走 -搬不 -居住证 -调到了一 -转到群 -回到家 -跑到了 -跑到楼 -分到了 -搬空 -搬出 -搬完 -转去 -润物 -润色 -滋润 -利润")
	// strongSettling words let the place be one that cities do not have.
	strongSettling = setOf(" 迁到 迁去 迁至 安顿在 落脚在 租在 现住 暂住 常居 举家搬到 举家迁到 住在了 住在 住到了 住到 搬到了 搬到 搬去了 搬去 搬来了 搬来 搬回了 搬回 搬家到了 搬家到 搬家去了 搬家去 定居在 定居到 定居于 定居 落户到 落户在 落户 移居 移民到 移民去 移民 坐标 现居 家在 家住 安家在 把家安在 把家搬到 新家在 扎根在 嫁到")
	// reaching words stand before a place, and need a word for living after it.
	reaching = setOf(" 搬 挪 搁 嫁 在 到了 到 来了 来 去了 去 回了 回 跑 奔 赴 飞 来到 来到了 前往 抵达 留在 留 入驻 转 调 派 换 漂 待 呆")
	// dwelling words tell of living somewhere.
	dwelling = setOf(" 置了房 置了业 安营扎寨 立住脚 站住脚 过呢 投奔 落了脚 扎了根 有家了 有房了 有了家 有窝 居民 长住 常住 定居 安家 安了家 落户 落了户 生活 租房 租了 租的 租着 租个 租住 租到 租好 合租 房租 买了房 买房 买了套 买的房 买了个房 置业 置办 常驻 落脚 安顿 扎根 住 居住 过日子 发展 打拼 闯荡 闯 漂 养老 待了 待着 待下 呆了 呆着 呆下 待 呆 上大学 读大学 念大学 读书 念书 上学 求学 读研 读博 考研上岸 工作 上班 打工 实习 户口 站稳 扎下 搬 新家 新房 房子 小窝 当北漂 安居 落地生根 讨生活 谋生 混日子 定下来 稳定下来 租客 常待 人 新市民 -住院 -住校 -住宿费 -打工人 -工作日 -工作群 -上班族 -住口 -住手 -住嘴 -人多 -人好 -人太 -人真 -人挺 -人家 -人民 -人均 -人说 -人都 -人的 -人吃 -人不 -记住 -忍不住 -顶不住 -受不住 -憋不住 -绷不住 -拦住 -抓住 -堵住 -困住 -卡住 -挡住 -停住 -待会 -待遇 -待机 -呆萌 -呆子 -发呆 -工作压 -漂亮 -漂流 -搬砖 -一个人 -本地人 -两个人 -男人 -女人 -老人 -工人 -客人 -家人")
	// travel words tell of a visit.
	travel     = setOf(" 出差 旅游 旅行 玩 逛 开会 培训 考试 面试 看病 路过 转机 中转 机票 高铁票 火车票 航班 演唱会 音乐节 看展 漫展 度假 打卡 景点 攻略 天气 堵车 疫情 回来 团建 比赛 展会 几天 两天 三天 一趟 一日游 周末去 接人 参加 见客户 吃顿 特产 酒店 民宿 宾馆 过年 过节 探亲 热搜 球队 队 新闻 住院 住一晚 住两晚 住一宿 住几天 住两天 住一天 住了一晚 -玩家 -新家 -玩具 -排队 -队友")
	notYet     = setOf(" -不走 -不出去 -不回去 -不动 -不挪窝 -不打算走 -不折腾 -不漂 -不是 想 想去 想搬 想回 不想 打算 准备 考虑 计划 向往 要不要 能 如果 好想 羡慕 以后想 梦想 希望 将来 以后要 还没 没有 没 不 不会 别 不能 不敢 犹豫 -还没适应 -不适应 -没适应 -不容易 -不错 -不远 -没多久 -没几天 -不久 -没想到 -能量 -不算 -不大 -没啥 -不贵 -不太 -没什么 -不过 -不知不觉 -没对象 -不了解 -没毛病 -不认识 -没暖气 -不习惯 -没习惯 -没朋友 -还不 -受不了 -离不开 -能歇 -能见 -不用 -忍不了 -想到 -想起 -不愧 -没在本地 -不在本地 -早不在 -已经不在 -没多 -差不多 -不到")
	moveNews   = setOf(" 住址换 地址换 换地址 换住处 地址改 搬家 搬完家 搬了家 搬了新家 乔迁 搬新家 换城市 换了城市 换了个城市 换地方 搬过来 搬过去 搬走 搬好 挪窝 落户 租好房 房子租好 租房合同 房子找好 租到房 新居 新家")
	here       = setOf(" 这儿 这里 这边 这 那儿 那里 那边 那 当地")
	origins    = setOf(" 从 离开了 离开 告别了 告别 逃离了 逃离 不在 没在 早不在 退出 不住 不住在 撤出 从老家")
	placeTails = setOf(" 这边来住 这边住 那边住 来住 去住 住下来 住下 住着 来着 去着 过来 过去 来了 去了 这边 那边 这里 那里 附近 来 去 住 长住 定居 常住 安家 生活 落脚 发展 租房 上班 工作 了 啦 呢 市区 多年 好久")
)

// place reads 我搬到成都了, 我在北京租房 and 坐标上海.
func (r placeReader) place(c *clause) bool {
	text := c.rest
	if c.before != "" && cities.in(c.before) { // 成都我住了三年
		text = c.before + c.rest
	}
	city, before, after := "", "", ""
	for from := 0; ; { // the last one that is no origin
		b, w, a := cities.find(text[from:])
		if w == "" {
			break
		}
		at := from + len(b)
		if end := cityEnd(w, a); end > 0 {
			w, a = text[at:at+len(w)+end], a[end:]
		}
		from = len(text) - len(a)
		if origins.ends(text[:at]) != "" {
			if leaves := origins.ends(text[:at]); strings.HasPrefix(leaves, "离开") || strings.HasPrefix(leaves, "告别") || strings.HasPrefix(leaves, "逃离") || leaves == "从" && (left.in(a) || onward.begin(a) && strings.HasSuffix(c.text, "了")) {
				r.moving = true
				r.arrived = arriving.begin(a)
			} else if leaves == "从" && arriving.begin(a) {
				r.moving, r.arrived = true, true
			} else if c.explicit && (leaves == "不在" || leaves == "早不在" || strings.HasPrefix(leaves, "不住")) {
				r.moving = true
				r.claim(c, Place, w, true)
			}
			continue
		}
		city, before, after = w, text[:at], a
	}
	if r.arrived && city != "" && runes(before) < 3 && strings.HasPrefix(after, "的") { // 刚从北京搬过来，成都的菜便宜
		r.arrived = false
		return r.add(r.subject, Place, city, false)
	}
	if city == "" {
		for _, drift := range [...][2]string{{"北漂", "北京"}, {"沪漂", "上海"}, {"深漂", "深圳"}, {"杭漂", "杭州"}, {"广漂", "广州"}} {
			if lead, after, ok := strings.Cut(c.rest, drift[0]); ok && plainLead(becoming.cutAll(lead)) && !strings.HasPrefix(after, "过") && !notYet.in(lead) && (c.explicit || strings.Contains(after, "年") || strings.HasPrefix(after, "中")) {
				return r.claim(c, Place, drift[1], false)
			}
		}
		return r.openPlace(c)
	}
	lives := r.livesAt(c, city, before, after)
	if !lives {
		r.city = city
		return false
	}
	r.city = ""
	return r.claim(c, Place, city, false)
}

// cityEnd returns the length of a part of a city that follows its name: 成都 + 高新区.
func cityEnd(city, after string) int {
	if w, _ := cities.begins(after); w != "" {
		return 0
	}
	if strings.HasPrefix(after, "市") && !strings.HasPrefix(after, "市区") && !strings.HasPrefix(after, "市中心") && !strings.HasPrefix(after, "市里") {
		return len("市")
	}
	return 0
}

// livesAt reports whether a clause says that its subject lives in a city.
func (r placeReader) livesAt(c *clause, city, before, after string) bool {
	before = regions.cutEnds(cities.cutEnds(before)) // 住在广东深圳
	lead := degreesEnd(strings.TrimRight(before, " ：:的"))
	if w := settling.ends(lead); w != "" {
		head := lead[:len(lead)-len(w)]
		if !notYet.in(head) && !travel.in(after) && !(strings.HasPrefix(after, "的") && runes(after) > 2) {
			return c.explicit || plainLead(head) || (strings.HasPrefix(w, "搬") || strings.HasPrefix(w, "迁") || strings.HasPrefix(w, "定居")) && (purposes.in(head) || homes.in(head) && runes(head) < 10) && !strangers.in(head)
		}
		return false
	}
	if notYet.in(before) || notYet.in(after) || travel.in(after) || travel.in(before) {
		return false
	}
	w := reaching.ends(lead)
	head := strings.TrimSuffix(lead, w)
	rest := strings.TrimSpace(particles.cutEnds(after))
	for _, tail := range [...]string{"去", "来", "这边", "那边", "这里", "这儿", "市区", "那", "这"} {
		rest = strings.TrimSpace(particles.cutEnds(strings.TrimSuffix(rest, tail)))
	}
	switch {
	case lead == "" && rest == "" && c.explicit && strings.HasSuffix(strings.TrimSuffix(c.text, c.rest), "现在"): // 小王现在成都
		return true
	case lead == "" && rest == "" && c.explicit && (strings.HasPrefix(after, "这边") || strings.HasPrefix(after, "这儿") || strings.HasPrefix(after, "的")): // 我成都这边
		return true
	case (w == "" || copula.ends(lead) != "") && citizen.begin(after): // 我现在算成都居民了
		return c.explicit || plainLead(head)
	case (w == "在" || w == "搁") && rest == "" && (c.explicit || lately.in(c.lead)) && plainLead(head): // 我在成都
		return !c.past
	case (w == "搬" || w == "挪") && (strings.HasPrefix(after, "来") || strings.HasPrefix(after, "去") || particles.cutEnds(after) == "" && after != ""): // 卖了北京的房子搬成都来了
		return c.explicit || !strangers.in(head) && !kin.in(head)
	case w == "嫁" && (strings.HasPrefix(after, "去") || strings.HasPrefix(after, "了")):
		return true
	case c.explicit && rest == "" && hereIs.is(lead): // 我这儿是成都
		return true
	case lead == "是" && strings.HasPrefix(after, "的") && rest == "" && c.explicit: // 小王是天津的
		return true
	case w != "" && rest == "" && r.moving: // 搬家了，到成都了
		return true
	case w != "" && rest == "" && strings.HasPrefix(head, "毕业"): // 毕业就来杭州了
		return true
	case strings.HasPrefix(w, "回") && rest == "" && c.explicit && c.subject != r.speaker && strings.HasSuffix(c.text, "了"): // 小王回武汉了
		return true
	case w != "" || lead == "" || strings.HasSuffix(lead, "以后就是") || strings.HasSuffix(lead, "半个") || strings.HasSuffix(lead, "新") || strings.HasSuffix(lead, "是"):
		back := strings.HasPrefix(w, "回") || strings.HasPrefix(w, "来") || strings.HasPrefix(w, "到") || strings.HasPrefix(w, "去")
		b, verb, a := dwelling.find(after)
		if verb == "人" { // 以后就是成都人了
			return b == "" && strings.HasPrefix(a, "了") && (r.moving || strings.Contains(c.lead+c.text, "以后") || strings.Contains(c.lead+c.text, "已经") || strings.Contains(c.lead+c.text, "如今") || strings.Contains(c.lead+c.text, "现在") || strings.Contains(c.text, "新") || strings.Contains(c.text, "半个"))
		}
		if verb != "" && runes(b) <= 8 && !strings.HasPrefix(a, "过") && !questions.in(after) && !strings.HasPrefix(a, "压力") && !strings.HasPrefix(a, "成本") && !strings.Contains(b, "的") {
			return c.explicit && (w != "" || lead == "") && runes(head) <= 10 || plainLead(head) || r.moving
		}
		if w == "在" && c.explicit && strings.HasPrefix(after, "了") {
			return true
		}
		if years := strings.HasSuffix(rest, "年") || strings.HasSuffix(rest, "个月") || strings.HasSuffix(rest, "年多"); years && back || w == "在" && years {
			return true
		}
		return false
	}
	if strings.HasPrefix(after, "漂") && !strings.HasPrefix(after, "漂亮") || strings.HasPrefix(after, "打工人") || strings.HasPrefix(after, "定居") || strings.HasPrefix(after, "落户") {
		return plainLead(head)
	}
	return false
}

var (
	purposes = setOf(" 上学 读书 读研 读博 工作 结婚 孩子 对象 老公 老婆 生意 家庭 发展 养老 毕业 房租 考研 离婚 上班 换 辞职 离职 创业 退休 嫁 爸妈 照顾")
	hereIs   = setOf(" 这儿是 这边是 这里是 这是 现在这边是")
	onward   = setOf(" 跑 搬 来 去 回 润 转 调 换 逃 -来说 -来看")
	arriving = setOf(" 搬过来 搬来了 搬来的 搬到这 搬来这 过来定居 过来的 搬过来了")
	homes    = setOf(" 房子 老窝 我家 俺家 全家 家当 老家")
	citizen  = setOf(" 居民 市民 户口 本地居民 新市民 常住人口 永居 -户口本")
	lately   = setOf(" 现在 目前 一直 这两年 这几年 这些年 常年 长期 如今 眼下")
	left     = setOf(" 跑 搬 来了 去了 回了 来到 润 转 调 换 逃")
)

var regions = setOf(" 东北 华北 华东 华南 华中 西北 西南 江南 苏北 苏南 省 珠三角 长三角 老家")

// plainLead reports whether what precedes a verb is no other subject.
func plainLead(head string) bool {
	head = strings.TrimSpace(head)
	for before := ""; before != head; {
		before = head
		head = future.cutAll(degrees.cutAll(fillers.cutAll(head)))
	}
	if head == "" {
		return true
	}
	if conjunction.begin(head) || strings.HasPrefix(head, "带") || strings.HasPrefix(head, "被") || strings.HasPrefix(head, "陪") || strings.HasPrefix(head, "因") || strings.HasPrefix(head, "为") || strings.HasPrefix(head, "从") || strings.HasPrefix(head, "花") || strings.HasPrefix(head, "把家") || strings.HasPrefix(head, "跟着") || strings.HasPrefix(head, "随") || strings.HasPrefix(head, "一家人") || strings.HasPrefix(head, "一大家子") || strings.HasPrefix(head, "全家") {
		return true
	}
	if strings.HasSuffix(head, "一家") || strings.HasSuffix(head, "全家") || adverbials.ends(head) != "" && runes(head) < 9 {
		return true
	}
	return runes(head) <= 6 && !kin.in(head) && !strangers.in(head) && (strings.HasSuffix(head, "我") || strings.HasSuffix(head, "了") || strings.HasPrefix(head, "人") || strings.HasPrefix(head, "家") || strings.HasPrefix(head, "搬") || strings.HasPrefix(head, "租") || strings.HasPrefix(head, "毕业") || strings.HasPrefix(head, "调") || strings.HasPrefix(head, "跳槽"))
}

// openPlace reads places that cities do not have, and those of the clause before.
func (r placeReader) openPlace(c *clause) bool {
	if moveNews.in(c.text) {
		r.moving = true
	}
	before, w, after := strongSettling.find(c.rest)
	if w != "" && c.near(before) && !notYet.in(before) {
		v := after
		for again := true; again; {
			v = strings.TrimSpace(particles.cutEnds(v))
			v, again = placeTails.cutEnd(v)
		}
		v = value(v, 9)
		_, verb, _ := dwelling.find(v)
		if v = strings.TrimSpace(v); v != "" && runes(v) > 1 && verb == "" && !notHome.begin(v) && !notHome.in(v) && !travel.in(v) && !fillers.begin(v) && !conjunction.in(v) && !strings.ContainsAny(v, "的了就也里在") {
			return r.claim(c, Place, v, false)
		}
	}
	if r.city == "" {
		return false
	}
	if _, w, after := dwelling.find(c.rest); w != "" && w != "人" && !notYet.in(c.rest) && (here.in(c.rest) || strings.Contains(c.rest, "房") || strings.Contains(c.rest, "住") || strings.Contains(c.rest, "搬") || w == "定居" || w == "长住") && (!strings.HasPrefix(after, "过") || strings.HasPrefix(after, "过来") || strings.HasPrefix(after, "过去")) {
		city := r.city
		r.city = ""
		return r.claim(c, Place, city, false)
	}
	return false
}

func isPlace(s string) bool {
	if cities.is(s) {
		return true
	}
	return placeEnds.ends(s) != "" && runes(s) > 2
}
