package facts

import (
	"strings"
)

// loves reads 我喜欢香菜, 我不喜欢香菜了 and 香菜我爱.
func (r tasteReader) loves(c *clause, before, w, after string) bool {
	lead, ok := c.leadOf(before)
	if !ok || strings.HasPrefix(after, "过") && !strings.HasPrefix(after, "过山") {
		return false
	}
	if strings.HasSuffix(before, "狗都不") {
		return false
	}
	if w == "被" {
		what, hit, _ := caught.find(after)
		return hit != "" && c.near(lead) && r.taste(c, Likes, likeable(degreesEnd(what)), false)
	}
	head := strings.TrimSuffix(degreesEnd(strings.TrimSpace(lead)), "在")
	negator := negators.ends(head)
	head = degreesEnd(strings.TrimSuffix(head, negator))
	if whose, ok := strings.CutPrefix(after, "的"); ok && r.object != "" { // 香菜，最喜欢的就是小王了
		whose, _ = cutAny(whose, []string{"就是", "还是", "当属", "是"})
		if id, name := r.names.prefix(whose); name != "" {
			return r.add(id, Likes, r.object, false)
		}
	}
	after = whatIs(after)
	if !strings.HasPrefix(after, "个人") {
		after = strings.TrimPrefix(after, "个") // 就喜欢个香菜
	}
	object := likeable(cutDurationEnd(rightTails.cutEnds(longAgo.cutAll(strings.TrimLeft(after, "了着 ")))))
	if cooling.in(object) {
		return false
	}
	if w == "泡在" { // 泡在香菜里
		object = strings.TrimSuffix(strings.TrimSuffix(object, "面"), "里")
	}
	meansThat := this.is(rightTails.cutEnds(particles.cutEnds(strings.TrimSpace(after)))) || this.is(particles.cutEnds(strings.TrimSpace(after)))
	right := object != ""
	if object == "" && particles.cutEnds(rightTails.cutEnds(strings.TrimSpace(after))) == "" {
		if object = r.left(c, before[:len(before)-len(lead)]+head); object == "" {
			object = r.object
		}
		if object != "" && !c.explicit && !c.stressed && degreesEnd(before) == before && negator == "" && particles.cutEnds(after) == "" {
			object = "" // 香菜爱
		}
	}
	if object == "" && meansThat && r.object != "" { // 就讨厌这个
		object = r.object
	}
	if object == "" || noObject.in(object) || vague.is(object) {
		return false
	}
	if right && head != "" && !c.near(head) && !causes.begin(head) || right && strings.Contains(object, "的") && runes(object) > 8 {
		return false
	}
	if negator != "" {
		over := strings.Contains(negator, "再") || negator == "过了" || particles.ends(strings.TrimSpace(after)) != "" && strings.ContainsAny(c.text[max(0, len(c.text)-12):], "了啦咯喽") || ending.in(strings.TrimSuffix(before, negator)) || ending.in(c.text[:len(c.text)-len(c.rest)]) || ending.in(c.lead) || c.past && strings.Contains(after, "了")
		c.past = c.past && !over
		if over {
			return r.taste(c, Likes, object, true)
		}
		if !c.explicit && (noHate.in(object) || strings.HasPrefix(object, "太")) {
			return false
		}
		return r.taste(c, Dislikes, object, false)
	}
	r.object, r.found = object, true
	if c.past {
		r.wasFond = true
		return false
	}
	if weakLoving.is(w) {
		stressed := c.stressed || degreesEnd(lead) != lead || c.explicit && keenly.in(strings.TrimSuffix(c.text, c.rest))
		if !right && !c.explicit && !(stressed && r.self) && particles.cutEnds(after) == "" || shortLoving.is(w) && !(c.explicit && stressed || c.explicit && w == "爱") && !(stressed && strings.Contains("爱迷馋", w)) || !c.explicit && !stressed && right {
			return false
		}
	}
	return r.taste(c, Likes, object, false)
}

// causes begin how somebody came to like a thing: 被室友带着喜欢上香菜.
var causes = setOf(" 从 被 跟着 受 让 因为 由于 为了 自从 在 随着 -在座 -被动")

// daily words tell of a habit.
var daily = setOf(" 每天 天天 每次 每周 每顿 顿顿")

// craves words stand before what the next clause may say that somebody likes.
var craves = setOf(" 念叨着 念叨 惦记着 惦记 就想着 就想 就靠 全靠 每次都要 每次都点 必点 必吃 必玩 总是点 老点 天天点 天天吃 天天玩 天天听 天天看 每天吃 每天喝 每天玩 每天看")

// keenly words stand before the verb of somebody who likes something at present.
var keenly = setOf(" 最近 疯狂 超 特别 一直 天天 痴 近来 这阵子 这段时间 现在 好")

// longAgo words stand before the object of 喜欢了.
var longAgo = setOf(" 那么多年的 这么多年的 这么久的 那么久的 好几年的 多年的 十几年的 几十年的 半辈子的 一辈子的 两年的 三年的 十年的 很久的 好久的")

var (
	weakLoving  = setOf(" 本命 得意 待见 爱 喜欢 迷 馋 肝 追 泡在 入了 掉进 掉入 安利 粉了 常备 死磕 上头 嗑 磕 着迷 种草 狂热 爱好")
	shortLoving = setOf(" 迷 馋 肝 追 嗑 磕 爱")
	caught      = setOf(" 创到 硬控 圈粉 种草 迷住 迷倒 吸引 俘获 俘虏 征服 套牢 拿捏 勾住 勾走 上头 洗脑 安利")
	vague       = setOf(" 打 去 跑 学 练 做 一天 一刻 能 算 项目 家里人 这样 那样 什么 一切 生活 这里 那里 看 听 吃 玩 睡觉 睡 吃饭 干净 说 笑 哭 的 玩的 吃的 看的 谁 摸鱼 咋咋地 咋地 干啥 热闹 我 他 她 你 这 那 你们 大家 我们 上了 喝 自己 别人 对方 人家 安静")
)
