package facts

import (
	"strings"
)

var (
	animals = setOf(" -蒙牛 -折耳根 -猫爬 -马杀鸡 -鱼片 -鱼头 -虾滑 -鸡煲 -鸡公煲 -黄焖鸡 -狗不理 -牛蛙 -羊蝎子 -猪猪侠 -马里奥 -牛腩 -鸭货 -羊绒 -牛皮 -猫王 -猫抓 -鸡排 -鸡米花 -鱼豆腐 -虎牙 -斗鱼TV -喵喵机 猫 狗 犬 兔 鼠 龟 鸟 鹦鹉 鱼 蛇 蜥 蜥蜴 猪 布偶 英短 美短 加菲 蓝猫 蓝白 银渐层 金渐层 柯基 金毛 泰迪 哈士奇 二哈 拉布拉多 拉布 边牧 萨摩耶 萨摩 比熊 博美 贵宾 暹罗 缅因 三花 橘 大橘 狸花 奶牛 玳瑁 折耳 无毛 斯芬克斯 德文 孟买 豹猫 矮脚 柴犬 秋田 阿拉斯加 德牧 牧羊 雪纳瑞 吉娃娃 腊肠 法斗 斗牛 巴哥 松狮 马犬 罗威纳 杜宾 大丹 比格 可卡 西施 京巴 约克夏 马尔济斯 灵缇 古牧 阿富汗 喜乐蒂 卡斯罗 田园 中华田园 土狗 土猫 龙猫 刺猬 蜘蛛 守宫 变色龙 鸭 柯尔鸭 鸡 芦丁鸡 鹅 羊 羊驼 貂 雪貂 蛙 角蛙 螃蟹 寄居蟹 虾 斑点 喵 汪 兔子 猫咪 猫猫 小猫 狗子 狗狗 小狗 修勾 鸭子 鸟儿 鱼儿 鹦哥 小强 玄凤 虎皮 牡丹 牡丹鹦鹉 八哥 鹩哥 文鸟 画眉 百灵 金丝雀 珍珠鸟 鸽子 鸽 相思鸟 和尚 凯克 金刚 仓鼠 金丝熊 豚鼠 荷兰猪 花枝鼠 松鼠 蜜袋鼯 黄金鼠 布丁 垂耳 侏儒兔 乌龟 巴西龟 草龟 陆龟 鳄龟 玉米蛇 球蟒 蟒 鬃狮 鬃狮蜥 豹纹 金鱼 锦鲤 孔雀鱼 斗鱼 热带鱼 龙鱼 六角恐龙 蝾螈 水母 蚂蚁 独角仙 锹甲 甲虫 蚕 蝈蝈 蛐蛐 螳螂 马 小马 矮马 香猪 小香猪 土拨鼠 南美栗鼠 蜗牛 捕鸟蛛 狐狸 浣熊 猫头鹰 鹰 驴 牛 奶猫 奶狗" +
		" -熊猫 -猫腻 -猫粮 -猫咖 -猫砂 -猫条 -猫罐 -猫薄荷 -猫爬架 -猫窝 -猫步 -天猫 -猫眼 -狗粮 -狗头 -狗血 -狗屁 -狗都 -狗窝 -热狗 -走狗 -单身狗 -加班狗 -科研狗 -狗仔 -狗绳 -舔狗 -狗屎 -狗咖 -鼠标 -老鼠屎 -鱼香 -鱼丸 -鱼缸 -鱼粮 -钓鱼 -摸鱼 -鱿鱼 -咸鱼 -酸菜鱼 -烤鱼 -吃鱼 -鱼塘 -章鱼 -鸡蛋 -鸡腿 -鸡翅 -鸡肉 -炸鸡 -吃鸡 -鸡汤 -鸡毛 -鸡娃 -鸡血 -鸡皮 -烧鸡 -烤鸡 -鸭脖 -鸭血 -烤鸭 -鸭肉 -猪肉 -猪脚 -猪蹄 -猪头 -猪队友 -羊肉 -羊毛 -羊了个羊 -烤羊 -牛奶 -牛肉 -牛逼 -牛马 -牛批 -牛油 -牛仔 -牛啊 -吹牛 -蜗牛角 -虾仁 -虾饺 -虾条 -皮皮虾 -小龙虾 -蛇皮 -蛇年 -兔年 -马上 -马路 -马甲 -马来 -马克 -马虎 -马桶 -马拉松 -上马 -人马 -骑马 -罗马 -巴马 -马了 -鹅厂 -企鹅 -企鹅号 -和尚庙 -布丁奶茶 -橘子 -橘色 -金橘 -金刚经 -牡丹江 -牡丹花 -虎皮青椒 -虎皮鸡爪 -贵宾厅 -贵宾卡 -蓝白相间 -斑点啥 -田园风 -田园生活 -汪洋 -蚂蚁花呗 -蚂蚁集团 -斗鱼直播 -飞猪 -菜鸟 -小鸟伏特加 -愤怒的小鸟 -小猪佩奇 -黑马 -木马 -斑马线 -河马 -猫哥 -猫姐 -鱼哥 -狗哥 -无毛病 -牛排 -螃蟹宴 -吃虾 -吃蟹 -三花脸 -奶牛场 -牧羊人 -西施豆腐 -老鹰队 -雄鹰 -驴友 -蚕丝 -蚕豆 -扬马 -盒马 -司马 -鸽了")
	edible  = setOf(" 鸡 鸭 鹅 鱼 虾 螃蟹 猪 羊 牛 蛙 鸽子 鸽 鳄龟 蚕 驴 马")
	petGone = setOf(" 成了小星星 变成小星星 送乡下 送老家 送农村 不再养 告别 当小天使 当天使 当了天使 做天使 做小天使 变成星星 变成了星星 变星星 成了星星 成星星 当星星 当小星星 去了另一个世界 去另一个世界 去了远方 过继 跑了 跑出去 走的 没的 离家出走 给婆婆 给公婆 给爸妈 给爷爷 给奶奶 给外婆 给姥姥 给姐 给哥 给我姐 给我哥 给我弟 给我爸 给我妹 给邻居 给室友 给老家 放生 放归 放走 退给 别人养 给人养 人家养去 养去了 带回老家 送回老家 咬死 摔死 压死 撞死 车祸 被偷 被人偷 偷走 被抱走 被带走 被要走 给要走 归别人 不跟我了 尸体 骨灰盒 下葬 安葬 善终 寿终正寝 走得很安详 睡过去 长眠 没醒 不在人世 拜拜了 永别 天人永隔 天人两隔 -跑了过 -跑了一 -跑了出 -跑了进 -跑了两 -走的时候 -走的路 -被偷看 -没醒呢 -还没醒 没醒过来 没醒来 没有救过来 没有救活 没能救 送人 送走 送养 送给 送朋友 送亲戚 送到 送回 送去 送出去 送掉 去世 过世 离世 走了 死了 没了 不在了 不养 没养 没再养 养不了 养不起 没法养 没办法养 养死 跑丢 走丢 丢了 弄丢 搞丢 跑没 跑不见 飞走 飞了 飞跑 越狱 不见了 找不到了 找不回 没找回来 找不着了 去喵星 去汪星 去了喵星 去了汪星 回喵星 回汪星 回了喵星 回了汪星 喵星 汪星 鼠星 兔星 龟星 彩虹桥 去了天上 去天堂 天国 天堂 上天了 埋 火化 葬 没救回来 没救活 没救过来 救不回来 没抢救 没挺过 没熬过 没撑过 没能撑 没能熬 没能挺 没留住 没扛过 没保住 安乐 永远离开 离开了我 离开我 离开了我们 离开我们 离开了 病死 病逝 老死 死掉 死 热死 冻死 撑死 毒死 猝死 夭折 挂了 凉了 嗝屁 嘎了 噶了 寄了 咽气 闭眼 断气 给了 给朋友 给我朋友 给同事 给亲戚 给我妈 给别人 给人 托付 转让 转手 转给 卖了 卖掉 还给 抱走 接走 领走 带走 拿走 被领养 被人领养 领养走 找了领养 找到领养 找领养 新主人 新主子 新铲屎官 新家 好人家 找人家 下家 退养 弃养 退回 寄养给 交给 不归我 归前任 归他 归她 走失 丢失 咽了气 生前 骨灰" +
		" -走了过来 -走了过去 -不见不 -死活 -死宅 -吓死 -笑死 -气死 -累死 -烦死 -可爱死 -萌死 -爱死 -馋死 -懒死 -困死 -撑死我 -死皮赖脸 -急死 -吵死 -怕死 -死命 -死死 -香死 -埋头 -埋汰 -埋屎 -埋猫砂 -给了我 -丢了个 -搬新家 -到新家 -新家具 -换新家 -死盯 -飞了起来 -找不到了家 -死犟 -死胖 -想死 -死样 -送到医院 -送去医院 -送去洗澡 -送到宠物医院 -送去绝育 -送去寄养 -送去美容 -送回来 -带走散步 -给人看 -离开了一 -不养生 -送走了客人 -要死 -作死 -找死 -去死 -半死 -丑死 -重死 -坑死 -挂了号 -挂了个 -天堂伞 -离开了视")
	keeping  = setOf(" 伺候着 伺候 新添了一口 添了一口 领养了 领养到 领养 收养了 收养 抱养了 抱养 认养了 认养 养了 养着 养起了 养起来了 养上了 养上 养到 养 当上铲屎官 喜提 入手了 入手 入了 拥有了 拥有 收留了 收留 救助了 救助 救了 新添了 新添 添了 添 多了 新来了 来了 新增 迎来了 迎来 迎 买了 买回 买到 买 捡了 捡到了 捡到 捡回来 捡回 捡 接了 接回来 接回 接到 接 带回来 带回 带了 抱了 抱回来 抱回 抱来 抱 领了 领回来 领回 领 有了 有 提了 提回 收了 收编了 收编 拐了 拐回 拐 偷了 得了 弄了 弄来 搞了 搞来 整了 换了 又有 铲屎官 被碰瓷 养的是 养的 宠物是 家庭成员 -养生 -养老 -养成 -养护 -养胃 -养肥 -修养 -培养 -养眼 -营养 -保养 -养多肉 -养花 -养娃 -养孩子 -养家 -云养 -养活 -包养 -饲养员 -疗养 -领导 -有点 -有些 -有人 -有时 -没有 -只有 -还有 -所有 -有没有 -有意 -有趣 -有事 -有空 -有道 -有病 -买单 -带领 -接着 -接口 -接受 -直接 -接下来 -接电话 -抱歉 -抱怨 -拥抱 -多了去 -来了来了 -接近 -添加 -添堵 -欢迎 -迎接 -有限 -有用 -有毒 -整了半 -得了吧 -得了 -买菜")
	petHomes = setOf(" 那 新成员 主子 毛孩子 祖宗 -家的话 那两只 这两只 两只 那几只 几只 两条 家里的 家里那只 家里这只 家里养的 家里养了 家里面 家里 家的 家那只 家这只 家那条 家养的 家有 家 的 那只 这只 那条 养的那只 养的那条 养的 这条")
	petFrame = setOf(" 新成员 成员 主子 毛孩子 养上 养起 养起了 上 起 只 条 个 匹 头 窝 对 尾 的 家 里 我 养 养着 了 着 把 将 给 和 跟 有 是 这 那 到 回 添 来 新 叫 又 还 也 就 让 被 捡 买 接 抱 提 喜提 入手 拥有 收养 领养 抱养 认养 迎来 收留 救助 救 为 岁 大 月 遛 喂 撸 陪 带 当 俩 两 铲 拐 收编 为了 连 养的 领 因为 以后 从此 今天 昨天 昨晚 终于 我们 咱 的小 ， 、 ： 啊 呀 发现 看着 看 送 哄 刚 正在 前几天 上周 早上 中午 下午 在")
	petVisit = setOf(" -能吃了 -会吃了 -爱吃了 -吃了药 -不吃了 -吃了我 -吃了一 看到 看见 遇到 碰到 撞见 路过 别人 隔壁 流浪 楼上 人家的 网上 视频 云 烤 炖 吃了 炒 煮 杀 红烧 清蒸 点了 图片 照片 表情包 头像 拍到 刷到 -流浪来的 -邻居送")
	petWish  = setOf(" 想养 想买 想要 想领养 要养 不养 没养 能养 养不 打算 准备 考虑 不让 不许 不敢 没钱 好想 羡慕 以前养 养过 小时候 借 寄养 帮朋友 帮同事 帮邻居 梦想 如何养 建议 推荐 教你 新手 招财")
	pickedUp = setOf(" 宿舍 阳台 办公室 店里 寝室 出租屋 楼下 路上 路边 小区 公司 学校 门口 公园 单位 村口 地库 车库 车底 草丛 厂里 工地 河边 半路 雨里 垃圾桶 快递站")
)

