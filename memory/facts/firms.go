package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isFirm(s string) bool {
	if w, _ := firms.begins(s); w != "" && (len(w) == len(s) || isDigits(s[len(w):])) {
		return true
	}
	if w := firmEnds.ends(s); w != "" && (len(s) > len(w) || runes(w) > 2) {
		return true
	}
	if c, _ := utf8.DecodeRuneInString(s); !notFirms.is(s) && unicode.IsUpper(c) && !hasHan(s) && runes(s) > 1 && !strings.Contains(s, " ") {
		return true
	}
	return false
}

// notFirms are capitalized words that are no firms.
var notFirms = setOf(" KTV KFC WC ATM CBD ICU VIP HR PM KPI OKR PPT DDL APP App PS QQ VX WX AED SPA TV DVD DNA GitHub Github Git Steam Switch LiveHouse Livehouse Excel Word WiFi PDF Bug BUG CI PR UI UX QA AI CP BOSS Boss MV CD EP OTA IP ID NPC PVP PVE")

// firmName cleans the name of a firm.
func firmName(v string) string {
	v = strings.TrimSpace(v)
	if w, _ := firms.begins(v); w != "" { // 快手, 有赞
		rest := v[len(w):]
		if end := particles.cutEnds(strings.TrimSpace(rest)); end == "" || latinPrefix(end) == len(end) || isDigits(end) {
			return strings.TrimSpace(w + end)
		}
	}
	if before, w, _ := working.find(v); w != "" && before != "" && !firms.is(v) && !isFirm(particles.cutEnds(v)) {
		v = before
	}

	if i := strings.Index(v, "了"); i > len("公") { // 入职腾讯了终于
		v = v[:i]
	}
	v = cutWeeksEnd(cutDurationEnd(particles.cutEnds(v))) // 加入腾讯一周
	for again := true; again && !firms.is(v); {
		v, again = cutEndAny(strings.TrimSpace(particles.cutEnds(v)), []string{"里面", "那边", "这边", "公司里", "当中", "总部", "分公司", "旗下", "里", "去", "上", "的工作", "工作"})
	}
	if v = value(v, 11); runes(v) < 2 || cities.is(v) || noFirm.begin(v) && !(strings.HasPrefix(v, "第") && firmEnds.ends(v) != "" && runes(v) > 3) || noFirm.is(v) || strings.ContainsAny(v, "了我你他她") || isRole(v) && !isFirm(v) {
		return ""
	}
	return v
}

// cutWeeksEnd removes 一周 and the like from the end of a text.
func cutWeeksEnd(v string) string {
	short, ok := cutEndAny(v, []string{"周", "星期", "个星期", "礼拜", "个礼拜", "多月", "来年"})
	if !ok {
		return v
	}
	if end := strings.TrimRight(short, "个0123456789一二三四五六七八九十两几半多好"); end != short && end != "" {
		return end
	}
	return v
}

// noFirm words begin what is no firm.
var noFirm = setOf(" 报到 入职 上班 试用期 学习 定下 有着落 落实 找好 搞定 稳了 泡汤 定了 黄了 县城 乡下 镇上 村里 城里 老家 厕所 洗手间 卫生间 第一天 第 在 去 到 从 家里 家 路上 外面 外地 这边 这里 这儿 这 那边 那里 那 哪 群里 线上 网上 群 公司 单位 办公室 工位 电脑 楼下 楼上 宿舍 床上 车上 地铁 门口 一起 一块 同一 附近 本地 国外 海外 新公司 新单位 原来 同 做 当 找 上 看 玩 吃 打 干 医院看 医院陪 医院排 医院躺 超市买 银行取 银行办 国内 一线 外边 农村 城市 深夜 半夜 周末 今天 明天 昨天 这个 什么 什么样 里面 隔壁 对面 出 外 自己 朋友 前公司 前东家 沉迷 努力 好好 认真 -上汽 -当当 -同程 -国外公司 -外企 -外包 -本地一 -同仁堂 -打铁 -城管 -家乐福 -家电厂 -上海 -做市商 -吃货 -出版社 -外贸公司 -外卖平台 -自如 -医院后勤 -学校食堂 -看守所 -上市公司 -玩具厂 -打印店 -找钢网 -超市当")

// visited are firms to which most people go as customers.
var visited = setOf(" 图书馆 博物馆 美术馆 电影院 车站 火车站 高铁站 地铁站 码头 社区 园区 酒吧 茶馆 面馆 烧烤店 民宿 公园 酒楼 游泳馆 体育馆 政府 医院 学校 银行 超市 商场 酒店 饭店 餐厅 火锅店 奶茶店 便利店 咖啡店 书店 药店 花店 理发店 宠物店 健身房 网吧 机场 派出所 法院 诊所 驿站 海底捞 麦当劳 肯德基 星巴克 宜家 迪士尼 环球影城 山姆 胖东来")

