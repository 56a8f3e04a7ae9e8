package facts

import (
	"strings"
)

// greetings stand before the name with which somebody introduces himself.
var greetings = setOf(" 大家好 各位好 你们好 哈喽 hello 嗨 从今天起 从现在起 以后 萌新 新来的 报道 报到 呀 啊 ， 从今以后 今后")

var (
	callMe   = setOf(" 备注我 备注成 备注为 备注我为 -备注我是 -备注我的 叫我 喊我 管我叫 管我喊 称呼我 称我 唤我 叫俺 喊俺 -别叫我 -别喊我 -叫我们 -不要叫我 -叫我妈 -叫我爸 -叫我去 -叫我来 -叫我干 -叫我起 -叫我吃 -叫我回 -叫我一声 -喊我一声 -叫我帮 -喊我去 -喊我来 -喊我吃 -喊我起 -喊我回 -喊我帮 -叫我怎么 -叫我说 -叫我别 -喊我别 -叫我打 -喊我打 -叫我出 -喊我出 -叫我滚 -叫我早 -叫我多 -叫我少 -叫我先")
	invited  = setOf(" @我 @我就 艾特我 以后 可以 大家 大伙 大伙儿 你们 都 请 就 同事 同学 朋友 家里人 家里 群里 直接 统一 今后 叫 喊 各位 随便 不如 还是 从小 网上 江湖")
	politely = setOf(" 鸭 捏 嗷 惹 就中 得啦 就得啦 就得 就妥 即可哈 就行啦 就好啦 就行哈 就好哈 都OK 都ok 随意 就可以了 就可以 就行了 就行 就好了 就好 就成 就得了 就OK 就ok 就够了 即可 得了 好了 行了 也行 也成 都行 都成 都可以 也可以 吧 呗 哈 嘛 啊 呀 啦 哦 了 就完事了 便是 为好 咯 喽 ok OK")
	renaming = setOf(" 改了名 改名了 换了个名字 群名片 网名 改网名 随便叫 报个到 你们好 初次见面 刚来 多关照 认识认识 备注 大家好 各位好 初来乍到 请多关照 请多指教 旧名字 真名 名字 报道 多多关照 多多指教 萌新 冒泡 别叫 外号 绰号 小名 昵称 花名 改名 全名 大名 刚进群 新来 新来的 自我介绍 认识一下 称呼 怎么叫 怎么喊")
	nickname = setOf(" 英文名叫 英文名是 英文名 群昵称叫 群昵称是 群昵称 群名片是 微信名叫 微信名是 微信名 游戏名叫 游戏名是 QQ名 曾用名 现用名 法号 网名就叫 圈名叫 圈名是 圈名 马甲叫 马甲是 代号是 代号 外号叫 外号是 外号就是 外号 绰号叫 绰号是 绰号 小名叫 小名是 小名就叫 小名 乳名叫 乳名 昵称叫 昵称是 昵称 花名叫 花名是 花名 网名叫 网名是 网名 艺名叫 艺名是 艺名 笔名 诨名 江湖人称 人称 人送外号 人送绰号 ID叫 ID是 id叫 id是 游戏ID 游戏id 游戏名 改名叫 改名成 改名为 改名了叫 改叫 名字改成 名字改成了 昵称改成了 昵称改成 群名片改成 群昵称改成 从小叫到大")
)