// An animal is a word for an animal in a text, with what describes it.
type animal struct {
	before, value, after string
	counted              bool // a measure word stands before it
}

// findAnimal finds the first animal in a text.
func findAnimal(text string) (a animal, ok bool) {
	before, w, after := animals.find(text)
	for w != "" && runes(w) == 1 && (petless.begin(after) || strings.HasPrefix(after, "年")) { // 马老师
		b, w2, a2 := animals.find(after)
		if w2 == "" {
			return a, false
		}
		before, w, after = text[:len(text)-len(after)]+b, w2, a2
	}
	if w == "" {
		return a, false
	}
	for {
		next, _ := animals.begins(after)
		if next == "" {
			break
		}
		w, after = w+next, after[len(next):]
	}
	if strings.HasPrefix(after, "子") || strings.HasPrefix(after, "崽") || strings.HasPrefix(after, "仔") {
		n := len("子")
		w, after = w+after[:n], after[n:]
	}
	_, frame, kind := petFrame.findLast(before)
	a = animal{before: before, value: w, after: after}
	if frame == "" {
		kind = before
	}
	if kind = strings.TrimSpace(kind); runes(kind) <= 4 && !fillers.in(kind) {
		a.value, a.before = kind+w, strings.TrimSuffix(strings.TrimRight(before, " "), kind)
	}
	a.counted = measures.ends(strings.TrimSpace(a.before)) != ""
	return a, true
}