var stationed = setOf(" 改去 改到 改投 混 跑 -混蛋 -混乱 -混日子 -混合 -混血 -混得 -混口 -混饭 -跑步 -跑路 -跑腿 -跑车 -跑外卖 -跑业务 -跑滴滴 -跑半 -跑全 -跑马 -跑完 -跑了 -跑出 -跑来 -跑运输 -跑网约 去的 进的 搁 在 于 去 到 来 回 给 帮 跟着 混在 窝在 蹲在 待在 呆在 人在 人就在 跑到 跑去 被派到 继续在 开始在 留在 -回来 -回家 -来着 -在意 -现在 -正在 -实在 -去年 -过来 -过去 -到底 -本来 -后来 -从来 -原来 -好在 -在家 -在线 -回头 -想到 -看到 -收到 -拿到 -感到 -遇到 -以来 -起来 -出来 -下来 -上来 -到处 -到点 -失去 -出去 -上去 -下去 -找到 -送给 -发给 -帮忙 -存在 -在一起 -跳槽去 -跳槽到 -被 -来电 -到家 -等到 -回复 -回答 -来不及 -给力 -跟着我 -去世 -内在 -自在 -所在 -来说 -在乎 -在于 -在吗 -用于 -关于 -终于 -对于 -由于 -属于 -至于 -等于")

// firmAfter reads the firm after a word for joining.
func (r jobReader) firmAfter(after string) string {
	after = strings.TrimLeft(after, " ：:了")
	if firm, role, ok := strings.Cut(after, "那边的"); ok && isRole(cleanRole(role)) { // 腾讯那边的程序员
		after = firm + "的" + role
	}
	after, _ = cutAny(after, []string{"一个叫", "我们这的", "我们这儿的", "家门口的", "现在的"})
	firm, role := splitRole(after)
	if firm != "" {
		if name := firmName(firm); name != "" {
			return name + role
		}
	}
	return firmName(after)
}

// splitRole reads 腾讯做程序员.
func splitRole(at string) (firm, role string) {
	for _, verb := range [...]string{"当上了", "做", "当", "干", "任", "担任", "搞", "跑", "的"} {
		if firm, role, ok := strings.Cut(at, verb); ok && firm != "" {
			if role = cleanRole(role); isRole(role) {
				return firm, role
			}
		}
	}
	return "", ""
}

// firmAt reads what follows 在 or 去: 腾讯上班, 腾讯做程序员, 腾讯了.
func (r jobReader) firmAt(c *clause, verb, at string) bool {
	if firm, role := splitRole(at); firm != "" {
		if name := firmName(firm); name != "" && !strings.HasPrefix(verb, "给") {
			return r.claim(c, Job, name+role, false)
		}
		if noFirm.is(strings.TrimSpace(firm)) || cities.is(strings.TrimSpace(firm)) || cities.is(strings.TrimSuffix(firm, "那边")) {
			return r.claim(c, Job, role, false)
		}
	}
	if before, class, ok := strings.Cut(at, "上了"); ok && strings.HasSuffix(particles.cutEnds(class), "班") && isFirm(firmName(before)) { // 在腾讯上了半个月班
		return r.claim(c, Job, firmName(before), false)
	}
	if before, w, after := working.find(at); w != "" && before != "" {
		if strings.HasPrefix(after, "的") && !strings.HasPrefix(after, "的第") && particles.cutEnds(after) != "" && !c.explicit {
			return false
		}
		if (verb == "给" || verb == "帮") && !isEmployer(firmName(before)) {
			return false
		}
		for _, more := range [...]string{"的时候", "的路", "群", "环境", "过", "的人", "压力", "的地方"} {
			if strings.HasPrefix(after, more) {
				return false
			}
		}
		name := firmName(before)
		if !isFirm(name) {
			name = firmName(degreesEnd(before))
		}
		if w == "报到" && (name == "学校" || name == "大学") {
			return false
		}
		short := w == "干" || w == "干了" || w == "待了" || w == "呆了" || w == "混了" || w == "吃饭" || w == "加班" || w == "待着" || w == "呆着" || w == "服务" || w == "做了" || w == "端着" || w == "摸鱼" || w == "混" || w == "开车" || w == "奋斗" || w == "发展" || w == "卷" || w == "熬着" || w == "混日子" || w == "混得" || w == "干得" || w == "做得" || w == "看店"
		if name == "" || short && cutDuration(after) == after && (!isFirm(name) || visited.ends(name) != "" && w != "干" && w != "混得") && w != "干了" {
			return false
		}
		return r.claim(c, Job, name, false)
	}
	name := firmName(at)
	switch {
	case name == "" || strings.HasPrefix(verb, "给") || strings.HasPrefix(verb, "帮") || wishing.is(name) || questions.in(at):
		return false
	case firms.is(name) && verb == "在" && !visited.is(name) && (c.explicit || r.aboutJob || lately.in(c.lead)):
		return r.claim(c, Job, name, false)
	case isFirm(name) && verb == "在" && visited.ends(name) == "" && (strings.Contains(c.lead+c.text[:len(c.text)-len(c.rest)], "现在") || strings.Contains(c.text, "目前")):
		return r.claim(c, Job, name, false)
	case firms.is(name) && (c.subject != r.speaker || r.aboutJob || strings.HasPrefix(verb, "人")) && !(visited.is(name) && !r.aboutJob && c.subject == r.speaker):
		return r.claim(c, Job, name, false)
	case isFirm(name) && !visited.is(name) && (r.aboutJob || c.subject != r.speaker || strings.HasPrefix(verb, "人")):
		return r.claim(c, Job, name, false)
	case r.aboutJob && !isPlace(name) && runes(name) <= 8 && !strings.ContainsAny(name, "的吃看找") && !travel.in(name) && verb != "给" && verb != "帮" && !fillers.begin(name):
		return r.claim(c, Job, name, false)
	}
	return false
}