// callsMe reads 叫我老王就行 and 大家都喊我老王.
func (r nameReader) callsMe(c string) bool {
	if !r.renamed && r.short == "" && !aliasCues.in(c) {
		return false
	}
	if thisName.in(c) { // 本人老王，叫这个就行
		name := r.bareSelf
		if name == "" {
			name = r.short
		}
		for _, is := range [...]string{"叫我", "喊我", "我叫", "我是", "是", "叫", "在下"} {
			if _, after, ok := strings.Cut(name, is); ok {
				name = after
			}
		}
		if name = value(name, 5); usableName(name) && !noName.begin(name) && !isRole(name) && !fillers.begin(name) && !strings.ContainsAny(name, "我你他她的了") {
			return r.add(r.speaker, Alias, name, false)
		}
	}
	if (r.renamed || r.short != "" || nameCues.in(c)) && r.namedNow(c) {
		return true
	}
	if r.short = ""; len(c) < 30 && (r.renamed || announced.in(c)) {
		r.short = c
	}
	before, w, name := callMe.find(c)
	if name, ok := r.plainName(c); ok && w == "" {
		return r.add(r.speaker, Alias, name, false)
	}
	if w == "" {
		if name = invited.cutAll(strings.TrimSpace(c)); !r.renamed || name == c {
			return false
		}
		if w = c[:len(c)-len(name)]; !strings.HasSuffix(w, "叫") && !strings.HasSuffix(w, "喊") {
			return false
		}
		before = w
	}
	asks := r.renamed || invited.in(before)
	name = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(name, "叫"), "做"), " ：:“\"「")
	short, polite := politely.cutEnd(strings.TrimRight(name, "~～.！!”\"」 "))
	for again := polite; again; {
		short, again = politely.cutEnd(short)
	}
	bare := strings.TrimSpace(fillers.cutAll(before)) == "" && runes(short) < 6 && !noName.begin(short) && !future.begin(short) && !fillers.begin(short) && !strings.HasSuffix(c, "了")
	if name = value(short, 7); !polite && !asks && !bare || noName.begin(short) || nameWords.in(name) || strings.Contains(name, "我") || !usableName(name) || questions.in(name) {
		return false
	}
	return r.add(r.speaker, Alias, name, false)
}

var (
	// noName words follow 叫我 as a verb, or are no names.
	noName    = setOf(" 大全 违规 代词 推荐 生成 怎么改 求 谢 报 冒 潜 路过 问 有 没 在 好友 来意 相 催 练 关 停 闭 坐 站 躺 吹 剪 搬 抬 扔 刷 充 付 还钱 结 约 验 加 改 选 投 排 抢 嫂子 嫂 父亲 母亲 叔 叔叔 阿姨 大哥 大姐 亲爱的 师父 老师 同学 室友 朋友 孩子 去 来 干 起 吃 回 帮 怎 说 别 打 出 滚 早 多 少 先 做 买 看 上 下 走 等 发 给 把 也 又 不 一 睡 写 交 拿 开 玩 听 背 想 休息 加班 请 如何 爸 妈 爹 爷 主人 哥哥 姐姐 老公 老婆 宝贝 名字 外卖 滴滴 车 人 快递 跑腿 代驾 服务员 师傅 救护车 你 我 他 她 谁 什么 啥 学习 读 减肥 喝 洗 带 找 送 换 用 再 跟 和 陪 到 过 签 填 收 讲 唱 醒 醒了 了 顺丰 货拉拉 单 餐 -小 -阿 -老 -大 -开心 -多多 -早早 -一一 -下雨 -来福 -走走 -单单 -人人 -和和 -车厘子 -起司 -发财 -送财 -看星星 -多肉 -上上签")
	nameWords = setOf(" 小名 外号 名字 全名 大名 昵称 这个 那个 什么")
	thisName  = setOf(" 这么叫我 这么喊我 这样叫我 就这么叫我 都这么叫 都这么喊 这样喊我 叫这个 就叫这个 这么叫 这样叫 就这么叫 叫这名 喊这个")
	fromNow   = setOf(" 以后喊 都喊 喊 就喊 备注 现在叫 改叫 现在就叫 现在改叫 以后就叫 以后都叫 以后叫 今后就叫 今后叫 从今天起就叫 从今天起叫 从今往后叫 就叫 直接叫 可以叫 请叫 都叫 叫")
)

// plainName reads 叫老王就行 and 以后就叫老王吧.
func (r nameReader) plainName(c string) (name string, ok bool) {
	rest, cut := fromNow.cut(strings.TrimSpace(c))
	if !cut {
		return "", false
	}
	short, polite := politely.cutEnd(strings.TrimRight(rest, "~～.！! "))
	for again := polite; again; {
		short, again = politely.cutEnd(short)
	}
	polite = polite || r.renamed && (strings.HasPrefix(c, "以后") || strings.HasPrefix(c, "现在") || strings.HasPrefix(c, "改叫"))
	later := strings.HasPrefix(c, "以后") || strings.HasPrefix(c, "今后") || strings.HasPrefix(c, "从今")
	if !cut || !polite || !later && strings.HasSuffix(c, "吧") {
		return "", false
	}
	name = value(short, 5)
	return name, r.couldBeName(name)
}