// adopting words tell of an animal that had no home.
var adopting = setOf(" 领 收 捡 救 抱 接")

// petless words follow an animal that is none.
var petless = setOf(" 老师 哥 姐 总 粮 咖 砂 毛 罐头 肉 汤 翅 腿 蛋 排 血 片 干 丸 油 皮 脚 蹄 爪 场 王 年 市 舍 戏 展 眼 腻 步 店 医院 奶 叔")

// petEnd reads 猫送人了, 我把猫送人了 and 我不养猫了.
func (r petReader) petEnd(c *clause) bool {
	text := c.before + c.rest
	a, ok := findAnimal(text)
	if !ok {
		if r.animal == "" {
			return false
		}
		if _, w, _ := petGone.find(text); w == "" || runes(text) > 14 || strongGone.beginsIn(text) == "" {
			return false
		}
		a.value, a.after = r.animal, text
	}
	_, w, after := petGone.find(a.after)
	if w == "" && strings.HasPrefix(a.after, "了") && (strings.HasSuffix(a.before, "没有") || strings.HasSuffix(a.before, "没")) { // 以后没有猫了
		w, after = "没了", ""
	}
	if w == "" {
		if r.buried(c, a) {
			return true
		}
		if _, w, _ = petGone.find(a.before); w == "" || !strings.Contains(w, "养") {
			return false
		}
		if !strings.ContainsAny(c.text, "了啦再") {
			return false
		}
	}
	if (w == "走了" || w == "离开了" || w == "跑了" || w == "走的" || w == "没的") && runes(strings.TrimSpace(after)) > 0 && !strings.HasPrefix(strings.TrimSpace(after), "好") && runes(after) > 4 || w == "死" && after != "" && !strings.HasPrefix(after, "在") && !strings.HasPrefix(after, "于") {
		return false
	}
	if firms.is(a.value) {
		return false
	}
	subject := c.subject
	if subject == "" && !c.explicit || strings.Contains(text, "我") {
		subject = r.speaker
	}
	if value := a.value; subject != "" && value != "" {
		return r.add(subject, Pet, value, true)
	}
	return false
}

