package facts

import (
	"strings"
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
func (r *reader) topic(c *clause) {
	text := c.rest
	for i := range text { // 螺蛳粉太臭了
		if i > len("香") && judging.begin(text[i:]) {
			text = text[:i]
			break
		}
	}
	if r.object = r.left(c, text); runes(r.object) < 2 {
		r.object = ""
	}
}

// insideName reports whether a position is inside the name of a person.
func (r *reader) insideName(text string, at int) bool {
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
func (r *reader) left(c *clause, before string) string {
	v := before
	for again := true; again; {
		v = strings.TrimSpace(v)
		if v, again = objectTails.cutEnd(v); !again {
			v, again = degrees.cutEnd(v)
		}
	}
	v = fillers.cutAll(v)
	if short, ok := strings.CutPrefix(v, "好"); ok && strings.HasSuffix(before, short) && strings.HasPrefix(c.rest, "好") { // 就好冰美式这口
		v = short
	}
	v = objectHeads.cutAll(v)
	if _, w, after := innerHeads.findLast(v); w != "" && after != "" {
		v = after
	}
	if strangers.begin(v) || kin.begin(v) {
		return ""
	}
	return likeable(v)
}

// hasHead reports whether 对, 没有, 靠 or the like stands before an object.
func hasHead(before string) bool {
	w, _ := strongHeads.begins(fillers.cutAll(before))
	return w != "" || strings.Contains(before, "对") || strings.Contains(before, "靠")
}

// innerHeads may stand before an object in the middle of a clause.
var innerHeads = setOf(" 谁爱 愿意为 除了 谁发明的 谁发明了 别安排 别点 都说 别叫 别搞 别整 别点 别放 别吃 别约 别提 别再提 别给我整 别给我 别让我 别带 别买 别搞 别整 别点 别放 别吃 别约 别提 别再提 别给我整 别给我 别让我 别带 别买 对 全靠 靠 没有 没了 离了 离开 说到 提到 说起 提起 跟我提 和我提 跟我说 跟他说 跟她说 和他说 跟他提 跟他聊 -对象 -对联 -对决 -靠谱 -绝对 -面对面 -可靠 -派对 -对对碰")

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
	if noObject.is(v) || fillers.is(v) || degrees.is(v) || strings.Contains(v, "的") && runes(v) > 8 || strings.ContainsAny(v, "你您我") && !lyrics.in(v) {
		return ""
	}
	return v
}

// lyrics are names with a person in them.
var lyrics = setOf(" 我的世界 你画我猜 我爱我家 我是歌手 非诚勿扰 你好李焕英 向往 再见爱人 请回答 我独自升级 我推 你的名字 我们厂")