// isEmployer reports whether a text is the name of a firm, and not only a word for one.
func isEmployer(name string) bool { return isFirm(name) && (runes(name) > 2 || firms.is(name)) }

// offered reads 被腾讯录用了 and 拿到腾讯的offer了.
func (r jobReader) offered(c *clause, rest string) (string, bool) {
	for _, by := range [...]string{"被", "让", "给"} {
		if lead, at, ok := strings.Cut(rest, by); ok && (c.explicit || light(lead) || r.aboutJob || hardWon(lead)) {
			if before, w, _ := hiring.find(at); w != "" && before != "" {
				name := firmName(strings.TrimSuffix(before, "给"))
				if sure := by == "被" && formally.is(w) && !kin.in(before) && !strangers.in(before); name != "" && (sure || isFirm(name) && !firmEnds.is(name)) {
					return name, true
				}
			}
		}
	}
	for _, got := range [...]string{"拿到了", "拿到", "收到了", "收到", "拿了", "接了", "接到", "收了", "等到了", "等到", "签了", "领了", "有了", "终于等来"} {
		if _, at, ok := strings.Cut(rest, got); ok {
			if before, w, _ := offers.find(at); w != "" && before != "" {
				name := firmName(before)
				school := strings.HasPrefix(w, "录取") || w == "通知书"
				return name, name != "" && (!school || r.aboutJob && (isFirm(name) || w != "通知书") && !universities.in(name)) && (c.explicit || !kin.in(rest) && !strangers.in(rest))
			}
		}
	}
	return "", false
}

var (
	// formally words tell of a contract, so that any firm may do so.
	formally     = setOf(" 录用 录取 录了 聘请 聘 招进 招走 招了 返聘 签下 签了 挖走 挖去 挖过去 挖")
	universities = setOf(" 大学 北大 清华 复旦 浙大 交大 人大 武大 学院 中学 高中")
)

// hireTail reports whether nothing else follows a word for employees: 腾讯打工人一枚, and not 腾讯加班太狠了.
func hireTail(after string) bool {
	rest := strings.TrimSpace(particles.cutEnds(after))
	return rest == "" || hireEnds.begin(rest) || hireEnds.begin(strings.TrimSpace(after)) || overTail(after)
}

var hireEnds = setOf(" 一枚 一个 一名 报到 报道 的来了 来了 路过 上线 中 第 ing 一员 在此 人 混子 在线 一周 一个月 半年 快 满 有 了 好几 三年 两年 五年 刚 到岗")