// buried reads 刚埋了我家的猫, with the verb before the animal.
func (r petReader) buried(c *clause, a animal) bool {
	before, w, owner := burying.find(a.before)
	owner = strings.TrimSpace(petHomes.cutAll(strings.TrimPrefix(strings.TrimPrefix(owner, "我"), "我们")))
	if w == "" || !light(before) && !c.near(before) || measures.cutAll(owner) != "" || particles.cutEnds(a.after) != "" || edible.is(a.value) {
		return false
	}
	subject := c.subject
	if subject == "" && !c.explicit {
		subject = r.speaker
	}
	return r.add(subject, Pet, a.value, true)
}

// burying words stand before an animal that is gone.
var burying = setOf(" 埋了 埋葬了 埋葬 火化了 送走了 送走 送别了 送别 告别了 失去了 失去 永别了 安葬了 安葬 葬了 卖了 卖掉了 转让了 送了 送掉了 丢了 弄丢了 送出了 没养住 没救回 没保住 没留住 -送了我 -送了一 -送走了客")

// strongGone words tell that an animal is gone, which the clause before has named.
var strongGone = setOf(" 走的 没的 没了 走了 再也没回来 没回来 没找回来 死了 别人养 人养 去了喵星 过世 病逝 丢了 找不到了 跑了 送出去 没有救过来 送人 送走 去世 没救回来 没挺过 没熬过 喵星 汪星 彩虹桥 安乐 送养 没救活 跑丢 走丢 没抢救 没撑过 没留住")

