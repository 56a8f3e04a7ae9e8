package facts

import (
	"strings"
)

var (
	// caring words stand before an animal with which its owner does something.
	caring = setOf(" 和 跟 带着 带 遛 抱着 抱 牵着 牵 喂 撸 给 陪着 陪 伺候 被 背着 把")
	// cares follow such an animal.
	cares   = setOf(" 洗完澡 洗了澡 洗个澡 剪 换水 打扫 梳 相依为命 的日常 去医院 去看病 看病 看医生 打疫苗 打针 洗澡 散步 出门 出去 去公园 遛弯 剪毛 剪指甲 体检 绝育 驱虫 铲屎 做饭 买粮 过生日 拍照 回老家 玩 去宠物店 梳毛 咬 吵醒 踩 抓 气死")
	masters = setOf(" 爸爸 妈妈 的铲屎官 铲屎官 的主人 的奴才 的爹 的妈 的爸 的家长 的奴隶 的饲养员")
)

// cares reads 小王带狗去打针了 and 我当上橘猫的铲屎官了.
func (r petReader) cares(c *clause, a animal) bool {
	if who := r.given(c, a); who != "" {
		return r.add(who, Pet, a.value, false)
	}
	if c.subject == "" || c.past || petWish.in(c.rest) || petVisit.in(c.rest) || firms.is(a.value) {
		return false
	}
	if strings.HasSuffix(strings.TrimSpace(strings.TrimSuffix(c.text, c.rest)), "喜提") && strings.TrimSpace(a.before) == "" || strings.HasSuffix(strings.TrimSpace(a.before), "有") && strings.HasPrefix(a.after, "的人了") && runes(a.before) < 3 { // 有猫的人了
		return r.claim(c, Pet, a.value, false)
	}
	if masters.begin(a.after) && (c.explicit || strings.HasPrefix(a.before, "当") || strings.HasPrefix(a.before, "做") || strings.HasPrefix(a.before, "成") || light(strings.TrimSpace(a.before))) || masters.begin(a.after) && keeping.in(a.before) {
		return r.claim(c, Pet, a.value, false)
	}
	rest, _ := cutAny(c.rest, []string{"正在", "去", "在"})
	w, _ := caring.begins(rest)
	if w == "" || !c.explicit || !cares.in(a.after) && w != "遛" && w != "撸" && w != "喂" {
		return false
	}
	_, between, _ := strings.Cut(a.before, w)
	between = strings.TrimSpace(between)
	own := strings.TrimSpace(measures.cutAll(ownPets.cutAll(between)))
	return own == "" && (a.before != "" || w != "") && !edible.is(a.value) && r.claim(c, Pet, a.value, false)
}

// given returns the person who was given an animal: 儿子给我抱回来一只猫.
func (r petReader) given(c *clause, a animal) string {
	if leftTo.begin(a.after) && strings.Contains(c.text, "把") && !edible.is(a.value) { // 室友把猫留给我了
		return r.speaker
	}
	text := strings.TrimSpace(measures.cutEnds(strings.TrimRight(c.text[:max(0, strings.Index(c.text, a.value))], " 一两")))
	head, verb := presenting.cutEnd(text)
	if !verb && !strings.HasSuffix(text, "我的") || edible.is(a.value) || petVisit.in(c.text) || petWish.in(c.text) {
		return ""
	}
	if giver, to := cutEndAny(text, []string{"送我的", "送给我的", "给我买的", "给我的", "留给我的"}); to && giver != "" && raisingTail.in(a.after) { // 学生送我的猫养在家里了
		return r.speaker
	}
	giver, to := cutEndAny(head, []string{"给我", "给俺", "给咱", "送我", "给我家", "给我们家"})
	switch {
	case to && giver != "":
		return r.speaker
	case strings.HasSuffix(head, "给他") || strings.HasSuffix(head, "给她"):
		return r.named
	}
	for _, m := range r.mentions(c.text) {
		if m.end == len(head) && strings.HasSuffix(head[:m.at], "给") && m.at > len("给") {
			return m.id
		}
	}
	return ""
}

// leftTo words tell that the speaker has got an animal.
var leftTo = setOf(" 留给我 送给我 给我养 给我了 托付给我 让给我 转给我 丢给我 塞给我 扔给我 送我了 过继给我")

// presenting words tell that somebody brings an animal.
var presenting = setOf(" 买 带 抱 弄 整 领 捡 接 抱回来 抱来 抱了 抱回 买了 买来 买回 买回来 送了 送来 送 带了 带来 带回 带回来 弄了 弄来 整了 整来 领了 领回 领回来 捡了 捡回 捡回来 接了 接回来 领养了 淘了 寄了 寄来")

// ownPets stand between a verb and the animal of the subject.
var ownPets = setOf(" 他家 她家 自己家 自家 我家 家里 他的 她的 自己的 我的 他 她 的 那只 这只 那条 我们家 咱家 俺家")