// ofFirm reads 以后就是腾讯员工了, 腾讯要我了 and 我们腾讯又加班.
func (r jobReader) ofFirm(c *clause, rest string) bool {
	text := c.before + c.rest
	if c.before != "" {
		text = c.text
	}
	before, w, after := firms.find(text)
	if at, who, ok := strings.Cut(c.text, "把"); ok && w != "" && isFirm(firmName(at)) { // 腾讯把小王招走了
		if id, name := r.names.prefix(who); name != "" && hiring.begin(who[len(name):]) {
			return r.add(id, Job, firmName(at), false)
		}
	}
	if hired, by, _ := hires.find(text); w == "" || strings.Contains(by, "我") && len(hired) > len(before) {
		if before, w, after = hires.find(text); w != "" && (w != "offer" || strings.HasPrefix(after, "到手")) {
			before, _ = cutEndAny(strings.TrimSpace(degreesEnd(strings.TrimPrefix(before, "人家"))), []string{"肯", "愿意", "同意"})
			if strings.HasSuffix(before, "不") || strings.HasSuffix(before, "没") || strings.HasSuffix(before, "别") {
				return false
			}
			name := firmName(degreesEnd(becoming.cutAll(fillers.cutAll(strings.TrimSuffix(strings.TrimSuffix(before, "我"), "的")))))
			if name != "" && !strings.ContainsAny(name, "在就") && (isFirm(name) || strings.Contains(w, "我") || strings.HasSuffix(w, "他") || strings.HasSuffix(w, "她") || r.aboutJob && strings.HasPrefix(w, "的人")) && !(w == "上班" && !isFirm(name)) {
				if strings.ContainsAny(w, "他她") && r.named != "" && !c.explicit {
					return r.add(r.named, Job, name, false)
				}
				return r.claim(c, Job, name, false)
			}
		}
		return r.ourFirm(c)
	}
	if more, end, rest := firmEnds.find(after); end != "" && runes(more) < 4 && !fillers.in(more) && !particles.in(more) { // 中铁 + 十二局
		w, after = w+more+end, rest
	}
	head := strings.TrimSpace(degreesEnd(before))
	ours := head == "" && c.explicit && c.subject == r.speaker && strings.Contains(c.text, "我们") || strings.HasSuffix(head, "我司")
	employee := hires.begin(strings.TrimLeft(after, "的 ")) || hires.begin(after)
	if employee && !c.explicit && !r.aboutJob {
		rest := strings.TrimLeft(after, "的 ")
		if verb, _ := hires.begins(after); verb != "" {
			rest = after[len(verb):]
		} else if verb, _ := hires.begins(rest); verb != "" {
			rest = rest[len(verb):]
		}
		employee = hireTail(rest)
	}
	switch {
	case r.aboutJob && plainLead(strings.TrimSuffix(head, "是")) && particles.cutEnds(strings.TrimSpace(after)) == "" && strings.TrimSuffix(head, "是") == "": // 找到工作了，是腾讯
	case ours && !strings.HasPrefix(after, "的对手"):
	case employee && (c.explicit || plainLead(becoming.cutAll(head))) && !questions.in(after) && !wishing.in(head):
	case c.subject != r.speaker && c.explicit && (head == "" || head == "是" || strings.HasSuffix(head, "是")) && (strings.HasPrefix(after, "的") || particles.cutEnds(after) == ""):
		if strings.HasPrefix(after, "的") && runes(particles.cutEnds(after)) > 0 {
			return false
		}
	default:
		return false
	}
	return r.claim(c, Job, w, false)
}

// nearby words tell where the speaker lives, and not where he works.
var nearby = setOf(" 小区 楼下 楼上 这边 附近 村 村里 镇 镇上 县 市 区 门口 家门口 学校 公司 单位 隔壁 对面 路口 这 那 家 家附近 家楼下 老家 这里 这儿 大学 班")

// ourFirm reads 我们机械厂今天又加班.
func (r jobReader) ourFirm(c *clause) bool {
	if !c.explicit || c.subject != r.speaker || !strings.Contains(c.text, "我们") && !strings.Contains(c.text, "咱") && !strings.Contains(c.text, "俺们") {
		return false
	}
	before, w, _ := firmEnds.find(c.rest)
	if w == "" || len(w) < len("公司") && w != "厂" || before == "" || runes(before) > 8 {
		if at := c.rest[:latinPrefix(c.rest)]; len(at) > 2 && isFirm(at) && unicode.IsUpper(rune(at[0])) && !strings.HasPrefix(c.rest[len(at):], "那") && !strings.HasPrefix(c.rest[len(at):], "上") {
			return r.claim(c, Job, at, false)
		}
		return false
	}
	name := firmName(before + w)
	if nearby.begin(before) || nearby.ends(before) != "" || visited.ends(name) != "" && firms.ends(name) == "" && runes(before) < 3 { // 我们小区超市
		return false
	}
	return name != "" && isFirm(name) && r.claim(c, Job, name, false)
}

// latinPrefix returns the length of the Latin word at the start of a text.
func latinPrefix(s string) int {
	for i := range len(s) {
		if !isLetter(s[i]) {
			return i
		}
	}
	return len(s)
}