func (s *wordSet) beginsIn(text string) string { _, w, _ := s.find(text); return w }

// pet reads 我养了一只猫, 家里新来了一只猫 and 我家的猫到家了.
func (r petReader) pet(c *clause) bool {
	a, ok := findAnimal(c.rest)
	if !ok {
		r.newPet = r.newPet || petNames.in(c.rest) && (keeping.in(c.rest) || strings.Contains(c.rest, "到了") || strings.Contains(c.rest, "来了") || strings.Contains(c.rest, "到手")) && c.subject == r.speaker
		return r.oddPet(c)
	}
	r.animal = a.value
	if r.cares(c, a) {
		return true
	}
	if r.animal == "" || petWish.in(c.rest) || petWish.in(c.before) || c.past {
		return false
	}
	before, w, mid := keeping.findLast(a.before)
	raised := strings.Contains(w, "养") || w == "铲屎官"
	mid = strings.TrimSpace(mid)
	link := measures.cutAll(strings.TrimLeft(mid, "了到 着回"))
	for again := true; again; {
		link, again = cutAny(strings.TrimSpace(link), []string{"了", "到", "回", "一", "两", "俩", "三", "只", "条", "个", "的", "新", "小", "属于自己的", "自己的", "可爱", "漂亮", "家", "来", "我", "刚", "着", "是", "心心念念", "超级", "超"})
	}
	loose := runes(link) > 3
	if !raised && !adopting.begin(w) && (petVisit.in(c.rest) || petVisit.in(c.before)) {
		return false
	}
	if strings.HasSuffix(strings.TrimSpace(c.lead), "喜提") && w == "" && strings.TrimSpace(a.before) == "" { // 喜提橘猫一只
		return r.claim(c, Pet, r.animal, false)
	}
	lead := strings.TrimSpace(strings.TrimSuffix(before, "新"))
	if _, whom, ok := strings.Cut(lead, "给"); ok && runes(whom) < 4 { // 给孩子买了只猫
		lead, _, _ = strings.Cut(lead, "给")
	}
	homes := c.explicit && (strings.HasPrefix(c.rest, "家") || strings.HasPrefix(c.rest, "那只") || strings.HasPrefix(c.rest, "这只") || strings.HasPrefix(c.rest, "那条")) || strings.HasPrefix(c.rest, "家里") || strings.HasPrefix(c.rest, "家有") || strings.HasPrefix(c.rest, "家中")
	mine := c.explicit && strings.TrimSpace(petHomes.cutAll(strings.TrimPrefix(a.before, "的"))) == "" && (a.before != "" || strings.HasSuffix(strings.TrimSuffix(c.text, c.rest), "的"))
	subject := c
	if c.subject == "" && !c.explicit && strings.HasPrefix(c.rest, "给") { // 孩子非要养，给她买了只猫
		own := *c
		own.subject = r.speaker
		subject, c = &own, &own
	}
	if homes && c.subject == "" && !strings.HasPrefix(c.text, "他") && strings.HasPrefix(c.rest, "家里") {
		own := *c
		own.subject = r.speaker
		subject = &own
	}
	food := edible.is(r.animal) && !raised && !homes
	switch {
	case food:
		return false
	case raised && edible.is(r.animal) && !a.counted && !c.explicit && particles.cutEnds(strings.TrimSpace(a.after)) != "" && !homes && !homeTails.in(a.after): // 养鱼先养水
		return false
	case w != "" && raised && !loose && (c.near(strings.TrimPrefix(lead, "家里")) || homes || plainLead(lead) || pickedUp.begin(lead)):
	case w != "" && !loose && homes:
	case w == "有" && c.stressed && strings.HasPrefix(a.after, "了") && lead == "": // 终于有猫了
	case w != "" && !loose && (w == "有" || w == "有了" || w == "多了" || w == "来了") && !(c.explicit && c.near(lead)):
		return false
	case w != "" && !loose && homeTails.in(a.after):
	case w != "" && !loose && (c.near(lead) || plainLead(lead) || pickedUp.begin(lead)) && (a.counted || c.explicit || homeTails.in(a.after) || strings.HasPrefix(w, "喜提") || w == "入手" || w == "入手了"):
	case w == "" && bringing.in(a.after) && (strings.Contains(a.before, "把") || a.before == "") && (c.explicit || plainLead(strings.TrimSuffix(a.before, "把"))):
	case r.newPet && strings.TrimSpace(measures.cutAll(strings.TrimPrefix(a.before, "是"))) == "": // 我家来了个小祖宗，一只猫
	case homes && petNames.in(a.before) && strings.Contains(a.before, "是"): // 我家毛孩子是只金毛
	case mine, homes && strings.TrimSpace(measures.cutAll(petHomes.cutAll(a.before))) == "":
	case c.explicit && c.subject == r.speaker && (strings.Contains(a.before, "我的") || strings.Contains(a.before, "我家") || strings.Contains(a.before, "我那")):
	case strings.HasSuffix(strings.TrimRight(c.before, " "), "我的"):
	case c.explicit && c.subject == r.speaker && strings.TrimSpace(a.before) == "" && strings.HasSuffix(strings.TrimSuffix(c.text, c.rest), "的"):
	case w == "" && strings.Contains(a.after, "到家") && runes(a.before) < 4:
	case w == "" && raisingTail.in(a.after) && runes(a.before) < 4 && c.explicit:
	default:
		return r.theirPet(c, a)
	}
	return r.claim(subject, Pet, r.animal, false)
}

