package facts

import (
	"strings"
	"unicode/utf8"
)

// cutDurationEnd removes 三年 and the like from the end of a text.
func cutDurationEnd(v string) string {
	short, ok := cutEndAny(v, []string{"年多", "年", "个月", "天"})
	if !ok {
		return v
	}
	end := strings.TrimRight(short, "0123456789一二三四五六七八九十两几半多好")
	if end == short || end == "" {
		return v
	}
	return end
}

// topic remembers what a clause without a word of liking is about: 香菜，我的最爱.
func (r tasteReader) topic(c *clause) {
	text := c.rest
	if text == "" {
		return
	}
	if r.object != "" && (noTopic.begin(c.text) || particles.ends(c.text) == "了") {
		return
	}
	if _, w, what := innerHeads.findLast(text); w != "" && runes(what) > 1 { // 心情不好就靠奶茶
		if v := likeable(objectTails.cutEnds(what)); v != "" {
			r.object, r.doubtful = v, false
			return
		}
	}
	for _, m := range r.mentions(r.clauseText) {
		if !m.self {
			return
		}
	}
	if start := len("香菜"); len(text) > start && utf8.RuneStart(text[start]) { // 螺蛳粉太臭了
		if before, w, _ := judging.find(text[start:]); w != "" {
			text = text[:start+len(before)]
		}
	}
	r.doubtful = particles.ends(c.text) == "了" && text == c.rest // 空调坏了
	if r.object = r.left(c, text); runes(r.object) < 2 {
		r.object = ""
	}
}

// noTopic words begin what does not replace a topic: 香菜？那是以前.
var noTopic = setOf(" 狗都 谁都 谁不 那 这 现在 以前 已经 都 也 真 太 好 我 没 不 年纪 如今 早就 后来 从 毕竟 实在 反正 可惜 年轻")

// insideName reports whether a position is inside the name of a person.
func (r tasteReader) insideName(text string, at int) bool {
	for _, m := range r.mentions(text) {
		if !m.self && m.at <= at && at < m.end {
			return true
		}
	}
	return false
}

// leadOf returns what stands between the subject of a clause and a word in it.
func (c *clause) leadOf(before string) (lead string, ok bool) {
	if len(before) < len(c.before) {
		return "", false
	}
	return before[len(c.before):], true
}

// left returns the object on the left of a word: 香菜 in 对香菜, 香菜我真的.
func (r tasteReader) left(c *clause, before string) string {
	v := before
	for again := true; again; {
		v = strings.TrimSpace(v)
		if v, again = objectTails.cutEnd(v); !again {
			v, again = degrees.cutEnd(v)
		}
	}
	v = cutLead(v)
	if short, ok := strings.CutPrefix(v, "好"); ok && strings.HasSuffix(before, short) && strings.HasPrefix(c.rest, "好") { // 就好冰美式这口
		v = short
	}
	if _, w, after := innerHeads.findLast(v); w != "" && after != "" {
		v = after
	}
	v = objectHeads.cutAll(v)
	if w, _ := loving.begins(v); runes(w) > 1 && len(w) < len(v) { // 沉迷香菜无法自拔
		v = v[len(w):]
	}
	if strangers.begin(v) || kin.begin(v) {
		return ""
	}
	return likeable(v)
}

// cutLead removes words that only begin a clause, but not the verb of 听相声.
func cutLead(v string) string {
	for {
		v = strings.TrimLeft(v, " ")
		w, _ := fillers.begins(v)
		if w == "" || (w == "听" || w == "看" || w == "再" || w == "正") && len(v) > len(w) {
			return v
		}
		v = v[len(w):]
	}
}

// hasHead reports whether 对, 没有, 靠 or the like stands before an object.
func hasHead(before string) bool {
	w, _ := strongHeads.begins(fillers.cutAll(before))
	return w != "" || strings.Contains(before, "对") || strings.Contains(before, "靠")
}

// innerHeads may stand before an object in the middle of a clause.
var innerHeads = setOf(" 入股 见了 见着 别跟我抢 跟我抢 谁也别抢 一看到 一看见 一听到 一听见 一闻到 一说到 一说起 一提到 一提起 一想到 一想起 一碰到 一聊到 一聊起 一见到 一吃到 一玩到 会为 别让我碰 别让我吃 别让我喝 别让我看 别逼我吃 别给我吃 别叫我吃 就想 就去 就要 满脑子 天天想着 就靠 念叨着 念叨 惦记着 惦记 没有什么比 没有比 什么都比不上 必须 没人能不爱 谁能不爱 一说 一提 一聊 一听 一看 一闻 一见 一碰 一玩 只要有 没人能拒绝 谁能拒绝 自从接触了 自从接触 自从玩了 自从吃了 自从看了 自从喝了 自从入了 自从尝了 自从学了 自从迷上 跟我安利 给我安利 别安利 别推荐 别给我推 别推 给我推 给我推荐 愿意为 -一说一 -一看就 -一见钟情 -一听就 谁爱 除了 谁发明的 谁发明了 别安排 别点 都说 别叫 别搞 别整 别放 别吃 别约 别提 别再提 别给我整 别给我 别让我 别带 别买 对 全靠 靠 没有 没了 离了 离开 说到 提到 说起 提起 跟我提 和我提 跟我说 跟他说 跟她说 和他说 跟他提 跟他聊 -对象 -对联 -对决 -靠谱 -绝对 -面对面 -可靠 -派对 -对对碰")

// whatIs removes 的是 after a verb: 喜欢的是篮球.
func whatIs(after string) string {
	rest, _ := cutAny(after, []string{"的就是", "的还是", "的是", "的事就是", "的事情就是", "的东西就是", "的就属", "的莫过于", "的当属"})
	return rest
}

func hasNounEnd(after string) bool {
	return strings.Contains(after, "一枚") || strings.Contains(after, "一个")
}

// likeable cleans something that one can like. It is "" if the text is none.
func likeable(what string) string {
	v := value(what, 12)
	for _, quote := range [...]string{"《", "》", "“", "”", "「", "」"} {
		v = strings.ReplaceAll(v, quote, "")
	}
	if this.is(v) || runes(v) == 1 && !shortThings.is(v) {
		return ""
	}
	if noObject.is(v) || fillers.is(v) || degrees.is(v) || strings.Contains(v, "的") && runes(v) > 8 || strings.ContainsAny(v, "你您我") && !lyrics.in(v) {
		return ""
	}
	return v
}

var (
	// this words mean what a clause before is about.
	this = setOf(" 这个 这 这东西 这玩意 这玩意儿 这种 这种东西 这口 这一口 那个 那 它 这些 这游戏 这剧 这菜 这味 这味儿 这家 这歌")
	// shortThings are things with a name of one character.
	shortThings = setOf(" 猫 狗 鸟 鱼 茶 酒 烟 花 辣 糖 粥 面 雪 海 雨 书 歌 舞 车 球 牌 棋 画 蒜 葱 姜 肉 菜 汤 醋 蟹 虾 梨 桃 瓜 藕 蛇")
)

// lyrics are names with a person in them.
var lyrics = setOf(" 我的世界 你画我猜 我爱我家 我是歌手 非诚勿扰 你好李焕英 向往 再见爱人 请回答 我独自升级 我推 你的名字 我们厂")