// couldBeName reports whether somebody may want to be called by a name.
func (r nameReader) couldBeName(name string) bool {
	return usableName(name) && runes(name) < 6 && !noName.begin(name) && !nameWords.in(name) && r.names.Meant(name) == "" && !isRole(name) && !strings.HasSuffix(name, "人") &&
		!strings.ContainsAny(name, "我你他她的了先去不一几") && !questions.in(name) && !fillers.begin(name) && !future.begin(name) && !selfWords.begin(name)
}

var (
	announced = setOf(" 自我介绍一下 自我介绍 介绍一下 改名了 改名啦 改名 换了个名字 换名字了 萌新 报个到 报到 我改名了 网名改了 改网名了 群名片改了 新来的")
	nameCues  = setOf(" 是我 我的")
	aliasCues = unionOf(callMe, setOf(" 叫 喊 备注 是我 我的 自我介绍 改名 换名 萌新 报到 报道 @我 艾特我"))
	isMyName  = setOf(" 是我的外号 是我外号 是我的小名 是我小名 是我的昵称 是我昵称 是我的网名 是我网名 是我的花名 是我的绰号 是我的名字 是我的ID 是我的圈名 是我的英文名")
	myName    = setOf(" 我的小名 我小名 我的外号 我外号 我的昵称 我的网名 我的花名 我的绰号 我的圈名 我的英文名 我的ID")
	humble    = setOf(" 本人 在下 鄙人 小弟 小妹 小女子 晚辈 小生 我呀叫 我呢叫")
)

// namedNow reads 老王是我的外号, and names beside an announcement: 改名了，老王.
func (r nameReader) namedNow(c string) bool {
	c = strings.TrimSpace(politely.cutEnds(c))
	if name, w, rest := isMyName.find(c); w != "" && rest == "" && r.couldBeName(name) {
		return r.add(r.speaker, Alias, name, false)
	}
	if myName.is(c) && r.couldBeName(r.short) {
		return r.add(r.speaker, Alias, r.short, false)
	}
	if announced.is(r.short) && r.couldBeName(c) && c != "报到" {
		return r.add(r.speaker, Alias, c, false)
	}
	if name, ok := humble.cut(c); ok && r.renamed && r.couldBeName(strings.TrimPrefix(name, "叫")) {
		return r.add(r.speaker, Alias, strings.TrimPrefix(name, "叫"), false)
	}
	if name, ok := cutEndAny(c, []string{"也行", "也可以", "也成"}); ok && strings.HasPrefix(r.short, "随便叫") && r.couldBeName(name) {
		return r.add(r.speaker, Alias, name, false)
	}
	return false
}

// alias reads 我外号老王 and 我叫老王.
func (r nameReader) alias(c *clause) bool {
	if c.explicit && c.subject == r.speaker && runes(c.rest) > 1 && runes(c.rest) < 6 && c.before == "" && !nickname.in(c.rest) {
		r.bareSelf = value(c.rest, 5)
	}
	if r.renamed { // 以后不用打全名，老王就是我
		text := c.text
		for _, self := range [...]string{"我就是", "我是"} {
			if i := strings.Index(text, self); i > 0 && greetings.cutAll(text[:i]) == "" {
				text = text[i:]
			}
		}
		name, ok := cutAny(text, []string{"在下", "这里是", "我就是", "我是"})
		if !ok {
			name, ok = cutEndAny(c.text, []string{"就是我", "便是我", "是我"})
		}
		if name = value(politely.cutEnds(name), 6); ok && usableName(name) && !strings.HasSuffix(name, "人") && !isRole(name) && !renaming.is(name) && !strings.ContainsAny(name, "的我你") && !fillers.begin(name) {
			return r.add(r.speaker, Alias, name, false)
		}
	}
	before, w, name := nickname.find(c.rest)
	if w == "" || runes(before) > 8 {
		if before, name, w = "", strings.TrimPrefix(c.rest, "叫"), "叫"; name == c.rest || !c.explicit || !strings.Contains(c.text, "我叫") && !c.carried || strings.HasPrefix(name, "了") {
			return false
		}
	}
	if c.subject != r.speaker || !c.near(before) {
		return false
	}
	for {
		rest, ok := cutAny(strings.TrimLeft(name, " ：:"), []string{"是", "叫", "就是", "为", "就叫", "了"})
		if name = rest; !ok {
			break
		}
	}
	if name = value(politely.cutEnds(name), 7); !usableName(name) || noName.begin(name) || strings.ContainsAny(name, "你我他她几") {
		return false
	}
	return r.add(c.subject, Alias, name, false)
}