// theirPet reads 我的猫 in the middle of a clause: 给我的猫买了个新窝.
func (r petReader) theirPet(c *clause, a animal) bool {
	for _, own := range [...]string{"我家的", "我家里的", "我家那只", "我家", "我的", "我那只", "我养的", "俺家", "咱家", "自家", "自己养的", "自己的", "我们家", "我闺女", "家里的", "家里那只", "家里"} {
		if strings.HasSuffix(strings.TrimSpace(a.before), own) {
			own := *c
			own.subject = r.speaker
			if c.explicit && c.subject != r.speaker {
				own.subject = c.subject
			}
			return r.claim(&own, Pet, r.animal, false)
		}
	}
	for _, m := range r.mentions(a.before) { // 楼下那只是小王家的猫
		if !m.self && theirs.is(strings.TrimSpace(a.before[m.end:])) {
			return r.add(m.id, Pet, r.animal, false)
		}
	}
	if _, ok := cutEndAny(strings.TrimSpace(a.before), []string{"他的", "她的", "他家", "她家", "他养的", "她养的", "他家的", "她家的"}); ok && r.recent.id != "" && r.recent.id != r.speaker {
		return r.add(r.recent.id, Pet, r.animal, false)
	}
	for _, gift := range [...]string{"送给我的", "送我的", "送了我", "送我", "给了我", "送给我"} { // 朋友送了我一只猫
		if _, rest, ok := strings.Cut(a.before, gift); ok && strings.TrimSpace(measures.cutAll(strings.TrimLeft(rest, "一两"))) == "" && !edible.is(r.animal) {
			return r.add(r.speaker, Pet, r.animal, false)
		}
	}
	return false
}

