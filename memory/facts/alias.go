package facts

import (
	"strings"
)

var (
	callMe   = setOf(" 叫我 喊我 管我叫 管我喊 称呼我 称我 唤我 叫俺 喊俺 -别叫我 -别喊我 -叫我们 -不要叫我 -叫我妈 -叫我爸 -叫我去 -叫我来 -叫我干 -叫我起 -叫我吃 -叫我回 -叫我一声 -喊我一声 -叫我帮 -喊我去 -喊我来 -喊我吃 -喊我起 -喊我回 -喊我帮 -叫我怎么 -叫我说 -叫我别 -喊我别 -叫我打 -喊我打 -叫我出 -喊我出 -叫我滚 -叫我早 -叫我多 -叫我少 -叫我先")
	invited  = setOf(" 以后 可以 大家 大伙 大伙儿 你们 都 请 就 同事 同学 朋友 家里人 家里 群里 直接 统一 今后 叫 喊 各位 随便 不如 还是 从小 网上 江湖")
	politely = setOf(" 就可以了 就可以 就行了 就行 就好了 就好 就成 就得了 就OK 就ok 就够了 即可 得了 好了 行了 也行 也成 都行 都成 都可以 也可以 吧 呗 哈 嘛 啊 呀 啦 哦 了 就完事了 便是 为好 咯 喽 ok OK")
	renaming = setOf(" 别叫 外号 绰号 小名 昵称 花名 改名 全名 大名 刚进群 新来 新来的 自我介绍 认识一下 称呼 怎么叫 怎么喊")
	nickname = setOf(" 圈名叫 圈名是 圈名 马甲叫 马甲是 代号是 代号 外号叫 外号是 外号就是 外号 绰号叫 绰号是 绰号 小名叫 小名是 小名就叫 小名 乳名叫 乳名 昵称叫 昵称是 昵称 花名叫 花名是 花名 网名叫 网名是 网名 艺名叫 艺名是 艺名 笔名 诨名 江湖人称 人称 人送外号 人送绰号 ID叫 ID是 id叫 id是 游戏ID 游戏id 游戏名 改名叫 改名成 改名为 改名了叫 改叫 名字改成 名字改成了 昵称改成了 昵称改成 群名片改成 群昵称改成 从小叫到大")
)

// callsMe reads 叫我老王就行 and 大家都喊我老王.
func (r *reader) callsMe(c string) bool {
	before, w, name := callMe.find(c)
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
	if name = value(short, 7); !polite && !asks || strings.Contains(name, "我") || !usableName(name) || questions.in(name) {
		return false
	}
	return r.add(r.speaker, Alias, name, false)
}

// alias reads 我外号老王 and 我叫老王.
func (r *reader) alias(c *clause) bool {
	if r.renamed { // 以后不用打全名，老王就是我
		name, ok := cutAny(c.text, []string{"在下", "这里是", "我就是", "我是"})
		if !ok {
			name, ok = cutEndAny(c.text, []string{"就是我", "便是我", "是我"})
		}
		if name = value(politely.cutEnds(name), 6); ok && usableName(name) && !isRole(name) && !renaming.is(name) && !strings.ContainsAny(name, "的我你") && !fillers.begin(name) {
			return r.add(r.speaker, Alias, name, false)
		}
	}
	before, w, name := nickname.find(c.rest)
	if w == "" || runes(before) > 8 {
		if before, name, w = "", strings.TrimPrefix(c.rest, "叫"), "叫"; name == c.rest || !c.explicit || !strings.Contains(c.text, "我叫") || strings.HasPrefix(name, "了") {
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
	if name = value(politely.cutEnds(name), 7); !usableName(name) {
		return false
	}
	return r.add(c.subject, Alias, name, false)
}