// theirs stand between a person and an animal.
var theirs = setOf(" 家的 家 的 家那只 家那条 养的 家养的 家里的 那只")

var (
	homeTails   = setOf(" 回家 到家 回来 来养 养 回宿舍 回了家 进家门 入住 当宠物 带回家 新成员 家里来 已到家 进门 -养生")
	raisingTail = setOf(" 养在家 养在我 养了 是我养 养了好 养在 养着")
	bringing    = setOf(" 接回 领回 抱回 买回 带回 接来 接到家 抱来 提回 捡回 接过来 领过来 收编 领养了 领养回")
	petNames    = setOf(" 添丁 新添了一口 添了一口 多了一口 家庭新成员 报到 养宠物 小祖宗 祖宗 主子 毛孩子 新成员 小家伙 小可爱 小东西 毛茸茸 小宝贝 小淘气 宠物 铲屎官")
	petOdd      = setOf(" 领养了 领养 收养了 收养 养了 养着 -养了半 -养了胎")
)

// fancied animals are jokes.
var fancied = setOf(" 龙 老虎 虎 狮子 大象 大熊猫 鲸 鲨 鳄鱼 猎豹 长颈鹿 恐龙 怪兽 哥斯拉 皮卡丘 奥特曼 孩子 男人 女人 儿子 女儿 -龙猫 -龙鱼 -虎皮 -虎斑 -变色龙 -六角恐龙")

// oddPet reads an animal that no list has: 我养了一只蓝舌.
func (r petReader) oddPet(c *clause) bool {
	before, w, after := petOdd.find(c.rest)
	if w == "" || !c.near(strings.TrimPrefix(before, "家里")) || petVisit.in(c.rest) || petWish.in(c.rest) {
		return false
	}
	what, counted := measures.cut(after)
	if !counted || strings.HasPrefix(what, "孩子") || strings.HasPrefix(what, "儿子") || strings.HasPrefix(what, "女儿") || strings.HasPrefix(what, "娃") {
		return false
	}
	for _, tail := range [...]string{"回来养", "回来", "回家", "来养", "当宠物"} {
		what, _, _ = strings.Cut(what, tail)
	}
	what = value(what, 6)
	if fancied.in(what) {
		return false
	}
	return what != "" && r.claim(c, Pet, what, false)
}
